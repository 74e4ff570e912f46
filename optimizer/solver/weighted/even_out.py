"""At the same highest load and moves: the rest is evened out, and hosts if goals name them."""

import numpy as np

from optimizer.model import Flags, Hosts, IntArray, Reals
from optimizer.solver.weighted.problem import Assignment, WeightedProblem, best_change

CHANGES = 4
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
    evening = _Evening(problem, target, level, free)
    done: set[int] = set()
    for _ in range(CHANGES * problem.members):
        levels = (evening.loads * evening.scale).tolist()
        highest = max(levels)
        giving = [member for member, held in enumerate(evening.held) if held and member not in done]
        if not giving or highest - min(levels) <= enough * highest:
            break
        top = max(giving, key=levels.__getitem__)
        if evening.lower(top):
            done.clear()
        else:
            done.add(top)
    return evening.target


class _Evening(Assignment):
    """An assignment while what is free is moved and swapped."""

    def __init__(
        self, problem: WeightedProblem, target: IntArray, level: int, free: IntArray
    ) -> None:
        super().__init__(problem, target)
        self.limits, self.free = problem.weights.limits(level), free
        self.scale = problem.weights.parts / problem.weights.capacity
        self.held = np.bincount(target[free], minlength=problem.members).tolist()
        self._weight = problem.weight[free]
        self._reads = problem.reads[problem.class_of[free]]
        # A move is a swap for nothing: columns are takers, and what is free with who has it.
        self._back = np.concatenate((np.zeros(problem.members, np.int64), self._weight))
        self._taker = np.concatenate((np.arange(problem.members), target[free]))

    def lower(self, top: int) -> bool:
        """Make the move or swap out of a member that gains most; whether there is one."""
        members, taker = self.problem.members, self._taker
        own = (taker[members:] == top).nonzero()[0]
        moved = self._weight[own][:, None] - self._back
        room = self.limits - self.loads
        fits = (moved <= room[taker]) & (moved >= -room[top]) & (taker != top)
        if not self.problem.all_read_all:
            fits &= self._reads[own][:, taker]
            fits[:, members:] &= self._reads[:, top]
        gain = np.where(fits, self._gain(top, taker, moved), 0.0)
        best, (p, q) = _largest(gain[:, :members])
        swap, (own_p, other) = _largest(gain[:, members:])
        swaps = swap > best
        # Reals can't tell less, and would go round in circles.
        if max(best, swap) <= 1e-9 * float(self.loads[top]) ** 2 * self.scale[top]:
            return False
        if swaps:
            p, q = own_p, members + other
        self._hand_over(int(own[p]), int(taker[q]))
        if swaps:
            self._hand_over(other, top)
        return True

    def _hand_over(self, at: int, member: int) -> None:
        column = self.problem.members + at
        self.held[self._taker[column]] -= 1
        self.held[member] += 1
        self._taker[column] = member
        self.give(int(self.free[at]), member)

    def _gain(self, top: int, taker: IntArray, moved: IntArray) -> Reals:
        """By how much Σ load² / capacity falls when so much goes from one member to others."""
        before, inputs = self.loads.astype(np.float64), moved.astype(np.float64)
        falls = inputs * (2 * before[top] - inputs) * self.scale[top]
        gain: Reals = falls - inputs * (2 * before[taker] + inputs) * self.scale[taker]
        return gain


def _largest(gain: Reals) -> tuple[float, tuple[int, int]]:
    """The largest of a table, and where it is."""
    p, q = divmod(int(gain.argmax()), gain.shape[1])
    return float(gain[p, q]), (p, q)


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
    for _ in range(CHANGES * problem.members):
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
        fall: Reals = falls - moved * (2 * on_hosts[taker] + moved) * scale[taker]
        return fall

    moving = np.where(fits, -gain(hosts.of_member, gives.astype(np.float64)), 0.0)
    swapped = gain(hosts.of_member[holder], difference.astype(np.float64))
    best = best_change(target, own, others, moving, np.where(swaps, -swapped, 0.0))
    # Reals can't tell less, and would go round in circles.
    if -best.value <= 1e-9 * float(on_hosts[top]) ** 2 * scale[top]:
        return False
    plan.make(best, int(target[best.gives]))
    return True
