"""One group under any strategy: each is asked once, in its time."""

import time
from functools import cached_property
from typing import Any

import numpy as np

from optimizer.model import (
    NOTHING,
    Answer,
    Goals,
    IntArray,
    Problem,
    classes_of,
    judged,
    member_loads,
    on_hosts,
    ranges,
    settled,
)
from optimizer.solver import min_max_load_of
from optimizer.strategies import OPTIMAL, strategy_named
from spark.settings import CURRENT
from spark.solve import TimeLimit, max_weight, shown_bound

Answered = tuple[Answer, float]
"""An answer, and how many seconds it took."""


class Trial:
    """A group, and what strategies make of it; `goals` are those of `optimal`."""

    def __init__(self, problem: Problem, limit: TimeLimit, goals: Goals) -> None:
        self.problem, self.limit, self.goals = (
            on_hosts(problem, goals.host),
            limit,
            judged(goals, problem),
        )
        self._answers: dict[str, Answered | Exception] = {}

    def answer(self, strategy: str) -> Answered:
        """A strategy's answer; raises what it raises, each time if it is asked again.

        That of `current` is the current assignment.
        """
        if strategy not in self._answers:
            try:
                self._answers[strategy] = self._ask(strategy)
            except Exception as error:
                self._answers[strategy] = error
        answered = self._answers[strategy]
        if isinstance(answered, Exception):
            raise answered
        return answered

    def target(self, strategy: str) -> IntArray:
        """The same as who gets which partition."""
        return self.answer(strategy)[0].target

    def _ask(self, strategy: str) -> Answered:
        if strategy == CURRENT:
            return settled(classes_of(self.problem).kept), 0.0
        selection = strategy_named(strategy)
        if selection.target_of:  # worked out once for both (KIP-429)
            answer, seconds = self.answer(selection.target_of)
            return settled(answer.target), seconds
        started = time.perf_counter()
        answer = self.limit.spend(lambda: selection.assign(self.problem, self.goals))
        return answer, time.perf_counter() - started

    @cached_property
    def least_max(self) -> int | None:
        """The highest load of the optimum, in partitions; None where it isn't found in time."""
        classes = classes_of(self.problem)
        if not len(classes):
            return 0
        members = len(self.problem.member_ids)
        if len(classes) == 1 and len(classes.members) == members:
            return -(-self.partitions // members)
        try:
            return self.limit.spend(lambda: min_max_load_of(self.problem))
        except Exception:
            return None

    def loads(self, target: IntArray) -> dict[str, float | None]:
        """The loads of an assignment, the largest by weight too, and how they are to the best."""
        loads = member_loads(self.problem, target)
        most = int(loads.max(initial=0))
        return {
            "partitions": self.partitions,
            "max_load": most,
            "min_load": int(loads.min(initial=most)),
            "excess": self.excess(most),
            "max_weight": max_weight(self.problem, target),
            "weight_bound": self.weight_bound,
        }

    @property
    def partitions(self) -> int:
        """How many partitions somebody reads."""
        return int(np.count_nonzero(classes_of(self.problem).of_partition >= 0))

    def excess(self, max_load: int) -> int | None:
        """By how much a highest load is above that; None where that isn't known."""
        return None if self.least_max is None else max(0, max_load - self.least_max)

    @cached_property
    def weight_bound(self) -> float | None:
        """A load by weight below which no plan's largest is, as the check finds it shown.

        None where goals aren't by weight, and where none is shown in time.
        """
        if not self.goals.by_weight:
            return None
        try:
            answer, _ = self.answer(OPTIMAL)
            return self.limit.spend(lambda: shown_bound(self.problem, self.goals, answer))
        except Exception:
            return None


def same_partitions(first: Problem, second: Problem) -> tuple[Any, Any]:
    """The partitions that both have, as indexes of the one and of the other."""
    if first.topics == second.topics and np.array_equal(first.topic_offsets, second.topic_offsets):
        return slice(None), slice(None)
    at = {topic: t for t, topic in enumerate(first.topics)}
    pairs = [(at[topic], t) for t, topic in enumerate(second.topics) if topic in at]
    if not pairs:
        return NOTHING, NOTHING
    before, now = np.array(pairs).T
    sizes = np.minimum(first.topic_sizes[before], second.topic_sizes[now])
    return (ranges(first.topic_offsets[before], sizes), ranges(second.topic_offsets[now], sizes))
