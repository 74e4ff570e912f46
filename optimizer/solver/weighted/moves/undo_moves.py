"""Undo moves that a plan doesn't need."""

import numpy as np

from optimizer.model import NOBODY, IntArray
from optimizer.solver.weighted.moves.assignment import Assignment
from optimizer.solver.weighted.problem import WeightedProblem

MAX_PAIRS = 2_000_000
"""No more pairs of partitions are examined together."""


def undo_moves(problem: WeightedProblem, target: IntArray, level: int) -> IntArray:
    """The same plan with fewer moves, nowhere above a level.

    The lightest go back to their owners first, then those for which their owner gives up one that
    isn't its own: to whoever had it, or to that one's owner.
    """
    plan, limits = Assignment(problem, target), problem.weights.limits(level)
    while _back_alone(plan, limits) or _exchanged(plan, limits):
        pass
    return plan.target


def _moved(plan: Assignment) -> IntArray:
    """What isn't with its owner."""
    owner = plan.problem.owner
    moved: IntArray = ((owner != NOBODY) & (plan.target != owner)).nonzero()[0]
    return moved


def _back_alone(plan: Assignment, limits: IntArray) -> bool:
    weight, owners, any_back = plan.problem.weight, plan.problem.owner, False
    moved = _moved(plan)
    for p in moved[np.argsort(weight[moved], kind="stable")].tolist():
        owner = owners[p]
        if plan.loads[owner] + weight[p] <= limits[owner]:
            plan.give(p, owner)
            any_back = True
    return any_back


def _exchanged(plan: Assignment, limits: IntArray) -> bool:
    """Exchange a moved partition for one that its owner has of others, if both then fit."""
    problem, target, moved = plan.problem, plan.target, _moved(plan)
    foreign = ((target >= 0) & (target != problem.owner)).nonzero()[0]
    if not len(moved) or len(moved) * len(foreign) > MAX_PAIRS:
        return False
    holder, owner = target[moved], problem.owner[moved]
    same = owner[:, None] == target[foreign]
    difference = problem.weight[moved][:, None] - problem.weight[foreign]
    room = limits - plan.loads
    fits = same & (difference <= room[owner][:, None]) & (-difference <= room[holder][:, None])
    fits &= problem.reads[problem.class_of[foreign]][:, holder].T
    if not fits.any():
        return False
    # An exchange that brings both back is best.
    worth = fits + (fits & (problem.owner[foreign] == holder[:, None]))
    p, q = divmod(int(worth.argmax()), len(foreign))
    back, other = int(moved[p]), int(target[moved[p]])
    plan.give(back, int(problem.owner[back]))
    plan.give(int(foreign[q]), other)
    return True
