"""Kafka's own assignors, in Java, give the same partitions to the same members.

SEED=… replays a run; GROUPS=17 does so for one of its groups.
"""

import base64
import os
import time
from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from optimizer import Group, StrategyError, assign
from optimizer.names import problem_of
from optimizer.plan import Assignment
from optimizer.problem import Problem
from optimizer.strategies.topic_ids import topic_ids
from tests.live.java_assignors import JavaAssignors
from tests.live.random_groups import random_group
from tests.optimizer.strategies.kafka import ENDLESS

GROUPS = 3000
BATCH = 250
STRATEGIES = ["range", "roundrobin", "sticky", "cooperative-sticky", "uniform", "server-range"]

Answer = dict[str, set[tuple[str, int]]] | str


@pytest.fixture(scope="module")
def java() -> Iterator[JavaAssignors]:
    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.driver.host", "127.0.0.1").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    try:
        yield JavaAssignors(spark)
    except PySparkException as error:
        pytest.skip(f"Kafka's jars can't be resolved: {error}")


def test_same_partitions_for_the_same_members(java: JavaAssignors) -> None:
    """Racks, static members, stale generations, double claims, empty subscriptions, …"""
    seed = os.environ.get("SEED", str(time.time_ns()))
    asked = os.environ.get("GROUPS")
    numbers = [int(asked)] if asked else list(range(GROUPS))
    print(f"\nSEED={seed}")
    for start in range(0, len(numbers), BATCH):
        batch = numbers[start : start + BATCH]
        groups = [random_group(f"{seed}-{number}") for number in batch]
        answers = java.answers([as_json(group) for group in groups])
        for number, group, answer in zip(batch, groups, answers, strict=True):
            for strategy in STRATEGIES:
                kafka = from_java(group, answer[strategy])
                assert ours(group, strategy) == kafka, f"SEED={seed} GROUPS={number}: {strategy}"


def test_a_search_without_end(java: JavaAssignors) -> None:
    """A small group for which Kafka's sticky assignors never answer."""
    (answer,) = java.answers([as_json(ENDLESS)])
    for strategy in ("sticky", "cooperative-sticky"):
        assert from_java(ENDLESS, answer[strategy]) == ours(ENDLESS, strategy) == "never ends"


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


def as_json(group: Group) -> dict[str, Any]:
    """A group as KafkaAssignors.java reads it."""
    problem, _ = problem_of(group)
    owner = owners(problem)
    return {
        "strategies": STRATEGIES,
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


def kafka_id(uuid: tuple[int, int]) -> str:
    halves = b"".join(half.to_bytes(8, "big", signed=True) for half in uuid)
    return base64.urlsafe_b64encode(halves).decode().rstrip("=")
