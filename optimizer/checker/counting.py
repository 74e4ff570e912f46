"""An assignment in counts, or why it isn't one of its group under its limits."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from optimizer.checker.counts import Counts, counts_of
from optimizer.checker.evenness import every_host_of_members, host_loads
from optimizer.checker.facts import cost_facts
from optimizer.checker.hubs import cut_by_facts, kinds_under
from optimizer.checker.kinds import Kinds, kinds_of
from optimizer.figures import figure
from optimizer.model import NOBODY, NOTHING, Goals, IntArray, Limits, Problem, limits_of, weights_of

FAULTS_NAMED = 5
"""Partitions named for each sort of fault; the rest are counted."""


def counted(
    problem: Problem, target: IntArray, goals: Goals, levels: Sequence[str] | None = None
) -> Counts | list[str]:
    """The assignment in counts, or its faults.

    By topic and by host where the levels or the limits ask for it; never where there are no levels
    to look at (None).
    """
    limits = limits_of(problem, goals.limits)
    by_topic = levels is not None and "spread" in levels
    by_host = levels is not None and "hosts" in levels
    if limits is not None and levels is not None:
        by_topic |= limits.most_of_topic is not None
        by_host |= limits.most_on_host is not None
    bare = kinds_of(problem, by_topic)
    allowed = bare if limits is None else kinds_under(bare, limits)
    kinds = cut_by_facts(allowed, cost_facts(problem, goals), problem.owner, target)
    counts = counts_of(problem, kinds, target, by_host, allowed)
    if limits is not None or counts is None:
        faults = list(_faults(problem, bare, limits, target))
        if faults or counts is None:
            return faults
    if limits is None:
        return counts
    forced, measures = forced_moves(problem, bare, allowed), counts.measures
    measures = measures._replace(
        moves=measures.moves + forced, takeovers=measures.takeovers - forced
    )
    return replace(counts, measures=measures, limits=limits, forced=forced)


def _faults(
    problem: Problem, kinds: Kinds, limits: Limits | None, target: IntArray
) -> Iterator[str]:
    """What makes it no assignment of the group; `kinds` are those without limits."""
    could, nobody = kinds.pair_of(target) >= 0, target == NOBODY
    yield from _named(problem, nobody & (kinds.kind_of >= 0), "has subscribers and no owner")
    unread = "is assigned to a member that doesn't subscribe to it"
    yield from _named(problem, ~nobody & ~could, unread)
    if limits is not None:
        yield from _limit_faults(problem, limits, target, (~nobody & could).nonzero()[0])


def _named(problem: Problem, faulty: IntArray, fault: str) -> Iterator[str]:
    partitions = np.flatnonzero(faulty).tolist()
    for partition in partitions[:FAULTS_NAMED]:
        yield f"{problem.partition_name(partition)} {fault}"
    if len(partitions) > FAULTS_NAMED:
        yield f"{len(partitions) - FAULTS_NAMED} more partitions: each {fault}"


def forced_moves(problem: Problem, kinds: Kinds, under: Kinds) -> int:
    """How many partitions leave an owner who could keep them but for the limits."""
    could, may = (items.pair_of(problem.owner) >= 0 for items in (kinds, under))
    return int(np.count_nonzero(could & ~may))


def _limit_faults(
    problem: Problem, limits: Limits, target: IntArray, placed: IntArray
) -> Iterator[str]:
    """What limits don't allow of partitions that are placed with readers."""
    names = problem.member_ids
    barred = placed[~limits.allowed[limits.row_of[placed], target[placed]]]
    if len(barred):
        more = f" ({len(barred)} such)" if len(barred) > 1 else ""
        first = int(barred[0])
        yield (
            f"{problem.partition_name(first)} is assigned to {names[target[first]]}, which its "
            f"limits don't allow{more}"
        )
    loads = np.bincount(target[placed], minlength=len(names))
    for member in (loads > limits.most).nonzero()[0] if limits.most is not None else NOTHING:
        yield (
            f"{names[member]} is given {loads[member]} partitions, and its limits allow "
            f"{limits.most[member] if limits.most is not None else 0}"
        )
    yield from _too_many_on_hosts(problem, limits, loads)
    yield from _too_heavy(problem, limits, target)
    if limits.most_of_topic is None or not len(placed):
        return
    cells, held = np.unique(
        problem.topic_of[placed] * len(names) + target[placed], return_counts=True
    )
    topic, member_of = np.divmod(cells, len(names))
    for at in (held > limits.most_of_topic[topic]).nonzero()[0]:
        yield (
            f"{names[member_of[at]]} is given {held[at]} partitions of "
            f"{problem.topics[topic[at]]}, and its limits allow {limits.most_of_topic[topic[at]]}"
        )


def _too_many_on_hosts(problem: Problem, limits: Limits, loads: IntArray) -> Iterator[str]:
    if limits.most_on_host is None:
        return
    host = every_host_of_members(problem)
    of_host = host_loads(host, loads)
    _, first = np.unique(host, return_index=True)
    for member in first[of_host > limits.most_on_host[first]].tolist():
        yield (
            f"{int(of_host[host[member]])} partitions are given to the host of "
            f"{problem.member_ids[member]}, and its limits allow {limits.most_on_host[member]}"
        )


def _too_heavy(problem: Problem, limits: Limits, target: IntArray) -> Iterator[str]:
    if limits.most_weight is None:
        return
    weights = weights_of(problem)
    loads, unit = weights.loads(target), weights.weight_unit
    for member in (loads > limits.most_weight).nonzero()[0].tolist():
        yield (
            f"{problem.member_ids[member]} is given a weight of "
            f"{figure(float(loads[member]) * unit)}, and its limits allow "
            f"{figure(float(limits.most_weight[member]) * unit)}"
        )
