"""The networks: shares at one level, and the cut where there are none."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from optimizer.model import IntArray
from optimizer.solver.demand import Demand
from optimizer.solver.layers import Bounds, Caps
from optimizer.solver.network import cannot_be_placed, cheapest_shares
from tests.support.groups import demand as demand_of, problem


def demand(sizes: list[int], topics_of: list[list[int]], owner: list[int]) -> Demand:
    return demand_of(problem(sizes, topics_of, np.array(owner)))


def within_one(group: Demand, base: int, levels: list[str]) -> IntArray | None:
    bounds = Bounds(base, np.full(group.member_count, base + 1))
    return cheapest_shares(group, bounds, levels)


def kinds_above(group: Demand, level: int) -> NDArray[np.bool_]:
    return cannot_be_placed(group, Caps(np.full(group.member_count, level)))[0]


def test_shares_keep_the_most_that_the_level_allows() -> None:
    """Pairs are (0, m0), (0, m1), (1, m1): m0 keeps two of its three, m1 all that it owns."""
    group = demand([4, 1], [[0], [0, 1]], [0, 0, 0, 1, 1])
    assert within_one(group, 2, ["moves"]).tolist() == [3, 1, 1]
    assert within_one(group, 1, ["moves"]) is None


def test_no_shares_where_a_member_can_not_reach_the_level() -> None:
    assert within_one(demand([5, 1], [[0], [0, 1], [1]], [-1] * 6), 2, ["moves"]) is None
    assert within_one(demand([6, 0], [[0, 1], [1]], [-1] * 6), 2, ["moves"]) is None


def test_sorts_above_a_level_are_those_that_overfill_their_members() -> None:
    group = demand([9, 1, 1], [[0], [0, 1], [1, 2], [2]], [-1] * 11)
    assert kinds_above(group, 5).tolist() == [False, False, False]
    assert kinds_above(group, 4).tolist() == [True, False, False]
    assert kinds_above(group, 0).tolist() == [True, True, True]
