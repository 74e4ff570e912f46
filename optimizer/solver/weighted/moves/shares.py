"""Weights shared out by a flow at the level of the bound, and partitions dealt to the shares."""

from __future__ import annotations

import numpy as np

from optimizer.flow import taken_in
from optimizer.model import IntArray
from optimizer.solver.weighted.problem import WeightedProblem


def by_shares(facts: WeightedProblem, level: int) -> IntArray:
    """An assignment in which members have about what a flow gives them of each class.

    Cut into pieces, all partitions fit in at the level of the bound: so much of each class is a
    member's share. The heaviest partitions are dealt first, each to the member whose share of its
    class is the largest still. Other ways to start can't see that a member has to be left to those
    whom no other reads.
    """
    limits = facts.weights.limits(level)
    of_class, of_member = facts.reads.nonzero()
    flow = taken_in(facts.class_weight, limits, of_class, of_member)
    share = np.full(facts.reads.shape, np.iinfo(np.int64).min // 2)
    share[of_class, of_member] = flow.along(0)
    left = limits.copy()
    target = np.full(len(facts.class_of), -1)
    selection = facts.read
    for p, c, weight in zip(
        selection.tolist(),
        facts.class_of[selection].tolist(),
        facts.weight[selection].tolist(),
        strict=True,
    ):
        room = np.minimum(share[c], left)
        member = int(room.argmax())
        target[p] = member
        share[c, member] -= weight
        left[member] -= weight
    return target
