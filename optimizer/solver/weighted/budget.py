"""The lowest level that so many moves reach, and what a plan gains by its moves."""

from __future__ import annotations

import numpy as np

from optimizer.model import IntArray
from optimizer.solver.weighted.placing import completed
from optimizer.solver.weighted.problem import WeightedProblem
from optimizer.solver.weighted.relieve import relieved
from optimizer.solver.weighted.undo_moves import undo_moves

STEPS = 16
"""So often the levels between which the lowest lies are halved."""


def within_budget(facts: WeightedProblem, low: int, budget: int) -> IntArray:
    """A plan of at most so many moves, as low as it can be found, and no lower than `low`.

    Where nothing moves, what has no owner is placed; everything above that level can be reached.
    """
    best = completed(facts, facts.owner)
    high = facts.level_of(best)
    if budget <= 0:
        return best
    for _ in range(STEPS):
        if high - low <= 1:
            break
        middle = (low + high) // 2
        indices = relieved(facts, middle)
        if indices is not None:
            indices = undo_moves(facts, indices, middle)
        if indices is not None and facts.moves_of(indices) <= budget:
            best, high = indices, facts.level_of(indices)
        else:
            low = middle
    return best


def gain_of(facts: WeightedProblem, found: IntArray, planned: IntArray) -> float:
    """Weight that a plan puts right, in partitions of a mean weight: see `Goals.min_gain`."""
    before, after = (
        np.sort(facts.weights.loads(target) / facts.weights.capacity) for target in (found, planned)
    )
    mean = float(facts.weight[facts.read].mean()) / float(facts.weights.capacity.mean())
    return float(np.abs(before - after).sum()) / 2 / mean if mean else 0.0
