"""Which levels of the goals are looked at in a group."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from optimizer.model.goals import Goals
from optimizer.model.homogeneous import HomogeneousGroups
from optimizer.model.problem import Problem, once_a_problem

QUICK = 400
"""Subscriptions of members to topics up to which spread is looked at though no goal names it.

It then takes a millisecond or two (tests/bench/spread_grid.py).
"""

MAX_SUBSCRIPTIONS = 20_000
"""Subscriptions up to which spread is looked at where `Goals.levels` names it.

It takes a tenth of a second for 10,000 and up to four for 20,000, two seconds with half a million
partitions.
"""


def levels_of(problem: Problem, goals: Goals) -> tuple[str, ...]:
    """The levels below balance, in their order; spread isn't among them in too large a group.

    In a group of a single topic balance says it all, however large it is.
    """
    most = MAX_SUBSCRIPTIONS if "spread" in goals.levels else QUICK
    if subscription_count(problem) <= most or np.count_nonzero(problem.topic_sizes) < 2:
        return goals.order
    return tuple(level for level in goals.order if level != "spread")


def spread_is_looked_at(groups: HomogeneousGroups) -> NDArray[np.bool_]:
    """For each of many groups with the default goals, whether spread is among its levels."""
    topics = np.diff(groups.topic_offsets)
    is_small: NDArray[np.bool_] = topics * np.diff(groups.member_offsets) <= QUICK
    return is_small | (topics < 2)


@once_a_problem
def subscription_count(problem: Problem) -> int:
    """How many pairs of a member and a topic that it subscribes to there are."""
    if len(problem.subscriptions) == 1:
        return len(problem.subscriptions[0]) * len(problem.member_ids)
    sizes = np.array([len(topics) for topics in problem.subscriptions], np.int64)
    return int(sizes[problem.member_subscription].sum())
