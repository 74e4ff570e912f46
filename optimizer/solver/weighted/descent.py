"""Lower the highest load step by step: by moves, swaps, splits of two members, and chains."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from optimizer.model import Flags, IntArray, Reals
from optimizer.solver.weighted.problem import NOTHING, Assignment, WeightedProblem, best_change

WORK = 20_000_000
"""Exchanges that are examined in all; then the current plan is returned."""


class Top(NamedTuple):
    """The fullest member and its level, what it owns, what to exchange with, and the goal."""

    member: int
    level: float
    own: IntArray
    others: IntArray
    goal: int


class Descent(Assignment):
    """An assignment and its loads, while the highest is lowered.

    Levels are compared as real numbers, each of which is one product, so that they are the same
    everywhere; whole numbers decide whether a plan is any better at the end.
    """

    def __init__(self, problem: WeightedProblem, target: IntArray) -> None:
        super().__init__(problem, target)
        self.scale = problem.weights.parts / problem.weights.capacity
        self.everybody = np.arange(problem.members)
        self.work = 0

    @property
    def levels(self) -> Reals:
        return self.levels_at(self.loads, self.everybody)

    def levels_at(self, loads: IntArray, members: IntArray | int) -> Reals:
        """The levels of some members with some loads."""
        levels: Reals = loads * self.scale[members]
        return levels

    @property
    def is_spent(self) -> bool:
        return self.work >= WORK

    def run(self, goal: int, steps: Sequence[Step]) -> IntArray:
        """Lower the highest load to the goal, as long as anything lowers it and `WORK` lasts."""
        while not self.is_spent and self.lower(goal, steps):
            pass
        return self.target

    def lower(self, goal: int, steps: Sequence[Step]) -> bool:
        """Make the first step that lowers the fullest member, if it is above the goal.

        Whether one was made; it leaves all others below the level that this member had.
        """
        levels = self.levels
        top = int(levels.argmax()) if len(levels) else 0
        if not len(levels) or levels[top] <= goal:
            return False
        own = (self.target == top).nonzero()[0]
        if not len(own):
            return False
        others = self.problem.exchangeable(self.target, top, len(own), levels)
        self.work += len(own) * (len(others) + self.problem.members)
        fullest = Top(top, float(levels[top]), own, others, goal)
        return any(step(self, fullest) for step in steps)

    def may_move(self, own: IntArray) -> Flags:
        """Members (columns) that may have each partition."""
        may: Flags = self.problem.reads[self.problem.class_of[own]]
        return may

    def may_swap(self, top: Top) -> Flags:
        """Other partitions (columns) that may go for each of the fullest member's own."""
        return self.problem.may_swap(top.own, top.member, top.others, self.target[top.others])


Step = Callable[[Descent, Top], bool]
"""Tries to lower the fullest member; whether it did."""


FAR = np.iinfo(np.int64).max


class Transfer(NamedTuple):
    """A member gives a partition to another one, and gets one for it or NOTHING."""

    giver: int
    gives: int
    taker: int
    gets: int


def chain_moves(
    problem: WeightedProblem, target: IntArray, loads: IntArray, limits: IntArray, start: int
) -> list[Transfer] | None:
    """Transfers after which `start` and all whom they reach are within limits; None: none found.

    Each member on the way passes on at least what it can't keep, by moving a partition or by an
    exchange, and as little more as can be: a shortest path, by how much a member is given
    (Dijkstra 1959).
    """
    inputs = np.full(problem.members, FAR)
    inputs[start] = 0
    came: dict[int, Transfer] = {}
    done = np.zeros(problem.members, np.bool_)
    while True:
        at = int(np.where(done, FAR, inputs).argmin())
        if done[at] or inputs[at] == FAR:
            return None
        done[at] = True
        surplus = int(loads[at] + inputs[at] - limits[at])
        if surplus <= 0:
            return _path(came, at)
        for transfer, weight in _cheapest(problem, target, at, surplus, done, came.get(at)):
            if weight < inputs[transfer.taker]:
                inputs[transfer.taker] = weight
                came[transfer.taker] = transfer


def _path(came: dict[int, Transfer], end: int) -> list[Transfer]:
    path = []
    while end in came:
        path.append(came[end])
        end = came[end].giver
    return path


def _cheapest(
    problem: WeightedProblem,
    target: IntArray,
    giver: int,
    surplus: int,
    done: np.ndarray[tuple[int], np.dtype[np.bool_]],
    came: Transfer | None,
) -> list[tuple[Transfer, int]]:
    """For each member that isn't done, the transfer to it of the least weight that is enough."""
    weight, class_of, reads = problem.weight, problem.class_of, problem.reads
    own = (target == giver).nonzero()[0]
    own = own[weight[own] >= surplus]
    if came is not None:  # that one is gone by then
        own = own[own != came.gets]
    if not len(own):
        return []
    taken = (target >= 0) & ~done[target] & (class_of >= 0)
    others = (taken & reads[class_of, giver]).nonzero()[0]
    takers = (~done).nonzero()[0]
    holder = np.concatenate((takers, target[others]))
    back = np.concatenate((np.zeros(len(takers), np.int64), weight[others]))
    difference = weight[own][:, None] - back
    fits = (difference >= surplus) & reads[class_of[own]][:, holder]
    value = np.where(fits, difference, FAR)
    best = value.argmin(axis=0)
    least = value[best, np.arange(len(holder))]
    cheapest: dict[int, tuple[Transfer, int]] = {}
    for column in np.flatnonzero(least < FAR).tolist():
        taker, amount = int(holder[column]), int(least[column])
        if taker not in cheapest or amount < cheapest[taker][1]:
            gets = NOTHING if column < len(takers) else int(others[column - len(takers)])
            cheapest[taker] = Transfer(giver, int(own[best[column]]), taker, gets), amount
    return [*cheapest.values()]


MAX_PARTS = 20
"""Parts that are dealt again: a thousand sums from each half of them."""

HEAVY = 14
"""Partitions that are parts by themselves; lighter ones are put together."""


def best_split(
    problem: WeightedProblem, target: IntArray, first: int, second: int, level: float
) -> list[tuple[int, int]] | None:
    """The best split of two members' partitions; None if it gets neither below a level.

    All sums of half of them are met with all of the other half (Horowitz and Sahni, Journal of the
    ACM 21, 1974).
    """
    both = ((target == first) | (target == second)).nonzero()[0]
    reads = problem.reads[problem.class_of[both]]
    free = both[reads[:, first] & reads[:, second]]
    if len(free) < 2:
        return None
    free = free[np.argsort(-problem.weight[free], kind="stable")]
    part = _parts(len(free))
    parts, capacity = problem.weights.parts, problem.weights.capacity
    weight = np.bincount(part, problem.weight[free]).astype(np.int64)
    loads = np.bincount(target[both] == second, problem.weight[both], 2).astype(np.int64)
    of_free = np.bincount(target[free] == second, problem.weight[free], 2).astype(np.int64)
    fixed = (loads - of_free).tolist()
    total = int(weight.sum())
    scale = parts / int(capacity[first]), parts / int(capacity[second])
    # The sum for the first at which both are as full.
    ideal = ((fixed[1] + total) * scale[1] - fixed[0] * scale[0]) / (scale[0] + scale[1])
    half = len(weight) // 2
    low, high = _sums(weight[:half]), _sums(weight[half:])
    order = np.argsort(high, kind="stable")
    at = np.searchsorted(high[order], ideal - low)
    best, halves = level, None
    for shift in (-1, 0):
        near = order[np.clip(at + shift, 0, len(order) - 1)]
        sums = low + high[near]
        value = np.maximum((fixed[0] + sums) * scale[0], (fixed[1] + total - sums) * scale[1])
        number = int(value.argmin())
        if value[number] < best:
            best, halves = float(value[number]), (number, int(near[number]))
    if halves is None:
        return None
    bits = [halves[0] >> i & 1 for i in range(half)]
    bits += [halves[1] >> i & 1 for i in range(len(weight) - half)]
    inputs = zip(free.tolist(), part.tolist(), strict=True)
    return [(p, first if bits[of] else second) for p, of in inputs]


def _parts(count: int) -> IntArray:
    """The part of each partition, the heaviest first."""
    number = np.arange(count)
    if count <= MAX_PARTS:
        return number
    return np.where(number < HEAVY, number, HEAVY + (number - HEAVY) % (MAX_PARTS - HEAVY))


def _sums(weights: IntArray) -> IntArray:
    """The sum of each subset; bit i of its number tells whether it has the i-th."""
    sums = np.zeros(1, np.int64)
    for weight in weights.tolist():
        sums = np.concatenate((sums, sums + weight))
    return sums


MOST_MEMBERS = 200
"""In larger groups nothing is passed on over more than three."""

NEVER = np.inf

SPLIT = 10_000
"""Exchanges as which a split counts among those that are examined in all."""


def move_or_swap(descent: Descent, top: Top) -> bool:
    """Make the best move or swap out of the fullest member, if one is any better."""
    weight, holder, loads = descent.problem.weight, descent.target[top.others], descent.loads
    gives = weight[top.own][:, None]
    moved = np.maximum(
        descent.levels_at(loads[top.member] - gives, top.member),
        descent.levels_at(loads + gives, descent.everybody),
    )
    moved[~descent.may_move(top.own)] = NEVER
    moved[:, top.member] = NEVER
    difference = gives - weight[top.others]
    swapped = np.maximum(
        descent.levels_at(loads[top.member] - difference, top.member),
        descent.levels_at(loads[holder] + difference, holder),
    )
    swapped[~descent.may_swap(top)] = NEVER
    best = best_change(descent.target, top.own, top.others, moved, swapped)
    if not best.value < top.level:
        return False
    descent.make(best, top.member)
    return True


def split(descent: Descent, top: Top) -> bool:
    """Deal the partitions of the fullest member and another one again, as well as possible."""
    for other in np.argsort(descent.levels, kind="stable").tolist():
        if other == top.member:
            continue
        if descent.is_spent:
            break
        descent.work += SPLIT
        owners = best_split(descent.problem, descent.target, top.member, other, top.level)
        for p, member in owners or ():
            descent.give(p, member)
        if owners is not None:
            return True
    return False


def pass_on(descent: Descent, top: Top) -> bool:
    """Give a partition to a member that gives another one to a third."""
    problem, scale, own, others = descent.problem, descent.scale, top.own, top.others
    if not len(others) or problem.members < 3:
        return False
    weight, class_of, reads, loads = problem.weight, problem.class_of, problem.reads, descent.loads
    holder = descent.target[others]
    # The best third member for each: the least full that is neither of the two.
    third = (loads + weight[others][:, None]) * scale
    third[~reads[class_of[others]]] = NEVER
    third[:, top.member] = NEVER
    third[np.arange(len(others)), holder] = NEVER
    to = third.argmin(axis=1)
    difference = weight[own][:, None] - weight[others]
    value = np.maximum(
        (loads[holder] + difference) * scale[holder], third[np.arange(len(others)), to]
    )
    left = (loads[top.member] - weight[own]) * scale[top.member]
    value = np.maximum(value, left[:, None])
    value[~reads[class_of[own]][:, holder]] = NEVER
    p, q = divmod(int(value.argmin()), len(others))
    if not value[p, q] < top.level:
        return False
    descent.give(int(own[p]), int(holder[q]))
    descent.give(int(others[q]), int(to[q]))
    return True


def chain(descent: Descent, top: Top) -> bool:
    """Pass something on over any number of members: to the goal at once, or at least lower."""
    problem = descent.problem
    if problem.members > MOST_MEMBERS:
        return False
    for lower in (top.goal, (top.goal + int(top.level)) // 2, int(top.level) - 1):
        limits = problem.weights.limits(lower)
        caps = np.maximum(limits, descent.loads)
        caps[top.member] = limits[top.member]
        transfers = chain_moves(problem, descent.target, descent.loads, caps, top.member)
        for transfer in transfers or ():
            descent.give(transfer.gives, transfer.taker)
            if transfer.gets != NOTHING:
                descent.give(transfer.gets, transfer.giver)
        if transfers is not None:
            return True
    return False


STEPS: tuple[Step, ...] = (move_or_swap, split, pass_on, chain)
"""In the order in which they are tried."""
