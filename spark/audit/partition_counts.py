"""Counts one cluster's partitions, many at once."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from optimizer.model import run_starts
from spark.audit.cluster_facts import ClusterFacts, Smallest
from spark.fleet import is_connector

Mask = NDArray[np.bool_]
Ints = NDArray[np.int64]


class Lists(NamedTuple):
    """A column of lists: `sizes` by row, -1 for null; the items, and the `row` of each."""

    sizes: Ints
    items: NDArray[Any]
    row: Ints


class RacksOfReplicas(NamedTuple):
    """`complete` rows have a rack for each replica: the number of its name, -1 for null."""

    complete: Mask
    names: list[str]
    numbers: Ints


def count_partitions(cluster: ClusterFacts, rows: pa.Table) -> None:
    """Count rows of the table of partitions, all of this cluster."""
    _Counted(cluster, rows).count()


@dataclass(frozen=True)
class _Counted:
    """Partitions of one cluster as arrays, counted into `cluster`."""

    cluster: ClusterFacts
    rows: pa.Table

    def count(self) -> None:
        self._count_topics()
        self._count_brokers()
        self._count_racks()
        self._count_reassignments()

    def _count_topics(self) -> None:
        cluster, sizes = self.cluster, self._replicas.sizes
        minimum = _numbers(self.rows["min_insync_replicas"])
        at_minimum = (minimum > 1) & (sizes >= 1) & (sizes <= minimum)
        # tasks of connectors, which stand among partitions, never have a leader
        of_brokers = np.array([not is_connector(name) for name in self._topics], np.bool_)
        leaderless = (self._leader < 0) & of_brokers[self._topic]
        in_sync = self._lists("isr").sizes
        # as Kafka's Partition.effectiveMinIsr: no more have to be in sync than there are
        refusing = (self._leader >= 0) & (in_sync >= 0) & (in_sync < np.minimum(minimum, sizes))
        for counts, mask in (
            (cluster.partitions, np.ones(len(sizes), np.bool_)),
            (cluster.with_replicas, sizes >= 0),
            (cluster.single, sizes == 1),
            (cluster.at_minimum, at_minimum),
            (cluster.leaderless, leaderless),
            (cluster.refusing, refusing),
        ):
            self._add_topics(counts, mask)
        self._add_firsts(cluster.first_leaderless, leaderless)
        self._add_firsts(cluster.first_refusing, refusing)
        for at in np.flatnonzero(at_minimum).tolist():
            cluster.minimum.add(self._name(at), int(minimum[at]))
            cluster.fewest.add(self._name(at), int(sizes[at]))
        self._count_failures(sizes, minimum)

    def _count_failures(self, sizes: Ints, minimum: Ints) -> None:
        """How many brokers may fail: without `isr` all replicas are taken to be in sync."""
        reported = self._lists("isr").sizes
        in_sync = np.where(reported < 0, sizes, reported)
        has_replicas = sizes > 0
        behind = has_replicas & (in_sync < sizes)
        self._add_topics(self.cluster.out_of_sync, behind)
        self._add_topics(self.cluster.one_from_loss, behind & (in_sync < 2))
        spare = in_sync - np.maximum(minimum, 1)
        self._add_weakest(self.cluster.bears, has_replicas, (spare, in_sync - 1, sizes - 1))
        rows, rack = self._replicas.row, self._racks.numbers
        in_isr = (reported < 0)[rows] | np.isin(_pairs(self._replicas), _pairs(self._lists("isr")))
        racks = racks_that_may_fail(rows[in_isr], rack[in_isr], spare)
        every = racks_that_may_fail(rows, rack, sizes)
        bears = (np.where(spare < 0, -1, racks.lost), racks.all - 1, every.all - 1)
        complete = self._racks.complete.copy()
        complete[rows[rack < 0]] = False
        self._add_weakest(self.cluster.bears_racks, has_replicas & complete, bears)

    def _add_weakest(self, bears: Smallest, has_replicas: Mask, numbers: Sequence[Ints]) -> None:
        """By topic and position the smallest of each of the numbers."""
        for what, values in enumerate(numbers):
            least = np.full(len(self._topics), np.iinfo(np.int64).max)
            np.minimum.at(least, self._topic[has_replicas], np.maximum(values[has_replicas], -1))
            for at in np.unique(self._topic[has_replicas]).tolist():
                bears.add((self._topics[at], what), int(least[at]))

    def _count_brokers(self) -> None:
        cluster, replicas, in_sync = self.cluster, self._replicas, self._lists("isr")
        cluster.replicas.update(replicas.items[replicas.items >= 0].tolist())
        cluster.led.update(self._leader[self._leader >= 0].tolist())
        first = np.full(len(self._leader), -1, np.int64)
        starts = run_starts(replicas.row)
        first[replicas.row[starts]] = replicas.items[starts]
        is_led = (self._leader >= 0) & (replicas.sizes > 0)
        cluster.preferred.update(first[is_led].tolist())
        cluster.away.update(first[is_led & (first != self._leader)].tolist())
        odd = (in_sync.sizes >= 0) & ~_equal(replicas, in_sync)
        keys = _pairs(replicas)[odd[replicas.row] & (replicas.items >= 0)]
        lagging = np.unique(keys[~np.isin(keys, _pairs(in_sync)[odd[in_sync.row]])])
        alone = (replicas.sizes > 1) & (in_sync.sizes == 1)
        is_alone = alone[in_sync.row]
        for counts, firsts, rows, brokers in (
            (cluster.behind, cluster.first_behind, lagging >> 32, lagging & 0xFFFFFFFF),
            (cluster.alone, cluster.first_alone, in_sync.row[is_alone], in_sync.items[is_alone]),
        ):
            for row, broker in zip(rows.tolist(), brokers.tolist(), strict=True):
                counts[broker] += 1
                firsts.add(broker, (self._name(row), int(self._partition[row])))

    def _count_racks(self) -> None:
        cluster, replicas, (complete, names, numbers) = self.cluster, self._replicas, self._racks
        if not complete.any():
            return
        width, is_known = len(names) + 1, complete[replicas.row]
        brokers, rows = replicas.items[is_known], replicas.row[is_known]
        rack = numbers[is_known]
        for pair in np.unique((brokers * width + rack)[(rack >= 0) & (brokers >= 0)]).tolist():
            cluster.rack.add(pair // width, names[pair % width])
        several = (replicas.sizes > 1)[rows]
        rows, rack = rows[several], rack[several]
        of_rack = np.bincount(rack[rack >= 0], minlength=len(names)).tolist()
        cluster.racks.update(
            {name: count for name, count in zip(names, of_rack, strict=True) if count}
        )
        starts = run_starts(rows)
        if len(starts):
            least, most = (take.reduceat(rack, starts) for take in (np.minimum, np.maximum))
            alone = (least == most) & (least >= 0)
            for at, held in zip(rows[starts][alone].tolist(), least[alone].tolist(), strict=True):
                cluster.held[names[held]] += 1
                cluster.first_held.add(names[held], (self._name(at), int(self._partition[at])))

    def _count_reassignments(self) -> None:
        cluster = self.cluster
        adding, removing = self._lists("adding_replicas"), self._lists("removing_replicas")
        both = np.isin(_pairs(adding), _pairs(removing))
        is_reversed = np.zeros(len(self._leader), np.bool_)
        is_reversed[adding.row[both]] = True
        stuck = (self._leader < 0) & (adding.sizes > 0) & ~is_reversed
        for counts, firsts, mask in (
            (cluster.stuck, cluster.first_stuck, stuck),
            (cluster.reversed, cluster.first_reversed, is_reversed),
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

    @cached_property
    def _racks(self) -> RacksOfReplicas:
        replicas, racks = self._replicas, self._lists("replica_racks")
        complete = (racks.sizes == replicas.sizes) & (racks.sizes > 0)
        numbers = np.full(len(replicas.row), -1, np.int64)
        encoded = pa.array(racks.items[complete[racks.row]], pa.string()).dictionary_encode()
        numbers[complete[replicas.row]] = _numbers(encoded.indices)
        return RacksOfReplicas(complete, encoded.dictionary.to_pylist(), numbers)

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


class Racks(NamedTuple):
    """By row: of how many racks its replicas are, and how many of these may fail."""

    all: Ints
    lost: Ints


def racks_that_may_fail(rows: Ints, rack: Ints, spare: Ints) -> Racks:
    """Racks, those with most replicas first, that together have no more replicas than `spare`.

    `rows` and `rack` are those of each replica, `spare` is by row.
    """
    pairs, counts = np.unique(np.stack([rows, rack]), axis=1, return_counts=True)
    order = np.lexsort((-counts, pairs[0]))
    of, sums = pairs[0][order], counts[order].cumsum()
    starts = run_starts(of)
    before = np.concatenate([[0], sums])[starts]
    own = sums - np.repeat(before, np.diff(starts, append=len(of)))
    lost = np.bincount(of[own <= spare[of]], minlength=len(spare))
    return Racks(np.bincount(of, minlength=len(spare)), lost)


def _numbers(column: Any) -> Ints:
    """A column of whole numbers; -1 for null."""
    numbers: Ints = pc.fill_null(column, -1).to_numpy(zero_copy_only=False).astype(np.int64)
    return numbers


def _equal(left: Lists, right: Lists) -> Mask:
    """Whether both have the same list in a row."""
    equal: Mask = left.sizes == right.sizes
    differ = left.items[equal[left.row]] != right.items[equal[right.row]]
    equal[left.row[equal[left.row]][differ]] = False
    return equal


def _pairs(lists: Lists) -> Ints:
    """A number for each row and broker."""
    pairs: Ints = (lists.row << 32) | (lists.items & 0xFFFFFFFF)
    return pairs
