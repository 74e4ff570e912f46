"""Plans by weight where members may have so many partitions, or so much weight, and no more."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from optimizer.model import DEFAULT_GOALS, Goals, IntArray, LimitsError, Problem, limits_of
from optimizer.solver.solve import solve
from optimizer.solver.weighted.descent import NEVER, Descent, Reals
from optimizer.solver.weighted.problem import WeightedProblem

BEYOND = 1e6
"""Weight above what a member may have counts so many times."""


class Caps(NamedTuple):
    """How many partitions each member may have, how many of each topic, and what they may weigh."""

    most: IntArray
    most_of_topic: IntArray
    most_weight: IntArray


def caps_of(problem: Problem, goals: Goals) -> Caps | None:
    """What members may have; None where nothing is capped."""
    limits = limits_of(problem, goals.limits)
    values = () if limits is None else limits[2:]
    if limits is None or all(caps is None for caps in values):
        return None
    everything = problem.partition_count, 1 << 50
    ends = len(problem.member_ids), len(problem.topics), len(problem.member_ids)
    return Caps(
        *(
            np.full(count, everything[at == 2]) if caps is None else caps
            for at, (count, caps) in enumerate(zip(ends, values, strict=True))
        )
    )


class CappedDescent(Descent):
    """A descent by moves and swaps that leave everybody with what it may have."""

    def __init__(
        self, problem: Problem, facts: WeightedProblem, caps: Caps, target: IntArray
    ) -> None:
        super().__init__(facts, target)
        self.caps, self.topic_of = caps, problem.topic_of
        placed = target >= 0
        self.counts = np.bincount(target[placed], minlength=facts.members)
        self.held = np.zeros((len(problem.topics), facts.members), np.int64)
        np.add.at(self.held, (self.topic_of[placed], target[placed]), 1)

    @property
    def levels(self) -> Reals:
        return self._levels(self.loads, self.scale, self.caps.most_weight)

    def _levels(self, loads: IntArray, scale: Reals | np.float64, most: IntArray) -> Reals:
        """Who weighs more than it may is fullest."""
        result: Reals = loads * scale + BEYOND * np.maximum(loads - most, 0) * scale
        return result

    def lower(self, goal: int) -> bool:
        """Make the best change, if the fullest member is above the goal and one lowers it."""
        levels = self.levels
        if not len(levels):
            return False
        top = int(levels.argmax())
        return bool(levels[top] > goal) and self._lower(top, float(levels[top]), goal)

    def _lower(self, top: int, level: float, goal: int) -> bool:
        own = (self.target == top).nonzero()[0]
        if not len(own):
            return False
        others = self._others(top, len(own))
        self.work += len(own) * (len(others) + self.facts.members)
        return self._move_or_swap(top, level, own, others)

    def _move_or_swap(self, top: int, level: float, own: IntArray, others: IntArray) -> bool:
        best, p, q = self._best_move(top, own)
        if len(others):
            swapped, mine, other = self._best_swap(top, own, others)
            if swapped < best:
                best, p, q = swapped, mine, other
        if not best < level:
            return False
        if q < 0:
            self.give(p, -q - 1)
        else:
            taker = int(self.target[q])
            self.give(p, taker)
            self.give(q, top)
        return True

    def _best_move(self, top: int, own: IntArray) -> tuple[float, int, int]:
        """What it leads to, the partition, and the member as -1 - its number."""
        facts, most = self.facts, self.caps.most_weight
        gives = facts.weight[own]
        moved = np.maximum(
            self._levels(self.loads[top] - gives, self.scale[top], most[top])[:, None],
            self._levels(self.loads + gives[:, None], self.scale, most),
        )
        moved[~(facts.reads[facts.class_of[own]] & self._may_take(own))] = NEVER
        moved[:, top] = NEVER
        at = int(moved.argmin())
        return float(moved.reshape(-1)[at]), int(own[at // facts.members]), -1 - at % facts.members

    def _best_swap(self, top: int, own: IntArray, others: IntArray) -> tuple[float, int, int]:
        facts, most = self.facts, self.caps.most_weight
        holder = self.target[others]
        difference = facts.weight[own][:, None] - facts.weight[others]
        swapped = np.maximum(
            self._levels(self.loads[top] - difference, self.scale[top], most[top]),
            self._levels(self.loads[holder] + difference, self.scale[holder], most[holder]),
        )
        swapped[~facts.reads[facts.class_of[own]][:, holder]] = NEVER
        swapped[:, ~facts.reads[facts.class_of[others], top]] = NEVER
        mine, theirs = self.topic_of[own], self.topic_of[others]
        room = self._topic_room()
        is_one_topic = mine[:, None] == theirs
        swapped[~(is_one_topic | room[mine][:, holder])] = NEVER
        swapped[~(is_one_topic | room[theirs, top])] = NEVER
        at = int(swapped.argmin())
        p, q = divmod(at, len(others))
        return float(swapped.reshape(-1)[at]), int(own[p]), int(others[q])

    def _topic_room(self) -> NDArray[np.bool_]:
        """Whether one more of a topic (row) is allowed to a member (column)."""
        room: NDArray[np.bool_] = self.held < self.caps.most_of_topic[:, None]
        return room

    def _may_take(self, partitions: IntArray) -> NDArray[np.bool_]:
        may: NDArray[np.bool_] = self._topic_room()[self.topic_of[partitions]]
        return may & (self.counts < self.caps.most)

    def fit(self, level: int) -> bool:
        """Take the lightest from who has too many, first what moves anyhow; whether all fit then.

        Nobody is filled above the level.
        """
        facts, caps = self.facts, self.caps
        limits = np.minimum(facts.weights.limits(level), caps.most_weight)
        too_many = (self.counts > caps.most) | (self.held > caps.most_of_topic[:, None])
        here = (self.target >= 0).nonzero()[0]
        here = here[too_many[self.topic_of[here], self.target[here]]]
        stays = self.target[here] == facts.owner[here]
        for p in here[np.lexsort((facts.weight[here], stays))].tolist():
            member, topic = int(self.target[p]), int(self.topic_of[p])
            has_too_many = self.counts[member] > caps.most[member]
            if not has_too_many and self.held[topic, member] <= caps.most_of_topic[topic]:
                continue
            may = facts.reads[facts.class_of[p]] & (self.counts < caps.most)
            may &= self.held[topic] < caps.most_of_topic[topic]
            may &= self.loads + facts.weight[p] <= limits
            if may.any():
                self.give(p, int(np.where(may, self.loads * self.scale, NEVER).argmin()))
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

    def __init__(self, problem: Problem, goals: Goals, facts: WeightedProblem, caps: Caps) -> None:
        self._problem, self._facts, self._caps = problem, facts, caps
        self._by_count = replace(DEFAULT_GOALS, **goals.limits._replace(max_weight=())._asdict())

    @cached_property
    def unmoved(self) -> IntArray:
        """The plan of the fewest moves within the counts."""
        return solve(self._problem, replace(self._by_count, max_moves=0)).target

    @cached_property
    def _even(self) -> IntArray:
        return solve(self._problem, self._by_count).target

    def fitted(self, target: IntArray, level: int, tolerance: float) -> IntArray | None:
        """The plan made to fit into the caps, where that is within a tolerance; None if not."""
        descent = CappedDescent(self._problem, self._facts, self._caps, target)
        return descent.target if descent.fit(level + int(level * tolerance)) else None

    def lowered(self, goal: int, tolerance: int, budget: int | None) -> IntArray:
        """A plan no higher than the tolerance by few moves, or else the lowest that is found.

        Raises LimitsError where none is found in which nobody weighs more than it may.
        """
        indices = self._from(self.unmoved, tolerance, budget)
        if self._level(indices) > tolerance:
            plans = [indices, self._from(self.unmoved, goal, budget)]
            if budget is None:
                plans.append(self._from(self._even, goal, None))
            indices = min(plans, key=lambda plan: (self._level(plan), self._facts.moves_of(plan)))
        loads = self._facts.weights.loads(indices)
        if (loads > self._caps.most_weight).any():
            raise LimitsError(
                "no plan was found in which nobody weighs more than max_weight allows; there may "
                "be one: allow more, or other members"
            )
        return indices

    def _level(self, target: IntArray) -> float:
        descent = CappedDescent(self._problem, self._facts, self._caps, target)
        return float(descent.levels.max(initial=0.0))

    def _from(self, start: IntArray, goal: int, budget: int | None) -> IntArray:
        """The plan lowered to a goal, by no more moves than allowed."""
        descent = CappedDescent(self._problem, self._facts, self._caps, start)
        before = start
        while not descent.is_spent and descent.lower(goal):
            if budget is not None and self._facts.moves_of(descent.target) > budget:
                return before
            before = descent.target.copy() if budget is not None else start
        return descent.target
