"""An assignment in numbers."""

from __future__ import annotations

import numpy as np

from optimizer import Group, Member, assign
from optimizer.model.measures import measure
from optimizer.model.problem import GONE, NOBODY
from tests.support.groups import problem


def test_moves_takeovers_and_new_partitions_are_told_apart() -> None:
    """Owners: m0 stays, m0 moves, m1 unsubscribed, gone, nobody, m0; the last has no reader."""
    group = problem([2, 3, 1], [[0, 1], [0], [1]], np.array([0, 0, 1, GONE, NOBODY, 0]))
    measures = measure(group, np.array([0, 1, 2, 2, 0, NOBODY]))
    assert measures._asdict() == {
        "partitions": 5,
        "max_load": 2,
        "min_load": 1,
        "sum_squares": 9,
        "moves": 1,
        "takeovers": 2,
        "spread": 7,
        "max_host_load": None,
    }


def test_partition_that_nobody_reads_any_more_is_neither_move_nor_takeover() -> None:
    group = problem([1], [[]], np.array([0]))
    measures = measure(group, np.array([NOBODY]))
    assert (measures.partitions, measures.moves, measures.takeovers) == (0, 0, 0)


def test_group_without_members_has_no_load() -> None:
    measures = measure(problem([2], [], np.array([GONE, NOBODY])), np.full(2, NOBODY))
    assert measures == (0, 0, 0, 0, 0, 0, 0, None)


def test_unowned_partitions_of_a_group_that_owns_something_were_left_behind() -> None:
    group = Group({"t": 3}, [Member("A", ["t"], owned=[("t", 0)]), Member("B", ["t"])])
    assert (assign(group).moves, assign(group).takeovers) == (0, 2)


def test_everything_is_new_in_a_group_that_owns_nothing() -> None:
    group = Group({"t": 3}, [Member("A", ["t"]), Member("B", ["t"])])
    assert (assign(group).moves, assign(group).takeovers) == (0, 0)


def test_plan_proves_itself_and_its_certificate_is_enough() -> None:
    group = Group(
        {"t": 3, "u": 2},
        [Member("A", ["t"], owned=[("t", p) for p in range(3)]), Member("B", ["t", "u"])],
    )
    plan = assign(group)
    verdict = plan.check()
    assert (verdict.balance_optimal, verdict.moves_optimal) == (True, True)
    assert verdict.spread_optimal
    assert plan.spread == 3 * 3 + 2 * 2, "A has all of t, and B of u: nothing moves"
    assert plan.check(verdict.certificate) == verdict
    assert assign(group, "roundrobin").check().certificate is None
