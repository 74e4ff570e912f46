"""A cluster in arrays: brokers by id, partitions by topic and number."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain
from math import lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from optimizer.figures import plural
from optimizer.replicas.cluster import Broker, Cluster, Partition

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

NOBODY = -1
"""Stands where a row of brokers has no more of them."""

FINEST = 10**6
"""Capacities are rounded to this fraction of the greatest."""


class LeftOut(NamedTuple):
    """A partition that stays as it is, and why."""

    topic: str
    partition: int
    reason: str


@dataclass(frozen=True)
class NumberedCluster:
    """`replicas` (P, F) are indexes of brokers, in Kafka's order, filled up with -1.

    `racks` are names by number, None being the one rack of a cluster whose racks aren't all known;
    `rack_of` (B,) is -1 for brokers that aren't to be used.
    """

    brokers: list[Broker]
    partitions: list[Partition]
    topics: list[str]
    ids: IntArray
    racks: list[str | None]
    rack_of: IntArray
    receives: BoolArray
    weight: IntArray
    replicas: IntArray
    wanted: IntArray  # (P,) how many replicas
    topic: IntArray
    alive: BoolArray
    notes: list[str]

    @cached_property
    def names(self) -> list[tuple[str, int]]:
        """The topic and number of each partition."""
        return [(partition.topic, partition.partition) for partition in self.partitions]

    @property
    def kept(self) -> IntArray:
        """The replicas on brokers that are to be used (P, F)."""
        return np.where(self.used[self.replicas] & (self.replicas >= 0), self.replicas, NOBODY)

    @property
    def used(self) -> BoolArray:
        return self.rack_of >= 0

    def sizes(self) -> tuple[IntArray, int]:
        """Bytes of a replica of each partition, and of how many that isn't known: the mean."""
        reported_sizes = [
            partition.size for partition in self.partitions if partition.size is not None
        ]
        mean = round(sum(reported_sizes) / len(reported_sizes)) if reported_sizes else 1
        sizes = [
            mean if partition.size is None else partition.size for partition in self.partitions
        ]
        return np.array(sizes, np.int64), len(sizes) - len(reported_sizes)


def number_cluster(cluster: Cluster) -> NumberedCluster:
    """The cluster, which has no faults, in arrays."""
    partitions = sorted(cluster.partitions, key=lambda at: (at.topic, at.partition))
    by_id = {broker.id: broker for broker in cluster.brokers}
    named = set(chain.from_iterable(partition.replicas for partition in partitions))
    strangers = sorted(named - by_id.keys())
    by_id |= {stranger: Broker(stranger, usable=False, alive=False) for stranger in strangers}
    brokers = [by_id[broker_id] for broker_id in sorted(by_id)]
    notes = []
    if strangers:
        listed = ", ".join(map(str, strangers))
        notes.append(f"not among the brokers, and so taken as dead: {listed}")
    racks, rack_of = _racks(brokers, notes)
    ids = np.array([broker.id for broker in brokers], np.int64)
    topics = list(dict.fromkeys(partition.topic for partition in partitions))
    index = dict(zip(topics, range(len(topics)), strict=True))
    counts = [len(partition.replicas) for partition in partitions]
    factors = [partition.replication_factor for partition in partitions]
    wanted = [n if f is None else f for n, f in zip(counts, factors, strict=True)]
    return NumberedCluster(
        *(brokers, partitions, topics, ids, racks, rack_of),
        receives=np.array([broker.receives for broker in brokers], np.bool_) & (rack_of >= 0),
        weight=_weights(brokers),
        replicas=_replicas(partitions, max([1, *counts, min(max([1, *wanted]), len(ids))]), ids),
        wanted=np.array(wanted, np.int64),
        topic=np.array([index[partition.topic] for partition in partitions], np.int64),
        alive=np.array([broker.alive for broker in brokers], np.bool_),
        notes=notes,
    )


def _racks(brokers: list[Broker], notes: list[str]) -> tuple[list[str | None], IntArray]:
    named = {broker.rack for broker in brokers if broker.is_used}
    if None in named and len(named) > 1:
        without = next(b.id for b in brokers if b.is_used and b.rack is None)
        notes.append(
            f"broker {without} has no rack and others have one, which Kafka's own tools refuse: "
            "all are taken as of one rack"
        )
    racks: list[str | None] = [None]
    if named and None not in named:
        racks = [*sorted(rack for rack in named if rack is not None)]
    number = {rack: at for at, rack in enumerate(racks)}
    of = [number.get(broker.rack, 0) if broker.is_used else -1 for broker in brokers]
    return racks, np.array(of, np.int64)


def _weights(brokers: list[Broker]) -> IntArray:
    """The factor of each broker's load²: 1 ÷ capacity, in whole numbers."""
    largest = max((broker.capacity or 0 for broker in brokers), default=0)
    least = Fraction(1, FINEST)
    shares = [
        max(Fraction(broker.capacity / largest).limit_denominator(FINEST), least)
        if broker.is_used and broker.capacity
        else None
        for broker in brokers
    ]
    capacities = [share for share in shares if share]
    if not capacities:
        return np.ones(len(brokers), np.int64)
    whole = Fraction(lcm(*(capacity.numerator for capacity in capacities)))
    if max(whole / capacity for capacity in capacities) > FINEST:
        whole = FINEST * min(capacities)
    return np.array([max(round(whole / share), 1) if share else 1 for share in shares], np.int64)


def _replicas(partitions: list[Partition], width: int, ids: IntArray) -> IntArray:
    counts = np.array([len(partition.replicas) for partition in partitions], np.int64)
    replicas = np.full((len(partitions), width), NOBODY)
    flat = [*chain.from_iterable(partition.replicas for partition in partitions)]
    replicas[np.arange(width) < counts[:, None]] = np.searchsorted(ids, np.array(flat, np.int64))
    return replicas


def rack_needs(cluster: NumberedCluster, rows: IntArray) -> tuple[IntArray, IntArray]:
    """The least and the most replicas of each rack in every choice of least Σ replicas².

    Both are (rows, racks). Room in a rack have who receives, and who has a replica there. By
    water-filling every rack is filled up to a level, and some of those with room left get one
    more; so any two racks' bounds can be met together, whoever else does what.
    """
    of_rack = np.bincount(cluster.rack_of[cluster.receives], minlength=len(cluster.racks))
    room = np.tile(of_rack, (len(rows), 1))
    for column in cluster.kept[rows].T:
        at = np.flatnonzero((column >= 0) & ~cluster.receives[column])
        room[at, cluster.rack_of[column[at]]] += 1
    low, left = np.zeros_like(room), cluster.wanted[rows]
    while True:
        open_racks = room > low
        count = open_racks.sum(axis=1)
        full = (left >= count) & (count > 0) & (left > 0)
        if not full.any():
            return low, low + (open_racks & (left > 0)[:, None])
        low = low + (open_racks & full[:, None])
        left = left - np.where(full, count, 0)


def in_scope(cluster: NumberedCluster, leaders: bool = False) -> tuple[IntArray, list[LeftOut]]:
    """Partitions that can be planned, or led, and those in scope that can't, with the reason."""
    is_filled, kept = cluster.replicas >= 0, cluster.kept
    new = np.array([partition.is_new for partition in cluster.partitions], np.bool_)
    room = cluster.receives.sum() + ((kept >= 0) & ~cluster.receives[kept]).sum(axis=1)
    scope = np.array([partition.scope for partition in cluster.partitions], np.bool_)
    faults = {
        "its replicas aren't known": ~is_filled.any(axis=1) & ~new,
        "all its replicas are on dead brokers, so there is nothing to copy from": (
            ~(is_filled & cluster.alive[cluster.replicas]).any(axis=1) & ~new
        ),
        "{wanted} replicas need as many brokers, and only {room} can be used": (
            cluster.wanted > room
        ),
    }
    if leaders:
        faults = {"none of its replicas is on a broker that can be used": ~(kept >= 0).any(axis=1)}
    left_out = []
    for at in np.flatnonzero(scope & np.logical_or.reduce([*faults.values()])).tolist():
        reason = next(reason for reason, holds in faults.items() if holds[at])
        reason = reason.format(wanted=cluster.wanted[at], room=room[at])
        left_out.append(LeftOut(*cluster.partitions[at][:2], reason))
    return np.flatnonzero(scope & ~np.logical_or.reduce([*faults.values()])), left_out


def describe_reasons(left_out: list[LeftOut]) -> list[str]:
    """A sentence for each reason and topic."""
    counts = Counter((partition.topic, partition.reason) for partition in left_out)
    return [
        f"{plural(count, 'partition')} of {topic} left out: {reason}"
        for (topic, reason), count in counts.items()
    ]


def most_bytes_bound(cluster: NumberedCluster) -> int:
    """Bytes that some broker has at least, wherever replicas go as racks want them.

    That is an even share of all; of each rack's least over the rack's brokers; what stands still
    at a broker; or the largest partition. To reach the least is NP-hard, so it need not be.
    """
    used = np.flatnonzero(cluster.used)
    if not len(used):
        return 0
    rows, _ = in_scope(cluster)
    sizes = cluster.sizes()[0].astype(object)  # whose sums may need more than 64 bits
    standing = cluster.kept
    standing[rows] = NOBODY
    still = np.zeros(len(cluster.ids), object)
    for column in standing.T:
        np.add.at(still, column[column >= 0], sizes[column >= 0])
    bounds = [int(still.max())]
    total = int(still.sum())
    if len(rows):
        low, _ = rack_needs(cluster, rows)
        total += int((sizes[rows] * cluster.wanted[rows]).sum())
        bounds.append(int(sizes[rows].max()))
        for rack in range(len(cluster.racks)):
            here = cluster.rack_of == rack
            least = int((sizes[rows] * low[:, rack]).sum() + still[here].sum())
            if here.any():
                bounds.append(-(-least // int(here.sum())))
    return max(*bounds, -(-total // len(used)))
