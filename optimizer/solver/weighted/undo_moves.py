"""Undo moves that a plan doesn't need."""

from __future__ import annotations

import numpy as np

from optimizer.model import NOBODY, IntArray
from optimizer.solver.weighted.problem import WeightedProblem

MAX_PAIRS = 2_000_000
"""No more pairs of partitions are looked at together."""


def undo_moves(facts: WeightedProblem, target: IntArray, level: int) -> IntArray:
    """The same plan with fewer moves, nowhere above a level.

    The lightest go back to their owners first, then those for which their owner gives up one that
    isn't its own: to whoever had it, or to that one's owner.
    """
    indices = target.copy()
    limits = facts.weights.limits(level)
    loads = facts.weights.loads(indices)
    while _back_alone(facts, indices, loads, limits) or _exchanged(facts, indices, loads, limits):
        pass
    return indices


def _back_alone(
    facts: WeightedProblem, target: IntArray, loads: IntArray, limits: IntArray
) -> bool:
    moved = ((facts.owner != NOBODY) & (target != facts.owner)).nonzero()[0]
    any_back = False
    for p in moved[np.argsort(facts.weight[moved], kind="stable")].tolist():
        weight, owner = facts.weight[p], facts.owner[p]
        if loads[owner] + weight <= limits[owner]:
            loads[owner] += weight
            loads[target[p]] -= weight
            target[p] = owner
            any_back = True
    return any_back


def _exchanged(facts: WeightedProblem, target: IntArray, loads: IntArray, limits: IntArray) -> bool:
    """Exchange a moved partition for one that its owner has of others, if both then fit."""
    moved = ((facts.owner != NOBODY) & (target != facts.owner)).nonzero()[0]
    foreign = ((target >= 0) & (target != facts.owner)).nonzero()[0]
    if not len(moved) or len(moved) * len(foreign) > MAX_PAIRS:
        return False
    holder, owner = target[moved], facts.owner[moved]
    same = owner[:, None] == target[foreign]
    difference = facts.weight[moved][:, None] - facts.weight[foreign]
    room = limits - loads
    fits = same & (difference <= room[owner][:, None]) & (-difference <= room[holder][:, None])
    fits &= facts.reads[facts.class_of[foreign]][:, holder].T
    if not fits.any():
        return False
    # An exchange that brings both back is best.
    worth = fits + (fits & (facts.owner[foreign] == holder[:, None]))
    at = int(worth.argmax())
    p, q = int(moved[at // len(foreign)]), int(foreign[at % len(foreign)])
    mine, other = int(facts.owner[p]), int(target[p])
    gain = facts.weight[p] - facts.weight[q]
    loads[mine] += gain
    loads[other] -= gain
    target[p], target[q] = mine, other
    return True
