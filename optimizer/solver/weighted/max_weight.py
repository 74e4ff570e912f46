"""Limits of weight that can't be met: members who have to read more than they may."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from optimizer.figures import counted, figure
from optimizer.flow import taken_in
from optimizer.model import Goals, IntArray, LimitSet, Problem, limits_of
from optimizer.solver.limits import clash_error, named, smallest_clash
from optimizer.solver.weighted.problem import WeightedProblem


def check_max_weight(problem: Problem, goals: Goals) -> None:
    """Raise LimitsError if members have to read more than their limits let them, or no one may.

    The error comes where partitions cut into pieces wouldn't fit either, or one is too heavy for
    all of its readers. Otherwise there may be no plan all the same, which is NP-hard to tell.
    """
    values = goals.limits._replace(max_partitions=(), max_per_topic=())
    if not values.max_weight or _too_heavy(problem, goals, values) is None:
        return
    clash = smallest_clash(values.each(), lambda items: _too_heavy(problem, goals, items) is None)
    too_heavy = _too_heavy(problem, goals, clash)
    limits = limits_of(problem, clash)
    assert too_heavy is not None, "a clash has too much"
    assert limits is not None, "a clash has a limit"
    assert limits.most_weight is not None, "a clash of weights has one of these"
    partitions, takers = too_heavy
    weighted = WeightedProblem.of(problem, goals)
    unit, count = weighted.weights.weight_unit, len(partitions)
    topics = named([problem.topics[t] for t in np.unique(problem.topic_of[partitions]).tolist()])
    members = named([problem.member_ids[m] for m in takers.nonzero()[0].tolist()])
    raise clash_error(
        clash,
        f"{counted(count, 'partition')} of {topics}, which weigh{'s' * (count == 1)} "
        f"{figure(float(weighted.weight[partitions].sum()) * unit)}, may go to {members} alone, "
        "which may have "
        f"{figure(float(limits.most_weight[takers].sum()) * unit)}",
    )


def _too_heavy(
    problem: Problem, goals: Goals, limit_set: LimitSet
) -> tuple[IntArray, NDArray[np.bool_]] | None:
    """Partitions that are too heavy together, and all who may have any of them."""
    limits = limits_of(problem, limit_set)
    if limits is None or limits.most_weight is None:
        return None
    weighted = WeightedProblem.of(problem, replace(goals, **limit_set._asdict()))
    most = np.minimum(limits.most_weight, int(weighted.weight.sum()))
    if not weighted.reads.any(axis=1).all():
        return None  # which limits by count tell
    strongest = np.where(weighted.reads, most, 0).max(axis=1, initial=0)
    alone = weighted.read[
        weighted.weight[weighted.read] > strongest[weighted.class_of[weighted.read]]
    ]
    if len(alone):
        return alone[:1], weighted.reads[weighted.class_of[alone[0]]]
    kind, member = weighted.reads.nonzero()
    flow = taken_in(weighted.class_weight, most, kind, member)
    if flow.is_whole:
        return None
    takers = flow.side[len(weighted.class_weight) :][: weighted.members]  # who are too few
    confined = (weighted.reads & ~takers).sum(axis=1) == 0
    return np.sort(weighted.read[confined[weighted.class_of[weighted.read]]]), takers
