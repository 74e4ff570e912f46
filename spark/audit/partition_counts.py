"""Counts a cluster's partitions for its facts, many at once."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from spark.audit.cluster_facts import ClusterFacts, Smallest
from spark.fleet import is_connector

Mask = NDArray[np.bool_]
Ints = NDArray[np.int64]


class Lists(NamedTuple):
    """A column of lists: `sizes` by row, -1 for null; the items, and the `row` of each."""

    sizes: Ints
    items: NDArray[Any]
    row: Ints


def count_partitions(facts: ClusterFacts, rows: pa.Table) -> None:
    """Count rows of the table of partitions, all of this cluster."""
    _Counted(facts, rows).count()


@dataclass(frozen=True)
class _Counted:
    """Partitions of one cluster as arrays, counted into its facts."""

    facts: ClusterFacts
    rows: pa.Table

    def count(self) -> None:
        self._count_topics()
        self._count_brokers()
        self._count_racks()
        self._count_reassignments()

    def _count_topics(self) -> None:
        facts, sizes = self.facts, self._replicas.sizes
        minimum = _numbers(self.rows["min_insync_replicas"])
        at_minimum = (minimum > 1) & (sizes >= 1) & (sizes <= minimum)
        # tasks of connectors, which stand among partitions, never have a leader
        of_brokers = np.array([not is_connector(name) for name in self._topics], np.bool_)
        leaderless = (self._leader < 0) & of_brokers[self._topic]
        for counts, mask in (
            (facts.partitions, np.ones(len(sizes), np.bool_)),
            (facts.with_replicas, sizes >= 0),
            (facts.single, sizes == 1),
            (facts.at_minimum, at_minimum),
            (facts.leaderless, leaderless),
        ):
            self._add_topics(counts, mask)
        self._add_firsts(facts.first_leaderless, leaderless)
        for at in np.flatnonzero(at_minimum).tolist():
            facts.minimum.add(self._name(at), int(minimum[at]))
            facts.fewest.add(self._name(at), int(sizes[at]))
        self._count_failures(sizes, minimum)

    def _count_failures(self, sizes: Ints, minimum: Ints) -> None:
        """How many brokers may fail: without `isr` all replicas are taken to be in sync."""
        reported = self._lists("isr").sizes
        in_sync = np.where(reported < 0, sizes, reported)
        known = sizes > 0
        self._add_topics(self.facts.out_of_sync, known & (in_sync < sizes))
        bears = (in_sync - np.maximum(minimum, 1), in_sync - 1, sizes - 1)
        for what, values in enumerate(bears):
            least = np.full(len(self._topics), np.iinfo(np.int64).max)
            np.minimum.at(least, self._topic[known], np.maximum(values[known], -1))
            for at in np.unique(self._topic[known]).tolist():
                self.facts.bears.add((self._topics[at], what), int(least[at]))

    def _count_brokers(self) -> None:
        facts, replicas, in_sync = self.facts, self._replicas, self._lists("isr")
        facts.replicas.update(replicas.items[replicas.items >= 0].tolist())
        facts.led.update(self._leader[self._leader >= 0].tolist())
        first = np.full(len(self._leader), -1, np.int64)
        starts = np.flatnonzero(np.diff(replicas.row, prepend=-1))
        first[replicas.row[starts]] = replicas.items[starts]
        is_led = (self._leader >= 0) & (replicas.sizes > 0)
        facts.preferred.update(first[is_led].tolist())
        facts.away.update(first[is_led & (first != self._leader)].tolist())
        odd = (in_sync.sizes >= 0) & ~_equal(replicas, in_sync)
        keys = _pairs(replicas)[odd[replicas.row] & (replicas.items >= 0)]
        lagging = np.unique(keys[~np.isin(keys, _pairs(in_sync)[odd[in_sync.row]])])
        alone = (replicas.sizes > 1) & (in_sync.sizes == 1)
        is_alone = alone[in_sync.row]
        for counts, firsts, rows, brokers in (
            (facts.behind, facts.first_behind, lagging >> 32, lagging & 0xFFFFFFFF),
            (facts.alone, facts.first_alone, in_sync.row[is_alone], in_sync.items[is_alone]),
        ):
            for row, broker in zip(rows.tolist(), brokers.tolist(), strict=True):
                counts[broker] += 1
                firsts.add(broker, (self._name(row), int(self._partition[row])))

    def _count_racks(self) -> None:
        facts, replicas, racks = self.facts, self._replicas, self._lists("replica_racks")
        complete = (racks.sizes == replicas.sizes) & (racks.sizes > 0)
        if not complete.any():
            return
        encoded = pa.array(racks.items[complete[racks.row]], pa.string()).dictionary_encode()
        names, rack = encoded.dictionary.to_pylist(), _numbers(encoded.indices)
        width = len(names) + 1
        brokers, rows = replicas.items[complete[replicas.row]], replicas.row[complete[replicas.row]]
        for pair in np.unique((brokers * width + rack)[(rack >= 0) & (brokers >= 0)]).tolist():
            facts.rack.add(pair // width, names[pair % width])
        several = (replicas.sizes > 1)[rows]
        rows, rack = rows[several], rack[several]
        of_rack = np.bincount(rack[rack >= 0], minlength=len(names)).tolist()
        facts.racks.update(
            {name: count for name, count in zip(names, of_rack, strict=True) if count}
        )
        starts = np.flatnonzero(np.diff(rows, prepend=-1))
        if len(starts):
            least, most = (take.reduceat(rack, starts) for take in (np.minimum, np.maximum))
            alone = (least == most) & (least >= 0)
            for at, held in zip(rows[starts][alone].tolist(), least[alone].tolist(), strict=True):
                facts.held[names[held]] += 1
                facts.first_held.add(names[held], (self._name(at), int(self._partition[at])))

    def _count_reassignments(self) -> None:
        facts = self.facts
        adding, removing = self._lists("adding_replicas"), self._lists("removing_replicas")
        both = np.isin(_pairs(adding), _pairs(removing))
        is_reversed = np.zeros(len(self._leader), np.bool_)
        is_reversed[adding.row[both]] = True
        stuck = (self._leader < 0) & (adding.sizes > 0) & ~is_reversed
        for counts, firsts, mask in (
            (facts.stuck, facts.first_stuck, stuck),
            (facts.reversed, facts.first_reversed, is_reversed),
        ):
            self._add_topics(counts, mask)
            self._add_firsts(firsts, mask)

    def _add_topics(self, counts: Counter[str], mask: Mask) -> None:
        of_topic = np.bincount(self._topic[mask], minlength=len(self._topics))
        counts.update(
            {self._topics[at]: int(of_topic[at]) for at in np.flatnonzero(of_topic).tolist()}
        )

    def _add_firsts(self, firsts: Smallest, mask: Mask) -> None:
        for at in np.flatnonzero(mask).tolist():
            firsts.add(self._name(at), int(self._partition[at]))

    def _name(self, row: int) -> str:
        return self._topics[int(self._topic[row])]

    @cached_property
    def _names(self) -> pa.DictionaryArray:
        return self.rows["topic"].combine_chunks().dictionary_encode()

    @cached_property
    def _topics(self) -> list[str]:
        names: list[str] = self._names.dictionary.to_pylist()
        return names

    @cached_property
    def _topic(self) -> Ints:
        return _numbers(self._names.indices)

    @cached_property
    def _partition(self) -> Ints:
        return _numbers(self.rows["partition"])

    @cached_property
    def _leader(self) -> Ints:
        return _numbers(self.rows["leader"])

    @cached_property
    def _replicas(self) -> Lists:
        return self._lists("replicas")

    def _lists(self, name: str) -> Lists:
        column = self.rows[name].combine_chunks()
        sizes = _numbers(pc.list_value_length(column))
        items = column.flatten()
        values = (
            _numbers(items)
            if pa.types.is_integer(items.type)
            else items.to_numpy(zero_copy_only=False)
        )
        return Lists(sizes, values, np.repeat(np.arange(len(sizes)), np.maximum(sizes, 0)))


def _numbers(column: Any) -> Ints:
    """A column of whole numbers; -1 for null."""
    numbers: Ints = pc.fill_null(column, -1).to_numpy(zero_copy_only=False).astype(np.int64)
    return numbers


def _equal(one: Lists, other: Lists) -> Mask:
    """Whether both have the same list in a row."""
    equal: Mask = one.sizes == other.sizes
    differ = one.items[equal[one.row]] != other.items[equal[other.row]]
    equal[one.row[equal[one.row]][differ]] = False
    return equal


def _pairs(lists: Lists) -> Ints:
    """A number for each row and broker."""
    pairs: Ints = (lists.row << 32) | (lists.items & 0xFFFFFFFF)
    return pairs
