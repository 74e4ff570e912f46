"""Limits in the solver: kinds with fewer readers, caps, and the sentences where they clash."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from optimizer.figures import plural
from optimizer.model import (
    DEFAULT_GOALS,
    Goals,
    IntArray,
    Limit,
    Limits,
    LimitsError,
    LimitSet,
    Problem,
    Units,
    limits_of,
    units_of,
)
from optimizer.solver.demand import Bounds, Demand, demand_in_kinds
from optimizer.solver.kinds import Kinds, kinds_of
from optimizer.solver.network import cannot_be_placed

MAX_LIMITS_TRIED = 10
"""Up to this number of limits every set is tried for the smallest that clashes."""

NAMES_SHOWN = 5
"""Names that a sentence lists, at most."""


def caps_of(problem: Problem, goals: Goals) -> Bounds | None:
    """How much each member may have; None where nothing is capped."""
    limits = limits_of(problem, goals.limits)
    return None if limits is None else _caps(problem, limits)


def _caps(problem: Problem, limits: Limits) -> Bounds | None:
    if all(caps is None for caps in (limits.most, limits.most_of_topic, limits.most_on_host)):
        return None
    everything = np.full(len(problem.member_ids), problem.partition_count)
    most = everything if limits.most is None else np.minimum(limits.most, everything)
    return Bounds(0, most, limits.most_of_topic, limits.most_on_host)


def check_limits(problem: Problem, goals: Goals) -> None:
    """Raise LimitsError, which names the smallest set that clashes, if limits can't all be met."""
    by_count = goals.limits._replace(max_weight=())
    if not any(by_count) or _is_met(problem, by_count):
        return
    clash = smallest_clash(by_count.each(), lambda limits: _is_met(problem, limits))
    raise clash_error(clash, _large_unit(problem, clash) or _shortage(problem, clash))


def clash_error(clash: LimitSet, shortage: str) -> LimitsError:
    """The error that names limits that clash, and what is too little for them."""
    suffix = " together" if len(clash.each()) > 1 else ""
    limits = " and ".join(clash.in_words())
    return LimitsError(f"its limits can't be met{suffix}: {limits}; {shortage}")


def _is_met(problem: Problem, limit_set: LimitSet) -> bool:
    return not _excess(problem, limit_set)[1]


def _excess(problem: Problem, limit_set: LimitSet) -> tuple[IntArray, int]:
    """The partitions that are too many together, and by how many."""
    goals = replace(DEFAULT_GOALS, **limit_set._replace(max_weight=())._asdict())
    caps = caps_of(problem, goals)
    if limit_set.copartition:
        return _units_unplaced(problem, limit_set, caps)
    kinds, demand = demand_in_kinds(problem, kinds_of(problem, goals), {}, (), caps)
    everything = np.full(len(problem.member_ids), problem.partition_count)
    among, short = cannot_be_placed(demand, caps or Bounds(0, everything))
    of_partition = np.append(among, False)[kinds.of_partition]
    return of_partition.nonzero()[0], short


def _units_unplaced(
    problem: Problem, limit_set: LimitSet, caps: Bounds | None
) -> tuple[IntArray, int]:
    """Units that can't be placed, by their partitions; those of several sizes could be cut."""
    units, members = units_of(problem, limit_set), len(problem.member_ids)
    kinds = kinds_of(units.problem, DEFAULT_GOALS)
    nobodys = np.append(kinds.of_partition < 0, False)[units.of_partition]
    if nobodys.any():
        return nobodys.nonzero()[0], int(np.count_nonzero(nobodys))
    supply = np.bincount(kinds.of_partition, units.sizes, len(kinds.offsets) - 1).astype(np.int64)
    none_owned = np.zeros(len(kinds.members), np.int64)
    demand = Demand(supply, kinds.offsets, kinds.members, none_owned, members)
    most = np.full(members, problem.partition_count) if caps is None else caps.most
    if units.size:
        most = most // units.size * units.size
    if len(large := _too_large(units, kinds, most)):
        of_it = (units.of_partition == large[0]).nonzero()[0]
        return of_it, len(of_it)
    among, short = cannot_be_placed(demand, Bounds(0, most))
    of_unit = np.append(among[kinds.of_partition], False)
    return of_unit[units.of_partition].nonzero()[0], short


def _too_large(units: Units, kinds: Kinds, most: IntArray) -> IntArray:
    """The units that have more partitions than any of their readers may have."""
    if not len(units.sizes):
        return units.sizes
    roomiest = np.maximum.reduceat(most[kinds.members], kinds.offsets[:-1])
    return (units.sizes > roomiest[kinds.of_partition]).nonzero()[0]


def _large_unit(problem: Problem, clash: LimitSet) -> str | None:
    """The first unit that is larger than any member may have, in words."""
    if not clash.copartition or not clash.max_partitions:
        return None
    units, limits = units_of(problem, clash), limits_of(problem, clash)
    assert limits is not None, "a clash has a limit"
    assert limits.most is not None, "it is one of numbers"
    kinds = kinds_of(units.problem, DEFAULT_GOALS)
    large = _too_large(units, kinds, limits.most)
    if not len(large):
        return None
    kind = kinds.of_partition[large[0]]
    readers = kinds.members[kinds.offsets[kind] : kinds.offsets[kind + 1]]
    names = units.problem.partition_name(int(large[0]))
    return (
        f"{names} go to the same member, and the members that read them may have at "
        f"most {int(limits.most[readers].max())}"
    )


def smallest_clash(
    each: Sequence[tuple[str, Limit]], is_met: Callable[[LimitSet], bool]
) -> LimitSet:
    """The first of the smallest sets that can't be met; of many limits, one without a spare."""
    if len(each) <= MAX_LIMITS_TRIED:
        for size in range(1, len(each)):
            for combination in combinations(each, size):
                if not is_met(LimitSet.of(combination)):
                    return LimitSet.of(combination)
        return LimitSet.of(each)
    needed = list(each)
    for names in each:
        rest = [other for other in needed if other is not names]
        if not is_met(LimitSet.of(rest)):
            needed = rest
    return LimitSet.of(needed)


def first_names(names: Sequence[str]) -> str:
    """The first names, and how many there are."""
    more = len(names) - NAMES_SHOWN
    return ", ".join(names[:NAMES_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _shortage(problem: Problem, clash: LimitSet) -> str:
    """Partitions that have no room, and the members that may take them."""
    partitions, short = _excess(problem, clash)
    limits = limits_of(problem, clash)
    assert limits is not None, "a clash has a limit"
    reads, at = kinds_of(problem, DEFAULT_GOALS), partitions
    if clash.copartition:
        units = units_of(problem, clash)
        reads, at = kinds_of(units.problem, DEFAULT_GOALS), units.of_partition[partitions]
    takers = set()
    for partition, place in zip(partitions.tolist(), at.tolist(), strict=True):
        kind = reads.of_partition[place]
        if kind < 0:
            continue
        readers = reads.members[reads.offsets[kind] : reads.offsets[kind + 1]]
        takers.update(readers[limits.allowed[limits.row_of[partition], readers]].tolist())
    names = first_names([problem.member_ids[m] for m in sorted(takers)])
    topics = first_names([problem.topics[t] for t in np.unique(problem.topic_of[partitions])])
    count = len(partitions)
    subject = f"{plural(count, 'partition')} of {topics}"
    if not takers:
        return f"{subject} may go to no member that reads {'it' if count == 1 else 'them'}"
    return f"{subject} may go only to {names}, with room for {count - short}"
