"""By what a group is judged: by count, or by what its partitions weigh."""

from dataclasses import replace
from functools import cache

import numpy as np

from optimizer.model.classes import classes_of
from optimizer.model.goals import Goals
from optimizer.model.problem import Problem

LEAST_KNOWN = 0.5
"""The share of a group's partitions whose weight has to be known."""


def judged(goals: Goals, problem: Problem) -> Goals:
    """The goals with a balance of `count` or `weight`, as `auto` comes to for this group."""
    if goals.balance != "auto":
        return goals
    return _balanced(goals, goals.may_weigh and (bool(goals.max_weight) or _has_weights(problem)))


@cache
def _balanced(goals: Goals, by_weight: bool) -> Goals:
    return replace(goals, balance="weight" if by_weight else "count")


def _has_weights(problem: Problem) -> bool:
    if problem.weights is None:
        return False
    weights = problem.weights[classes_of(problem).of_partition >= 0]
    count = int(np.count_nonzero(~np.isnan(weights)))
    return count >= LEAST_KNOWN * len(weights) > 0
