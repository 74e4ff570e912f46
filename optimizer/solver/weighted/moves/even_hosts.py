"""At the same highest load and moves: hosts get weights that are more even, if goals name them."""

import numpy as np

from optimizer.model import Flags, Hosts, IntArray, Reals
from optimizer.solver.weighted.moves.assignment import Assignment
from optimizer.solver.weighted.moves.even_out import MAX_PAIRS, STEPS
from optimizer.solver.weighted.problem import WeightedProblem, best_change


def hosts_evened_out(
    problem: WeightedProblem, target: IntArray, level: int, may: Flags, hosts: Hosts
) -> IntArray:
    """The plan with a lower Σ over hosts of weight² / capacity, no member above a level.

    `may` tells which partitions can go to another reader at no cost. The fullest host of those that
    have any gives first, by the move or swap that gains most. It is a search, and proves nothing.
    """
    free = (may & (target >= 0)).nonzero()[0]
    if not len(free) or len(free) * max(problem.members, len(free)) > MAX_PAIRS:
        return target
    plan, limits = Assignment(problem, target), problem.weights.limits(level)
    scale = 1.0 / np.bincount(hosts.of_member, problem.weights.capacity, hosts.total)
    done = np.zeros(hosts.total, np.bool_)
    for _ in range(STEPS * problem.members):
        if done.all():
            break
        loads = hosts.loads(plan.loads).astype(np.float64)
        top = int(np.where(done, -1.0, loads * scale).argmax())
        if _lower(plan, limits, free, top, hosts, loads, scale):
            done[:] = False
        else:
            done[top] = True
    return plan.target


def _lower(
    plan: Assignment,
    limits: IntArray,
    free: IntArray,
    top: int,
    hosts: Hosts,
    on_hosts: Reals,
    scale: Reals,
) -> bool:
    """Make the move or swap out of a host that gains most; whether there is one."""
    problem, target, loads = plan.problem, plan.target, plan.loads
    is_own = hosts.of_member[target[free]] == top
    own, others = free[is_own], free[~is_own]
    if not len(own):
        return False
    giver, holder = target[own][:, None], target[others]
    gives = problem.weight[own][:, None]
    fits = problem.reads[problem.class_of[own]] & (loads + gives <= limits)
    fits &= hosts.of_member != top
    difference = gives - problem.weight[others]
    swaps = problem.reads[problem.class_of[own]][:, holder]
    swaps &= problem.reads[problem.class_of[others]][:, target[own]].T
    swaps &= loads[holder] + difference <= limits[holder]
    swaps &= loads[giver] - difference <= limits[giver]

    def gain(taker: IntArray, moved: IntArray) -> Reals:
        falls = moved * (2 * on_hosts[top] - moved) * scale[top]
        result: Reals = falls - moved * (2 * on_hosts[taker] + moved) * scale[taker]
        return result

    moving = np.where(fits, -gain(hosts.of_member, gives.astype(np.float64)), 0.0)
    swapped = gain(hosts.of_member[holder], difference.astype(np.float64))
    best = best_change(target, own, others, moving, np.where(swaps, -swapped, 0.0))
    # Reals can't tell less, and would go round in circles.
    if -best.value <= 1e-9 * float(on_hosts[top]) ** 2 * scale[top]:
        return False
    plan.make(best, int(target[best.gives]))
    return True
