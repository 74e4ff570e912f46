"""Below the highest load: what costs nothing evens out the rest."""

import numpy as np

from optimizer.model import Flags, IntArray, Reals
from optimizer.solver.weighted.moves.assignment import Assignment
from optimizer.solver.weighted.problem import WeightedProblem, best_change

STEPS = 4
"""Changes for each member, at most."""

MAX_PAIRS = 200_000
"""In groups of more pairs of a partition and a member nothing is evened out."""


def evened_out(
    problem: WeightedProblem, target: IntArray, level: int, may: Flags, enough: float
) -> IntArray:
    """The plan with a lower Σ load² / capacity, nowhere above a level.

    `may` tells which partitions can go to another reader at no cost. The fullest member of those
    that have any goes first; what differs by less than `enough` of the highest load is even.
    """
    free = (may & (target >= 0)).nonzero()[0]
    if not len(free) or len(free) * problem.members > MAX_PAIRS:
        return target
    plan, limits = Assignment(problem, target), problem.weights.limits(level)
    scale = problem.weights.parts / problem.weights.capacity
    done = np.zeros(problem.members, np.bool_)
    for _ in range(STEPS * problem.members):
        levels = plan.loads * scale
        if done.all() or levels.max() - levels.min() <= enough * levels.max():
            break
        top = int(np.where(done, -1.0, levels).argmax())
        if _lower(plan, limits, free, top, scale):
            done[:] = False
        else:
            done[top] = True
    return plan.target


def _lower(plan: Assignment, limits: IntArray, free: IntArray, top: int, scale: Reals) -> bool:
    """Make the move or swap out of a member that gains most; whether there is one."""
    problem, target, loads = plan.problem, plan.target, plan.loads
    own, others = free[target[free] == top], free[target[free] != top]
    if not len(own):
        return False
    gives = problem.weight[own][:, None]
    moving = _gain(loads, scale, top, np.arange(problem.members), gives)
    fits = problem.reads[problem.class_of[own]] & (loads + gives <= limits)
    fits[:, top] = False
    holder, difference = target[others], gives - problem.weight[others]
    swapping = _gain(loads, scale, top, holder, difference)
    swaps = problem.may_swap(own, top, others, holder)
    swaps &= loads[holder] + difference <= limits[holder]
    swaps &= loads[top] - difference <= limits[top]
    moving, swapping = np.where(fits, -moving, 0.0), np.where(swaps, -swapping, 0.0)
    best = best_change(target, own, others, moving, swapping)
    # Reals can't tell less, and would go round in circles.
    if -best.value <= 1e-9 * float(loads[top]) ** 2 * scale[top]:
        return False
    plan.make(best, top)
    return True


def _gain(loads: IntArray, scale: Reals, top: int, taker: IntArray, moved: IntArray) -> Reals:
    """By how much Σ load² / capacity falls when so much goes from one member to others."""
    before = loads.astype(np.float64)
    inputs = moved.astype(np.float64)
    falls = inputs * (2 * before[top] - inputs) * scale[top]
    rises = inputs * (2 * before[taker] + inputs) * scale[taker]
    result: Reals = falls - rises
    return result
