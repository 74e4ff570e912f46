"""Times `optimal` with the spread of topics as a level of the goals, solved and proven.

    python tests/bench/spread_grid.py
    python tests/bench/spread_grid.py --json spread_grid.json

Each group is timed on arrays, the best of some runs, three ways: as it is planned without looking
for the spread, with spread after moves, and with spread before moves; and the proof of the latter
two. Owners are as `range` left them when a member has just joined, or drawn at random.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

from assign_grid import best_ms, grid_options  # noqa: E402

from optimizer import STRATEGIES, Goals  # noqa: E402
from optimizer.checker import check_assignment  # noqa: E402
from optimizer.model import NOBODY, Problem, spread as when_spread_counts, spread_of  # noqa: E402
from optimizer.solver import solve  # noqa: E402

SIZES = ((10, 20, 200), (10, 5, 100), (50, 20, 1_000), (200, 50, 5_000), (400, 50, 20_000))
"""Members, topics and partitions; the last have as many subscriptions as are looked at."""

ORDERS = {"after": ("moves", "spread"), "before": ("spread", "moves")}


@dataclass(frozen=True)
class Case:
    """A group; `state` tells who owned what."""

    subscriptions: str
    members: int
    topics: int
    partitions: int
    state: str
    problem: Problem


def cases() -> Iterator[Case]:
    """Groups in which all read all topics, and in which each reads a random half of them."""
    for members, topics, partitions in SIZES:
        draw = np.random.default_rng(members)
        halves = [np.sort(draw.choice(topics, topics // 2, replace=False)) for _ in range(members)]
        for name, subscriptions in (("one for all", [np.arange(topics)]), ("halves", halves)):
            nobody = Problem(
                member_ids=[f"member-{m:05d}" for m in range(members)],
                topics=[f"topic-{t:04d}" for t in range(topics)],
                topic_offsets=np.arange(topics + 1) * (partitions // topics),
                member_subscription=np.arange(members) % len(subscriptions),
                subscriptions=subscriptions,
                owner=np.full(partitions // topics * topics, NOBODY),
            )
            before = replace(
                nobody,
                member_ids=nobody.member_ids[:-1],
                member_subscription=nobody.member_subscription[:-1],
                subscriptions=subscriptions[: members - 1],
            )
            owners = {
                "one joins": STRATEGIES["range"].assign(before).target,
                "random": draw.integers(0, members, len(nobody.owner)),
            }
            for state, owner in owners.items():
                problem = replace(nobody, owner=owner)
                yield Case(name, members, topics, partitions, state, problem)


def measured(case: Case) -> dict[str, object]:
    """The case's row; times in milliseconds. A copy of a problem has nothing computed yet."""
    row: dict[str, object] = {
        name: value for name, value in vars(case).items() if name != "problem"
    }
    problem = case.problem
    row["without_ms"] = best_ms(lambda: solve(replace(problem)))
    row["without_spread"] = spread_of(problem, solve(problem).target)
    for name, order in ORDERS.items():
        goals = Goals(levels=order)
        target = solve(problem, goals).target
        verdict = check_assignment(problem, target, goals=goals)
        proof = verdict.certificate
        row |= {
            f"{name}_ms": best_ms(lambda goals=goals: solve(replace(problem), goals)),
            f"{name}_spread": spread_of(problem, target),
            f"{name}_optimal": verdict.spread_optimal,
            f"{name}_search_ms": best_ms(
                lambda goals=goals, target=target: check_assignment(problem, target, goals=goals)
            ),
            f"{name}_proof_ms": best_ms(
                lambda goals=goals, target=target, proof=proof: check_assignment(
                    problem, target, proof, goals
                )
            ),
        }
    return row


def main() -> None:
    options = grid_options(__doc__, has_quick=False)
    when_spread_counts.QUICK = 0  # so that what is timed without spread is without it
    print(
        f"{'subscriptions':13} {'members':>7} {'topics':>6} {'partitions':>10} {'state':9} "
        f"{'without':>8} {'after':>8} {'before':>8} {'search':>8} {'proof':>8} "
        f"{'spread without, after, before':>30}"
    )
    rows = []
    for case in cases():
        row = measured(case)
        rows.append(row)
        spread = "{without_spread}, {after_spread}, {before_spread}".format(**row)
        print(
            "{subscriptions:13} {members:7} {topics:6} {partitions:10} {state:9} "
            "{without_ms:8.2f} {after_ms:8.2f} {before_ms:8.2f} {after_search_ms:8.2f} "
            "{after_proof_ms:8.2f} ".format(**row)
            + f"{spread:>30}",
            flush=True,
        )
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
