"""Limits, held against an assignment and taken into its residual network."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from optimizer.checker.kinds import Kinds, cut
from optimizer.checker.pair_facts import TableFacts
from optimizer.figures import figure
from optimizer.model import NOTHING, Goals, IntArray, Limits, Problem, units_of, weights_of

ALLOWED = "allowed"


def kinds_under(kinds: Kinds, limits: Limits) -> Kinds:
    """The kinds with those readers alone whom limits allow."""
    if limits.allowed.all():
        return kinds
    facts = TableFacts(limits.row_of, np.arange(kinds.member_count), ALLOWED, limits.allowed)
    result = cut(kinds, facts)
    may = result.flags[ALLOWED]
    kind = np.arange(result.kind_count).repeat(np.diff(result.offsets))[may]
    return replace(
        result,
        offsets=np.append(0, np.bincount(kind, minlength=result.kind_count).cumsum()),
        member=result.member[may],
        keys=result.keys[may],
        flags={name: flags[may] for name, flags in result.flags.items() if name != ALLOWED},
    )


def forced_moves(problem: Problem, kinds: Kinds, under: Kinds) -> int:
    """How many partitions leave an owner who could keep them but for the limits."""
    could, may = (items.pair_of(problem.owner) >= 0 for items in (kinds, under))
    return int(np.count_nonzero(could & ~may))


def limit_faults(problem: Problem, kinds: Kinds, limits: Limits, target: IntArray) -> Iterator[str]:
    """What of an assignment limits don't allow; `kinds` are those without limits."""
    names = problem.member_ids
    placed = ((target >= 0) & (kinds.pair_of(target) >= 0)).nonzero()[0]
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


def separated(problem: Problem, goals: Goals, target: IntArray) -> list[str]:
    """What goes to different members and is to go to the same."""
    of_partition = units_of(problem, goals.limits).of_partition
    read = (of_partition >= 0).nonzero()[0]
    order = read[np.argsort(of_partition[read], kind="stable")]
    here, after = order[:-1], order[1:]
    apart = (of_partition[here] == of_partition[after]) & (target[here] != target[after])
    count = int(np.count_nonzero(apart))
    if not count:
        return []
    first = int(apart.argmax())
    items, other = int(here[first]), int(after[first])
    names = problem.member_ids
    return [
        f"{problem.partition_name(items)} is assigned to {names[target[items]]} and "
        f"{problem.partition_name(other)} to {names[target[other]]}; they are to be together"
        + (f" ({count} such)" if count > 1 else "")
    ]
