"""What is left over finds room by exchanges of what moves anyhow."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from optimizer.model import NOBODY, IntArray
from optimizer.solver.weighted.moves.placing import LeastFull
from optimizer.solver.weighted.moves.refit import Refit
from optimizer.solver.weighted.problem import WeightedProblem
from tests.support.groups import problem


def refit(owner: list[int], target: IntArray) -> Refit:
    """Five partitions of 5, 4, 3, 3 and 3 units, and two members who take in 9 each."""
    weights = np.array([5.0, 4.0, 3.0, 3.0, 3.0])
    weighted = WeightedProblem.of(
        replace(problem([5], [[0], [0]], np.array(owner)), weights=weights)
    )
    limits = np.full(2, weighted.weight.sum() // 2 + 4)
    counts = np.bincount(target + 1, minlength=3)[1:]
    return Refit(
        weighted, target, LeastFull(weighted, weighted.weights.loads(target), counts), limits
    )


def test_room_that_lies_in_pieces_is_brought_together() -> None:
    target = np.array([0, 1, 1, 0, NOBODY])
    assert refit([NOBODY] * 5, target).taker(4) == 1
    assert target.tolist() == [0, 0, 1, 1, NOBODY]


def test_what_stays_with_its_owner_is_left_alone() -> None:
    target = np.array([0, 1, 1, 0, NOBODY])
    assert refit([0, 1, 1, 0, NOBODY], target).taker(4) is None
    assert target.tolist() == [0, 1, 1, 0, NOBODY]
