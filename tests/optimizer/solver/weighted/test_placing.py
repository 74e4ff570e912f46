"""The least full reader, by a heap or by a look at all, and exchanges of what moves anyhow."""

from dataclasses import replace

import numpy as np
import pytest

from optimizer.model import NOBODY, IntArray
from optimizer.solver.weighted.placing import LeastFull
from optimizer.solver.weighted.problem import WeightedProblem
from optimizer.solver.weighted.relieve import Refit
from tests.support.groups import problem


def all_readers(seed: int) -> WeightedProblem:
    """30 members: all read a topic of 60 partitions, 20 of them another of 40."""
    weights = np.random.default_rng(seed).integers(1, 9, 100).astype(float)
    group = problem([60, 40], [[0]] * 10 + [[0, 1]] * 20, np.full(100, NOBODY))
    return WeightedProblem.of(replace(group, weights=weights))


@pytest.mark.parametrize("seed", range(5))
def test_a_heap_finds_whom_a_look_at_all_finds(seed: int) -> None:
    weighted, many = all_readers(seed), all_readers(seed)
    assert weighted.are_few == [True, True]
    vars(many)["are_few"] = [False, False]
    draws, nothing = np.random.default_rng(seed), np.full(100, NOBODY)
    by_heap, by_look = LeastFull(weighted, nothing), LeastFull(many, nothing)
    unit = int(weighted.weight.min())
    for _ in range(2000):
        c, weight = int(draws.integers(2)), int(draws.integers(1, 9)) * unit
        level, member = by_heap.reader(c, weight)
        assert (level, member) == by_look.reader(c, weight)
        what, other = draws.random(), int(draws.integers(30))
        for each in (by_look, by_heap):
            if what < 0.6 or not each.counts[other]:
                each.give(member, weight)
            elif what < 0.8:
                each.take(other, min(weight, int(each.loads[other])))
            else:
                each.shift(other, member, min(weight, int(each.loads[other])))


def refit(owner: list[int], target: IntArray) -> Refit:
    """Five partitions of 5, 4, 3, 3 and 3 units, and two members who take in 9 each."""
    weights = np.array([5.0, 4.0, 3.0, 3.0, 3.0])
    weighted = WeightedProblem.of(
        replace(problem([5], [[0], [0]], np.array(owner)), weights=weights)
    )
    limits = np.full(2, weighted.weight.sum() // 2 + 4)
    return Refit(weighted, target, LeastFull(weighted, target), limits)


def test_room_that_lies_in_pieces_is_brought_together() -> None:
    target = np.array([0, 1, 1, 0, NOBODY])
    assert refit([NOBODY] * 5, target).taker(4) == 1
    assert target.tolist() == [0, 0, 1, 1, NOBODY]


def test_what_stays_with_its_owner_is_left_alone() -> None:
    target = np.array([0, 1, 1, 0, NOBODY])
    assert refit([0, 1, 1, 0, NOBODY], target).taker(4) is None
    assert target.tolist() == [0, 1, 1, 0, NOBODY]
