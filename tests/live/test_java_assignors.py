"""Kafka's own assignors, in Java, give the same partitions to the same members.

Java's HashSet iterates as ours, and Connect's assignors give the same tasks to the same workers.

SEED=… replays a run; GROUPS=17 does so for one of its groups; SOAK=3000 draws as many, in a minute.
"""

import json
import os
import time
from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
import pytest
from pyspark.sql import SparkSession

from optimizer import Group, Member, StrategyError, assign
from optimizer.model.numbering import problem_of
from optimizer.model.problem import Problem
from optimizer.plan import Assignment
from optimizer.strategies.kafka.hash_map import hash_order
from optimizer.strategies.kafka.order import string_hashes, utf16
from optimizer.strategies.uniform import topic_ids
from tests.live.java_assignors import (
    CONNECT_PACKAGES,
    PACKAGES,
    JavaAssignors,
    assignors_or_skip,
    kafka_id,
)
from tests.live.record_connect import as_json as workers_as_json
from tests.optimizer.strategies.connect.test_connect import answered
from tests.optimizer.strategies.connect.workers import drawn_workers, problem_with_lost
from tests.optimizer.strategies.test_recorded import by_member as workers_by_member
from tests.optimizer.strategies.written_groups import ENDLESS
from tests.support.random_groups import random_group

SEED = os.environ.get("SEED", str(time.time_ns()))
GROUPS = int(os.environ.get("SOAK", "1000"))
CONNECT_GROUPS = 3000
SETS = 300
BATCH = 250
STRATEGIES = ["range", "roundrobin", "sticky", "cooperative-sticky", "uniform", "server-range"]

Answer = dict[str, set[tuple[str, int]]] | str


@pytest.fixture(scope="module")
def java(spark: SparkSession) -> JavaAssignors:
    return assignors_or_skip(spark, PACKAGES, "KafkaAssignors")


def test_same_partitions_for_the_same_members(java: JavaAssignors) -> None:
    """Racks, static members, stale generations, double claims, empty subscriptions."""
    asked = os.environ.get("GROUPS")
    numbers = [int(asked)] if asked else list(range(GROUPS))
    print(f"\nSEED={SEED}")
    for start in range(0, len(numbers), BATCH):
        batch = numbers[start : start + BATCH]
        groups = [random_group(f"{SEED}-{number}") for number in batch]
        answers = java.answers([as_json(group) for group in groups])
        for number, group, answer in zip(batch, groups, answers, strict=True):
            for strategy in strategies(java):
                kafka = from_java(group, answer[strategy])
                assert ours(group, strategy) == kafka, f"SEED={SEED} GROUPS={number}: {strategy}"


def test_a_search_without_end(java: JavaAssignors) -> None:
    """A small group for which Kafka's sticky assignors never answer."""
    (answer,) = java.answers([as_json(ENDLESS, patience=200_000)])
    for strategy in ("sticky", "cooperative-sticky"):
        assert from_java(ENDLESS, answer[strategy]) == ours(ENDLESS, strategy) == "never ends"


@pytest.mark.parametrize("chain", [True, False])
def test_one_joins_many_members_of_five_classes(java: JavaAssignors, chain: bool) -> None:
    """The case whose cost grows with the square of the partitions in Kafka."""
    names = [f"topic-{number}" for number in range(30)]
    topics = {name: 20 + 5 * (number % 7) for number, name in enumerate(names)}
    classes = [
        names[at : at + 12] if chain else names[at % 3 :: at % 4 + 1] for at in range(0, 20, 4)
    ]
    members = [Member(f"member-{number}", classes[number % 5]) for number in range(151)]
    before = assign(Group(topics, members[:-1]), "sticky").assignment
    joined = [
        Member(member.member_id, member.topics, before.get(member.member_id, []), generation=1)
        for member in members
    ]
    group = Group(topics, joined)
    check(java, group, patience=1_000_000_000)


@pytest.mark.parametrize("step", [16, 64])
def test_one_joins_members_whose_partitions_share_buckets(java: JavaAssignors, step: int) -> None:
    """Nine and more in a bucket of a HashSet: its table grows, or the bucket becomes a tree."""
    topics = {"orders": 21 * step}
    owned = [[("orders", p) for p in range(at, 21 * step, step)] for at in range(step)]
    members = [Member(f"member-{at}", ["orders"], claims) for at, claims in enumerate(owned)]
    joiners = [Member(f"joiner-{at}", ["orders"]) for at in range(step // 2)]
    group = Group(topics, [*members, *joiners])
    check(java, group)


def check(java: JavaAssignors, group: Group, **patience: int) -> None:
    (answer,) = java.answers([as_json(group, **patience)])
    for strategy in strategies(java):
        assert ours(group, strategy) == from_java(group, answer[strategy]), strategy


def strategies(java: JavaAssignors) -> list[str]:
    """All but uniform from Java 19 on, whose copied HashSets have other sizes: ties differ."""
    return [s for s in STRATEGIES if s != "uniform" or java.java_version < 19]


def ours(group: Group, strategy: str) -> Answer:
    """Partitions by member, or that Kafka throws or never answers."""
    try:
        return by_member(assign(group, strategy).first_round)
    except StrategyError as error:
        return "never ends" if "never end" in str(error) else "throws"


def by_member(assignment: Assignment) -> Answer:
    return {member: set(partitions) for member, partitions in assignment.items()}


def from_java(group: Group, answer: dict[str, list[list[Any]]] | str) -> Answer:
    """The coordinator's assignors leave members out when nobody subscribes to anything."""
    if isinstance(answer, str):
        return "never ends" if "never ends" in answer else "throws"
    return {
        member.member_id: {(topic, number) for topic, number in answer.get(member.member_id, [])}
        for member in group.members
    }


def as_json(group: Group, patience: int = 5_000_000) -> dict[str, Any]:
    """A group as KafkaAssignors.java reads it.

    After `patience` looks at its topics, a sticky search is taken to have no end.
    """
    problem, _ = problem_of(group)
    owner = owners(problem)
    return {
        "strategies": STRATEGIES,
        "patience": patience,
        "topics": group.topics,
        "racks": group.replica_racks,
        "topic_ids": dict(zip(problem.topics, map(kafka_id, topic_ids(problem)), strict=True)),
        "members": [
            {
                "id": member.member_id,
                "instance": member.instance_id,
                "rack": member.rack,
                "topics": member.topics,
                "owned": member.owned,
                "generation": -1 if member.generation is None else member.generation,
                "target": [claim for claim in member.owned if owner.get(claim) == member.member_id],
            }
            for member in group.members
        ],
    }


def owners(problem: Problem) -> dict[tuple[str, int], str]:
    """The member whose claim stands, which is the coordinator's current target."""
    topics = [problem.topics[t] for t in problem.topic_of.tolist()]
    numbers = range(problem.partition_count) - problem.topic_offsets[problem.topic_of]
    return {
        (topic, number): problem.member_ids[owner]
        for topic, number, owner in zip(
            topics, numbers.tolist(), problem.owner.tolist(), strict=True
        )
        if owner >= 0
    }


def test_same_tasks_for_the_same_workers(spark: SparkSession) -> None:
    """New, lost, deleted and doubled tasks; wherever the connectors' own instances are."""
    connect = assignors_or_skip(spark, CONNECT_PACKAGES, "ConnectAssignors")
    seeds = [f"{SEED}-{number}" for number in range(CONNECT_GROUPS)]
    drawn = [drawn_workers(seed) for seed in seeds]
    answers = connect.answers(
        [workers_as_json(seed, *workers) for seed, workers in zip(seeds, drawn, strict=True)]
    )
    rounds = []
    for seed, (group, lost), kafka in zip(seeds, drawn, answers, strict=True):
        problem = problem_with_lost(group, lost)
        eager = workers_by_member(kafka["eager"])
        assert answered(problem, "connect-eager")[-1] == eager, seed
        first, last = (workers_by_member(kafka["rounds"][at]) for at in (0, -1))
        assert answered(problem, "connect-cooperative") == (first, last), seed
        rounds.append(len(kafka["rounds"]))
    assert set(rounds) == {1, 2}


@pytest.mark.parametrize("kind", ["numbers", "texts"])
def test_hash_sets_that_grew_one_by_one(spark: SparkSession, kind: str) -> None:
    draw = Random(f"{SEED}-{kind}")
    for number in range(SETS):
        keys = numbers(draw) if kind == "numbers" else texts(draw)
        assert iterated(keys) == in_java(spark, keys), f"SEED={SEED}: set {number}: {keys}"


def numbers(draw: Random) -> list[int]:
    """Up to 300 partitions, most of which share few buckets; some differ in high bits only."""
    step = draw.choice((1, 7, 16, 64, 256, 1 << 16, 1 << 20))
    drawn = {draw.randrange(400) * step + draw.choice((0, 0, 0, 1)) for _ in range(300)}
    return draw.sample(sorted(drawn), draw.randint(1, len(drawn) // 2))


def texts(draw: Random) -> list[str]:
    """Up to 300 names, many of one hash code, which the tree compares by UTF-16 units."""
    blocks = draw.randint(1, 7)
    ends = ["", "\uff5e", "\U0001f600", *map(str, range(draw.choice((1, 30))))]
    drawn = {
        "".join(draw.choice(("Aa", "BB")) for _ in range(blocks)) + draw.choice(ends)
        for _ in range(300)
    }
    return draw.sample(sorted(drawn), draw.randint(1, len(drawn)))


def iterated(keys: Sequence[Any]) -> list[Any]:
    """As our own table has them, whose trees compare texts by UTF-16 units."""
    texts = isinstance(keys[0], str)
    hashes = string_hashes(keys) if texts else np.array(keys)
    return [
        keys[at] for at in hash_order(hashes, lambda at: utf16(keys[at]) if texts else keys[at])
    ]


def in_java(spark: SparkSession, keys: Sequence[Any]) -> list[Any]:
    """Jackson reads a JSON array into a HashSet one by one, and writes it as that iterates."""
    jvm: Any = spark._jvm
    jackson = jvm.com.fasterxml.jackson.databind.ObjectMapper()
    hash_set = jvm.java.lang.Class.forName("java.util.HashSet")
    put = jackson.readValue(json.dumps(keys), hash_set)
    return json.loads(jackson.writeValueAsString(put))
