"""Judge plans by weight of many groups at once, in which everybody reads everything."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from optimizer.checker.weighted.certificate import Prices, Set, encode_prices, encode_set
from optimizer.checker.weighted.check import WeightVerdict
from optimizer.checker.weighted.text import (
    describe_heaviest,
    describe_largest,
    describe_prices,
    describe_set,
)
from optimizer.model import BY_ALL, BY_NUMBERS, BY_ONE, Flags, IntArray, WeighedGroups


class Bounds(NamedTuple):
    """No plan of a group is below its `level`; `shown` (`optimizer.model.BY_ALL`) tells why."""

    level: IntArray
    shown: IntArray


def check_many_by_weight(
    weighed: WeighedGroups,
    topics: Sequence[Sequence[str]],
    target: IntArray,
    bounds: Bounds,
    tolerance: float,
) -> list[WeightVerdict | None]:
    """What `check_by_weight` says of each group; None where its bound isn't shown.

    `topics` are the names of each group's; `target` has one of its members for each partition.
    """
    groups = weighed.groups
    first_member, first = groups.member_offsets[:-1], groups.partition_offsets[:-1]
    loads = np.bincount(target, weighed.weight, groups.member_offsets[-1]).astype(np.int64)
    level = np.maximum.reduceat(loads, first_member)
    in_tolerance = level <= _raised(bounds.level, tolerance)
    allowed = np.maximum(level, _raised(bounds.level, tolerance))
    changed = (groups.owner >= 0) & (target != groups.owner)
    columns = (
        _are_shown(weighed, bounds),
        level,
        in_tolerance,
        np.add.reduceat(changed.astype(np.int64), first),
        _least_moves(weighed, allowed),
        weighed.known_share,
    )
    report = _Evidence(weighed, topics, bounds)
    return [
        report.verdict(group, *values) if is_shown else None
        for group, (is_shown, *values) in enumerate(
            zip(*(column.tolist() for column in columns), strict=True)
        )
    ]


def _raised(level: IntArray, share: float) -> IntArray:
    result: IntArray = level + np.floor(level * share).astype(np.int64)
    return result


def _are_shown(weighed: WeighedGroups, bounds: Bounds) -> Flags:
    """Where members would have more than they take in just below the bound."""
    groups, below = weighed.groups, bounds.level - 1
    first = groups.partition_offsets[:-1]
    members, partitions = np.diff(groups.member_offsets), np.diff(groups.partition_offsets)
    of_kind = {
        BY_ONE: np.maximum.reduceat(weighed.weight, first) > below,
        BY_ALL: np.add.reduceat(weighed.weight, first) > members * below,
        BY_NUMBERS: partitions > members * _fitting(weighed, below),
    }
    is_found: Flags = (below >= 0) & np.isin(bounds.shown, [*of_kind])
    for kind, holds in of_kind.items():
        is_found &= (bounds.shown != kind) | holds
    return is_found


def _fitting(weighed: WeighedGroups, level: IntArray) -> IntArray:
    """The most partitions of a group that a member takes in at a level: the lightest."""
    groups = weighed.groups
    order = np.lexsort((weighed.weight, groups.of_partition))
    first = groups.partition_offsets[:-1]
    sums = weighed.weight[order].cumsum()
    before = (sums - weighed.weight[order])[first]
    fits = sums - before[groups.of_partition] <= level[groups.of_partition]
    return np.add.reduceat(fits.astype(np.int64), first)


def _least_moves(weighed: WeighedGroups, level: IntArray) -> IntArray:
    """How many partitions at least leave their owners in plans that are at a level or below.

    Whoever has more has to give up its heaviest until it fits.
    """
    groups = weighed.groups
    group_of_member = np.arange(len(groups)).repeat(np.diff(groups.member_offsets))
    owned = np.flatnonzero(groups.owner >= 0)
    order = owned[np.lexsort((-weighed.weight[owned], groups.owner[owned]))]
    owner, weight = groups.owner[order], weighed.weight[order]
    count = int(groups.member_offsets[-1])
    excess = np.bincount(owner, weight, count).astype(np.int64) - level[group_of_member]
    before = weight.cumsum() - weight
    inputs = before - before[np.searchsorted(owner, owner)]
    gives = inputs < excess[owner]
    result: IntArray = np.bincount(groups.of_partition[order], gives, len(groups)).astype(np.int64)
    return result


class _Evidence:
    def __init__(
        self, weighed: WeighedGroups, topics: Sequence[Sequence[str]], bounds: Bounds
    ) -> None:
        self._weighed, self._topics = weighed, topics
        self._capacity, self._unit = weighed.capacity.tolist(), weighed.weight_unit.tolist()
        self._bound, self._shown = bounds.level.tolist(), bounds.shown.tolist()

    def verdict(
        self,
        group: int,
        level: int,
        in_tolerance: bool,
        moves: int,
        moves_bound: int,
        known_share: float,
    ) -> WeightVerdict:
        largest, bound = self._in_units(group, level), self._in_units(group, self._bound[group])
        return WeightVerdict(
            max_weight=largest,
            weight_bound=bound,
            weight_gap=largest / bound - 1,
            bound_kind="prices" if self._shown[group] == BY_NUMBERS else "set",
            in_tolerance=in_tolerance,
            moves=moves,
            moves_bound=moves_bound,
            weights_known=known_share,
            shown=self._sentence(group, describe_largest(largest, bound)),
            certificate=self._certificate(group),
            fault=None,
        )

    def _certificate(self, group: int) -> bytes:
        groups, level = self._weighed.groups, self._bound[group] - 1
        if self._shown[group] == BY_NUMBERS:
            partitions = groups.partition_offsets[group + 1] - groups.partition_offsets[group]
            return encode_prices(Prices(level, np.ones(partitions, np.int64)))
        members = groups.member_offsets[group + 1] - groups.member_offsets[group]
        return encode_set(Set(level, np.full(members, self._shown[group] == BY_ALL)))

    def _sentence(self, group: int, reached: str) -> str:
        groups, unit = self._weighed.groups, self._unit[group]
        start, end = groups.partition_offsets[group : group + 2].tolist()
        weight, bound = self._weighed.weight[start:end], self._in_units(group, self._bound[group])
        if self._shown[group] == BY_NUMBERS:
            return describe_prices(end - start, bound, reached)
        if self._shown[group] == BY_ONE:
            p = start + int(weight.argmax())
            return describe_heaviest(self._name(group, p), float(weight[p - start]) * unit, reached)
        members = int(groups.member_offsets[group + 1] - groups.member_offsets[group])
        return describe_set(
            None,
            self._topics[group],
            float(weight.sum()) * unit,
            members * self._capacity[group],
            bound,
            reached,
        )

    def _in_units(self, group: int, level: int) -> float:
        return float(level * self._unit[group] / self._capacity[group])

    def _name(self, group: int, partition: int) -> str:
        groups = self._weighed.groups
        topic = int(groups.topic_of[partition])
        name = self._topics[group][topic - int(groups.topic_offsets[group])]
        return f"{name}-{partition - int(groups.first_of_topic[topic])}"
