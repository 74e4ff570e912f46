"""Plans by weight where limits cap the partitions or the weight of members."""

from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from optimizer.model import (
    DEFAULT_GOALS,
    Flags,
    Goals,
    IntArray,
    LimitsError,
    Problem,
    Reals,
    limits_of,
)
from optimizer.solver.solve import solve
from optimizer.solver.weighted.descent import NEVER, Descent, Top, move_or_swap
from optimizer.solver.weighted.problem import WeightedProblem

BEYOND = 1e6
"""Factor by which weight above a member's limit counts."""


class Caps(NamedTuple):
    """The most partitions of each member, the most of each topic, and what they may weigh."""

    most: IntArray
    most_of_topic: IntArray
    most_weight: IntArray


def caps_of(problem: Problem, goals: Goals) -> Caps | None:
    """Caps of members; None where nothing is capped."""
    limits = limits_of(problem, goals.limits)
    of_limits = () if limits is None else limits[2:5]
    if limits is None or all(caps is None for caps in of_limits):
        return None
    everything = problem.partition_count, 1 << 50
    ends = len(problem.member_ids), len(problem.topics), len(problem.member_ids)
    return Caps(
        *(
            np.full(count, everything[at == 2]) if caps is None else caps
            for at, (count, caps) in enumerate(zip(ends, of_limits, strict=True))
        )
    )


class CappedDescent(Descent):
    """A descent by moves and swaps that leave everybody with what it may have."""

    def __init__(
        self, problem: Problem, weighted: WeightedProblem, caps: Caps, target: IntArray
    ) -> None:
        super().__init__(weighted, target)
        self.caps, self.topic_of = caps, problem.topic_of
        placed = target >= 0
        self.counts = np.bincount(target[placed], minlength=weighted.members)
        self.held = np.zeros((len(problem.topics), weighted.members), np.int64)
        np.add.at(self.held, (self.topic_of[placed], target[placed]), 1)

    def levels_at(self, loads: IntArray, members: IntArray | int) -> Reals:
        """Levels at which a member that weighs more than it may is fullest."""
        beyond = np.maximum(loads - self.caps.most_weight[members], 0)
        scale = self.scale[members]
        levels: Reals = loads * scale + BEYOND * beyond * scale
        return levels

    def may_move(self, own: IntArray) -> Flags:
        may = super().may_move(own) & self._topic_room()[self.topic_of[own]]
        return may & (self.counts < self.caps.most)

    def may_swap(self, top: Top) -> Flags:
        """A swap within a topic needs no room there."""
        mine, theirs = self.topic_of[top.own], self.topic_of[top.others]
        room = self._topic_room()
        may: Flags = room[mine][:, self.target[top.others]] & room[theirs, top.member]
        may |= mine[:, None] == theirs
        may &= super().may_swap(top)
        return may

    def _topic_room(self) -> Flags:
        """Whether one more of a topic (row) is allowed to a member (column)."""
        room: Flags = self.held < self.caps.most_of_topic[:, None]
        return room

    def fit(self, level: int) -> bool:
        """Take the lightest from who has too many, first what moves anyhow; whether all fit then.

        Nobody is filled above the level.
        """
        problem, caps = self.problem, self.caps
        limits = np.minimum(problem.weights.limits(level), caps.most_weight)
        too_many = (self.counts > caps.most) | (self.held > caps.most_of_topic[:, None])
        here = (self.target >= 0).nonzero()[0]
        here = here[too_many[self.topic_of[here], self.target[here]]]
        stays = self.target[here] == problem.owner[here]
        for p in here[np.lexsort((problem.weight[here], stays))].tolist():
            member, topic = int(self.target[p]), int(self.topic_of[p])
            has_too_many = self.counts[member] > caps.most[member]
            if not has_too_many and self.held[topic, member] <= caps.most_of_topic[topic]:
                continue
            may = problem.reads[problem.class_of[p]] & (self.counts < caps.most)
            may &= self.held[topic] < caps.most_of_topic[topic]
            may &= self.loads + problem.weight[p] <= limits
            if may.any():
                self.give(p, int(np.where(may, self.loads * self.scale, NEVER).argmin()))
        return self.fits

    @property
    def fits(self) -> bool:
        """Whether nobody has more than it may."""
        caps = self.caps
        fits = (self.counts <= caps.most).all() and (self.loads <= caps.most_weight).all()
        return bool(fits and (self.held <= caps.most_of_topic[:, None]).all())

    def give(self, p: int, member: int) -> None:
        before, topic = int(self.target[p]), int(self.topic_of[p])
        super().give(p, member)
        self.counts[before] -= 1
        self.counts[member] += 1
        self.held[topic, before] -= 1
        self.held[topic, member] += 1


class CappedSearch:
    """Plans of a group within caps, from those of its counts: with the fewest moves, and even."""

    def __init__(
        self, problem: Problem, goals: Goals, weighted: WeightedProblem, caps: Caps
    ) -> None:
        self._problem, self._weighted, self._caps = problem, weighted, caps
        self._met: list[IntArray] = []
        self._by_count = replace(DEFAULT_GOALS, **goals.limits._replace(max_weight=())._asdict())

    @cached_property
    def nearest_plan(self) -> IntArray:
        """The plan of the fewest moves within the counts."""
        return solve(self._problem, replace(self._by_count, max_moves=0)).target

    @cached_property
    def fitting_plan(self) -> IntArray:
        """The plan lowered until nobody weighs more than it may, where that is found."""
        descent = CappedDescent(self._problem, self._weighted, self._caps, self.nearest_plan)
        while not (descent.fits or descent.is_spent) and descent.lower(0, (move_or_swap,)):
            pass
        return descent.target

    def fits(self, plan: IntArray) -> bool:
        """Whether nobody has more in it than it may."""
        return CappedDescent(self._problem, self._weighted, self._caps, plan).fits

    @cached_property
    def _even(self) -> IntArray:
        return solve(self._problem, self._by_count).target

    def fit(self, target: IntArray, level: int, tolerance: float) -> IntArray | None:
        """The plan made to fit into the caps, where that is within a tolerance; None if not."""
        descent = CappedDescent(self._problem, self._weighted, self._caps, target)
        return descent.target if descent.fit(level + int(level * tolerance)) else None

    def lowest_plan(self, goal: int, tolerance: int, budget: int | None) -> IntArray:
        """A plan no higher than the tolerance by few moves, or else the lowest that is found.

        Raises LimitsError where none is found in which nobody weighs more than it may.
        """
        indices = self._from(self.nearest_plan, tolerance, budget)
        if self._level(indices) > tolerance:
            plans = [indices, self._from(self.nearest_plan, goal, budget)]
            if budget is None:
                plans.append(self._from(self._even, goal, None))
            indices = min(
                plans, key=lambda plan: (self._level(plan), self._weighted.moves_of(plan))
            )
        loads = self._weighted.weights.loads(indices)
        if (loads > self._caps.most_weight).any():
            raise LimitsError(
                "no plan was found in which no member has more than max_weight allows; there may "
                "be one: allow more, or other members"
            )
        return indices

    def _level(self, target: IntArray) -> float:
        descent = CappedDescent(self._problem, self._weighted, self._caps, target)
        return float(descent.levels.max(initial=0.0))

    def _from(self, start: IntArray, goal: int, budget: int | None) -> IntArray:
        """The plan lowered to a goal, by no more moves than allowed."""
        descent = CappedDescent(self._problem, self._weighted, self._caps, start)
        before = start
        try:
            while not descent.is_spent and descent.lower(goal, (move_or_swap,)):
                if budget is not None and self._weighted.moves_of(descent.target) > budget:
                    return before
                before = descent.target.copy() if budget is not None else start
            return descent.target
        finally:
            self._met.append(descent.target if budget is None else before)

    def at_hand(self, min_gain: float) -> IntArray | None:
        """The lowest plan within all caps that was met and is worth its moves; None if none was."""
        fewest = self._weighted.moves_of(self.fitting_plan)
        plans = [
            (self._level(plan), moves, plan)
            for plan in (self.fitting_plan, *self._met)
            if self.fits(plan)
            and (
                (moves := self._weighted.moves_of(plan)) <= fewest
                or gain_of(self._weighted, self.fitting_plan, plan) >= min_gain * moves
            )
        ]
        return min(plans, key=lambda plan: plan[:2])[2] if plans else None


def gain_of(problem: WeightedProblem, current: IntArray, planned: IntArray) -> float:
    """Weight that a plan puts right, in partitions of a mean weight: see `Goals.min_gain`."""
    before, after = (
        np.sort(problem.weights.loads(target) / problem.weights.capacity)
        for target in (current, planned)
    )
    mean = float(problem.weight[problem.read].mean()) / float(problem.weights.capacity.mean())
    return float(np.abs(before - after).sum()) / 2 / mean if mean else 0.0
