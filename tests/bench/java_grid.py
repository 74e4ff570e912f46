"""Times `optimal` beside Kafka's own uniform assignor on the grid of Kafka's benchmarks.

Both get the same groups (jmh-benchmarks, KIP-848), in turns: Java's class (UniformAssignor of Kafka
4.3.1) in the JVM of a Spark session that fetches Kafka's jars, timed in there and around its call
alone, after a warm-up; `optimal` on arrays (a `Problem` made and solved) and through names
(`assign` of a `Group` that has been made before). The best of some runs counts. `--alone` leaves
Java out.

    python -m tests.bench.java_grid --quick
    python -m tests.bench.java_grid --json java_grid.json
"""

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np

from optimizer import Group, Member, assign
from optimizer.model import problem_of
from optimizer.solver.solve import solve
from optimizer.strategies.uniform import topic_ids
from spark.terminal.session import session
from tests.bench.stopwatch import Row, bench
from tests.live.java_assignors import JavaAssignors, add_jars, kafka_id

MEMBERS = (100, 1_000, 5_000, 10_000)
PARTITIONS_A_MEMBER = (5, 10, 50)
TOPICS = (10, 100, 1_000)
CLASSES = (1, 5)
OVERLAPPING = ((100, 50, 10), (1_000, 50, 100), (2_000, 200, 200), (10_000, 50, 100))
"""Members, partitions a member and topics of the groups in which each member reads half of them."""

RUNS, ENOUGH_SECONDS = 5, 1.0

WARM_UP_SECONDS = 20.0
"""For the first case: the JVM compiles what it often runs."""


class Case(NamedTuple):
    """A group, and what it was made of: its members take these subscriptions in turn."""

    what: str
    subscriptions: Sequence[Sequence[str]]
    group: Group


def cases(quick: bool) -> Iterator[Case]:
    """All cases, or with `quick` those of up to 1,000 members."""
    most = 1_000 if quick else max(MEMBERS)
    for classes, members, ratio, topics in product(CLASSES, MEMBERS, PARTITIONS_A_MEMBER, TOPICS):
        if members <= most:
            name = "one for all" if classes == 1 else f"{classes} disjoint"
            subscriptions = [range(c, topics, classes) for c in range(classes)]
            yield from _states(name, members, members * ratio, subscriptions, topics)
    for members, ratio, topics in OVERLAPPING:
        if members <= most:
            draw, half = np.random.default_rng(members), topics // 2
            halves = [np.sort(draw.choice(topics, half, replace=False)) for _ in range(members)]
            yield from _states("random halves", members, members * ratio, halves, topics)


def _states(
    name: str, count: int, partitions: int, subscriptions: Sequence[Sequence[int]], topics: int
) -> Iterator[Case]:
    """A group that owns nothing yet, and one whose last member has just joined.

    Every topic has at least one partition, as many as any.
    """
    names = [[f"topic-{t:04d}" for t in topics_of] for topics_of in subscriptions]
    sizes = {f"topic-{t:04d}": max(1, partitions // topics) for t in range(topics)}
    members = [Member(f"member-{m:05d}", names[m % len(names)]) for m in range(count)]
    yield Case(f"{name}, fresh", names, Group(sizes, members))
    before = assign(Group(sizes, members[:-1])).assignment
    owning = [Member(m.member_id, m.topics, before.get(m.member_id, [])) for m in members]
    yield Case(f"{name}, one joins", names, Group(sizes, owning))


def rows_of(options: argparse.Namespace) -> Iterator[Row]:
    settings = {"spark.ui.enabled": "false", "spark.driver.memory": "3g"}
    with nullcontext() if options.alone else session("local[1]", settings) as spark:
        java = None
        if spark is not None:
            add_jars(spark)
            java = JavaAssignors(spark)
            kinds = {case.what: case for case in cases(quick=True)}
            for case in kinds.values():
                _asked(java, case, times=10**6, seconds=WARM_UP_SECONDS / len(kinds))
        for case in cases(options.quick):
            yield _timed(case) | (_timed_java(java, case) if java else {})


def _timed(case: Case) -> Row:
    (problem, _), plan = problem_of(case.group), assign(case.group)
    # a copy has nothing computed yet
    arrays_ms = best_ms(lambda: solve(replace(problem)))
    names_ms = best_ms(lambda: assign(case.group))
    return {
        "what": case.what,
        "members": len(problem.member_ids),
        "partitions": problem.partition_count,
        "topics": len(problem.topics),
        "processor_s": round((arrays_ms + names_ms) / 1000, 4),
        "arrays_ms": arrays_ms,
        "names_ms": names_ms,
        "loads": f"{min(plan.loads.values())}-{max(plan.loads.values())}",
        "moves": plan.moves,
    }


def _timed_java(java: JavaAssignors, case: Case) -> Row:
    _asked(java, case)  # compiles for a case like this
    answer = _asked(java, case)
    return {
        "uniform_ms": round(min(answer["nanos"]) / 1e6, 3),
        "uniform_loads": f"{answer['min_load']}-{answer['max_load']}",
        "uniform_moves": answer["moves"],
    }


def _asked(
    java: JavaAssignors, case: Case, times: int = RUNS, seconds: float = ENOUGH_SECONDS
) -> Row:
    """What Kafka's assignor says of a case, which it gets as KafkaAssignors.java reads it."""
    group, (problem, _) = case.group, problem_of(case.group)
    targets: list[dict[str, list[int]]] = [{} for _ in group.members]
    for target, member in zip(targets, group.members, strict=True):
        for topic, number in member.owned:
            target.setdefault(topic, []).append(number)
    members = [
        {"id": member.member_id, "of": at % len(case.subscriptions), "target": targets[at]}
        for at, member in enumerate(group.members)
    ]
    described = {
        "topics": group.topics,
        "topic_ids": dict(zip(problem.topics, map(kafka_id, topic_ids(problem)), strict=True)),
        "subscriptions": case.subscriptions,
        "members": members,
    }
    return java.uniform(described | {"times": times, "seconds": seconds})


def best_ms(call: Callable[[], object]) -> float:
    """The shortest of some runs, fewer if they are long."""
    best, spent, runs = float("inf"), 0.0, 0
    while runs < RUNS and spent < ENOUGH_SECONDS:
        start = time.perf_counter()
        call()
        took = time.perf_counter() - start
        best, spent, runs = min(best, took), spent + took, runs + 1
    return round(best * 1e3, 3)


if __name__ == "__main__":
    bench(
        __doc__,
        rows_of,
        quick={"action": "store_true", "help": "groups of up to 1,000 members only"},
        alone={"action": "store_true", "help": "without Java"},
    )
