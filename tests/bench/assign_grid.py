"""Times `optimal` on the grid of Kafka's own assignor benchmarks (jmh-benchmarks, KIP-848).

    python tests/bench/assign_grid.py --quick
    python tests/bench/assign_grid.py --json grid.json

Each case is timed on arrays (a `Problem` made and solved) and through names (`assign` of a `Group`
that has been made before), the best of some runs each; a plan makes names of partitions when they
are read, which isn't timed. `cases` gives the same cases to other programs.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from platform import python_version

import numpy as np

from optimizer import Group, Member, assign
from optimizer.model.arrays import IntArray
from optimizer.model.measures import measure
from optimizer.model.problem import NOBODY, Problem
from optimizer.solver.solve import solve

MEMBERS = (100, 1_000, 5_000, 10_000)
PARTITIONS_A_MEMBER = (5, 10, 50)
TOPICS = (10, 100, 1_000)
CLASSES = (1, 5)
OVERLAPPING = ((100, 50, 10), (1_000, 50, 100), (2_000, 200, 200), (10_000, 50, 100))
"""Members, partitions a member and topics of the groups in which each member reads half of them."""

RUNS, ENOUGH_SECONDS = 5, 1.0


@dataclass(frozen=True)
class Case:
    """A group, and the facts it was made of; `state` is what happened to it last."""

    subscriptions: str
    members: int
    partitions: int
    topics: int
    state: str
    problem: Problem

    def group(self) -> Group:
        """The same group by names."""
        problem = self.problem
        sizes = np.diff(problem.topic_offsets).tolist()
        topic = problem.topic_of.tolist()
        number = (np.arange(len(topic)) - problem.topic_offsets[problem.topic_of]).tolist()
        owned: list[list[tuple[str, int]]] = [[] for _ in problem.member_ids]
        for t, p, owner in zip(topic, number, problem.owner.tolist(), strict=True):
            if owner >= 0:
                owned[owner].append((problem.topics[t], p))
        names = [[problem.topics[t] for t in texts.tolist()] for texts in problem.subscriptions]
        subscription = problem.member_subscription.tolist()
        return Group(
            topics=dict(zip(problem.topics, sizes, strict=True)),
            members=[
                Member(member, names[subscription[m]], owned[m])
                for m, member in enumerate(problem.member_ids)
            ],
        )


@dataclass(frozen=True)
class Row:
    """What was measured of a case; times in milliseconds."""

    subscriptions: str
    members: int
    partitions: int
    topics: int
    state: str
    arrays_ms: float
    names_ms: float
    min_load: int
    max_load: int
    moves: int


def cases(quick: bool) -> Iterator[Case]:
    """All cases, or with `quick` those of up to 1,000 members."""
    most = 1_000 if quick else max(MEMBERS)
    for classes, members, ratio, topics in product(CLASSES, MEMBERS, PARTITIONS_A_MEMBER, TOPICS):
        if members <= most:
            name = "one for all" if classes == 1 else f"{classes} disjoint"
            subscriptions = [np.arange(c, topics, classes) for c in range(classes)]
            yield from _states(name, members, members * ratio, subscriptions, topics)
    for members, ratio, topics in OVERLAPPING:
        if members <= most:
            draw = np.random.default_rng(members)
            halves = [
                np.sort(draw.choice(topics, topics // 2, replace=False)) for _ in range(members)
            ]
            yield from _states("random halves", members, members * ratio, halves, topics)


def _states(
    name: str, members: int, partitions: int, subscriptions: list[IntArray], topics: int
) -> Iterator[Case]:
    """A group that owns nothing yet, and one whose last member has just joined.

    Members take the subscriptions in turn; every topic has at least one partition, as many as any.
    """
    size = max(1, partitions // topics)
    fresh = Problem(
        member_ids=[f"member-{m:05d}" for m in range(members)],
        topics=[f"topic-{t:04d}" for t in range(topics)],
        topic_offsets=np.arange(topics + 1) * size,
        member_subscription=np.arange(members) % len(subscriptions),
        subscriptions=subscriptions,
        owner=np.full(topics * size, NOBODY),
    )
    yield Case(name, members, topics * size, topics, "fresh", fresh)
    before = replace(
        fresh,
        member_ids=fresh.member_ids[:-1],
        member_subscription=fresh.member_subscription[:-1],
    )
    joined = replace(fresh, owner=solve(before).target)
    yield Case(name, members, topics * size, topics, "one joins", joined)


def timed(case: Case) -> Row:
    """Measure one case."""
    problem = case.problem
    measures = measure(problem, solve(problem).target)
    group = case.group()
    return Row(
        subscriptions=case.subscriptions,
        members=case.members,
        partitions=case.partitions,
        topics=case.topics,
        state=case.state,
        # A copy has nothing computed yet.
        arrays_ms=best_ms(lambda: solve(replace(problem))),
        names_ms=best_ms(lambda: assign(group)),
        min_load=measures.min_load,
        max_load=measures.max_load,
        moves=measures.moves,
    )


def best_ms(call: Callable[[], object]) -> float:
    """The shortest of some runs, fewer if they are long."""
    best, spent, runs = float("inf"), 0.0, 0
    while runs < RUNS and spent < ENOUGH_SECONDS:
        start = time.perf_counter()
        call()
        took = time.perf_counter() - start
        best, spent, runs = min(best, took), spent + took, runs + 1
    return round(best * 1e3, 3)


def grid_options(description: str | None, has_quick: bool = True) -> argparse.Namespace:
    """The options of benchmarks of a grid: `json`, and `quick` where a grid has large groups."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    if has_quick:
        parser.add_argument(
            "--quick", action="store_true", help="groups of up to 1,000 members only"
        )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows to FILE as well")
    return parser.parse_args()


def main() -> None:
    options = grid_options(__doc__)
    print(
        f"{'subscriptions':13} {'members':>7} {'partitions':>10} {'topics':>6} {'state':9} "
        f"{'arrays ms':>10} {'names ms':>10} {'loads':>9} {'moves':>6}"
    )
    rows = []
    for case in cases(options.quick):
        row = timed(case)
        rows.append(asdict(row))
        print(
            f"{row.subscriptions:13} {row.members:7} {row.partitions:10} {row.topics:6} "
            f"{row.state:9} {row.arrays_ms:10.2f} {row.names_ms:10.2f} "
            f"{f'{row.min_load}-{row.max_load}':>9} {row.moves:6}",
            flush=True,
        )
    if options.json:
        machine = {"python": python_version(), "numpy": np.__version__, "cores": os.cpu_count()}
        options.json.write_text(json.dumps({"machine": machine, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
