"""Changes by which a plan from scratch, or its bound, gets better, until it is good enough.

At the same highest load and moves the rest is evened out, and hosts if goals name them.
"""

import random
from collections.abc import Callable
from zlib import crc32

import numpy as np

from optimizer.flow import taken_in
from optimizer.model import Flags, HostNumbers, IntArray, Reals
from optimizer.solver.weighted.descent import STEPS, Descent
from optimizer.solver.weighted.placing import longest_first
from optimizer.solver.weighted.problem import Assignment, WeightedProblem, best_change, without_tiny
from optimizer.solver.weighted.search import Search

MAX_PARTITIONS = 3_000
"""Groups of more partitions, or with that many times the partitions a member, aren't perturbed."""


def best_of_perturbations(
    problem: WeightedProblem, target: IntArray, perturbations: int, goal: int
) -> IntArray:
    """The best plan of a descent from here and after each perturbation.

    Two to five members, the fullest among them, have their partitions dealt again, in about the
    order of their weights. The random numbers depend on the weights alone.
    """
    if len(problem.read) > MAX_PARTITIONS or problem.members < 2:
        return target
    draw = random.Random(crc32(problem.weight.tobytes()))
    best, worth = target, _worth(problem, target)
    for _ in range(perturbations * problem.members):
        if worth[0] <= goal:
            break
        plan = Descent(problem, _deal_again(problem, best, draw)).run(goal, STEPS)
        its_worth = _worth(problem, plan)
        if its_worth <= worth:
            best, worth = plan, its_worth
    return best


def _worth(problem: WeightedProblem, target: IntArray) -> tuple[int, float]:
    loads = problem.weights.loads(target)
    levels = problem.weights.levels(loads)
    squares = loads.astype(np.float64) ** 2 / problem.weights.capacity
    return int(levels.max(initial=0)), sum(squares.tolist())


def _deal_again(problem: WeightedProblem, target: IntArray, draw: random.Random) -> IntArray:
    indices = target.copy()
    loads = problem.weights.loads(target)
    top = int(problem.weights.levels(loads).argmax())
    hands = [top]
    for _ in range(min(1 + int(4 * draw.random()), problem.members - 1)):
        other = int(problem.members * draw.random())
        if other not in hands:
            hands.append(other)
    dealt = np.isin(target, hands).nonzero()[0].tolist()
    weights = dict(zip(dealt, problem.weight[dealt].tolist(), strict=True))
    dealt.sort(key=lambda p: -weights[p] * (0.6 + 0.8 * draw.random()))
    scale = (problem.weights.parts / problem.weights.capacity[hands]).tolist()
    held = [0] * len(hands)
    reads = problem.reads[:, hands].tolist()
    classes = dict(zip(dealt, problem.class_of[dealt].tolist(), strict=True))
    for p in dealt:
        weight, may = weights[p], reads[classes[p]]
        at = min(
            (k for k in range(len(hands)) if may[k]),
            key=lambda k: (held[k] + weight) * scale[k],
        )
        held[at] += weight
        indices[p] = hands[at]
    return indices


ROUNDS = 4
"""So often the rest is evened out where the highest load is stuck."""


class Attempt:
    """Plans of a search: the best one, and one where it is stuck."""

    def __init__(self, search: Search) -> None:
        self.search, self.fitting = search, search.problem
        self.best = self.stuck = longest_first(search.problem)
        search.offer(self.best)

    def run(self) -> IntArray:
        """The best plan that the improvements find, one after the other, until it is good."""
        for improve in IMPROVEMENTS:
            if self.search.is_good(self.best):
                break
            improve(self)
        return self.best

    def offer(self, plan: IntArray) -> None:
        """Take a plan if it is better than the best."""
        self.best = min((self.best, plan), key=self.search.problem.level_of)


def ask_sets(attempt: Attempt) -> None:
    """Look for a better bound by sets of members."""
    attempt.search.better_bound()


def ask_prices(attempt: Attempt) -> None:
    """Look for a better bound by prices."""
    attempt.search.better_prices(attempt.best)


def lower(attempt: Attempt) -> None:
    """Lower the highest load of the best plan."""
    attempt.best = _lower_highest(attempt.search.problem, attempt.best, attempt.search)


def begin_with_shares(attempt: Attempt) -> None:
    """Begin once more, from what a flow gives each member."""
    search = attempt.search
    attempt.fitting = without_tiny(search.problem, search.goal)
    plan = by_shares(attempt.fitting, search.bound.level)
    plan = _lower_highest(attempt.fitting, plan, search)
    attempt.offer(plan)
    attempt.stuck = plan if search.problem.has_tiers else attempt.best


def perturb(attempt: Attempt) -> None:
    """Deal some members' partitions again where the search is stuck."""
    search = attempt.search
    number = search.effort.perturbations
    attempt.offer(best_of_perturbations(attempt.fitting, attempt.stuck, number, search.goal))


IMPROVEMENTS: tuple[Callable[[Attempt], None], ...] = (
    *(ask_sets, lower, begin_with_shares),
    *(ask_prices, perturb, ask_prices),
)


def _lower_highest(problem: WeightedProblem, target: IntArray, search: Search) -> IntArray:
    """The plan with its highest load lowered; where that is stuck, the others are evened out.

    Who is in the way of an exchange then often has room for it.
    """
    everything = np.ones(len(target), np.bool_)
    descent = Descent(problem, target)
    best = search.run_descent(descent, search.goal, STEPS)
    for _ in range(ROUNDS):
        level = problem.level_of(best)
        if level <= search.goal or descent.is_spent:
            break
        even = evened_out(problem, best, level, everything, search.effort.enough)
        descent = Descent(problem, even)
        descended = search.run_descent(descent, search.goal, STEPS)
        if problem.level_of(descended) >= level:
            break
        best = descended
    return best


def by_shares(problem: WeightedProblem, level: int) -> IntArray:
    """An assignment in which members have about what a flow gives them of each class.

    Cut into pieces, all partitions fit in at the level of the bound: so much of each class is a
    member's share. The heaviest partitions are dealt first, each to the member whose share of its
    class is the largest still. Other ways to start can't see that a member has to be left to those
    whom no other reads.
    """
    limits = problem.weights.limits(level)
    of_class, of_member = problem.reads.nonzero()
    flow = taken_in(problem.class_weight, limits, of_class, of_member)
    share = np.full(problem.reads.shape, np.iinfo(np.int64).min // 2)
    share[of_class, of_member] = flow.along(0)
    left = limits.copy()
    target = np.full(len(problem.class_of), -1)
    read = problem.read
    for p, c, weight in zip(
        read.tolist(),
        problem.class_of[read].tolist(),
        problem.weight[read].tolist(),
        strict=True,
    ):
        room = np.minimum(share[c], left)
        member = int(room.argmax())
        target[p] = member
        share[c, member] -= weight
        left[member] -= weight
    return target


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
    problem: WeightedProblem, target: IntArray, level: int, may: Flags, hosts: HostNumbers
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
    hosts: HostNumbers,
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
