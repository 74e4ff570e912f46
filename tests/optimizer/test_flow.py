"""The networks: shares at one level, and the cut where there are none."""

import numpy as np

from optimizer.flow import classes_above, fewest_moves
from optimizer.shares import Demand, demand_of
from tests.optimizer.groups import problem


def demand(sizes: list[int], topics_of: list[list[int]], owner: list[int]) -> Demand:
    return demand_of(problem(sizes, topics_of, np.array(owner)))


def test_shares_keep_the_most_that_the_level_allows() -> None:
    """Pairs are (0, m0), (0, m1), (1, m1): m0 keeps two of its three, m1 all that it owns."""
    group = demand([4, 1], [[0], [0, 1]], [0, 0, 0, 1, 1])
    assert fewest_moves(group, 2).tolist() == [3, 1, 1]
    assert fewest_moves(group, 1) is None


def test_no_shares_where_a_member_can_not_reach_the_level() -> None:
    assert fewest_moves(demand([5, 1], [[0], [0, 1], [1]], [-1] * 6), 2) is None
    assert fewest_moves(demand([6, 0], [[0, 1], [1]], [-1] * 6), 2) is None


def test_classes_above_a_level_are_those_that_overfill_their_members() -> None:
    group = demand([9, 1, 1], [[0], [0, 1], [1, 2], [2]], [-1] * 11)
    assert classes_above(group, 5).tolist() == [False, False, False]
    assert classes_above(group, 4).tolist() == [True, False, False]
    assert classes_above(group, 0).tolist() == [True, True, True]
