"""How fast records come in to what one group reads, by few of a store's snapshots."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import timedelta
from itertools import pairwise
from statistics import fmean
from typing import NamedTuple

from pyspark.sql import DataFrame

from spark.fleet import FleetFiles, evenly, plain_rows, time_of, whole, within_reach

RATE_SNAPSHOTS = 3
"""Snapshots that give rates: only their average is needed."""

Rates = Mapping[str, Sequence[float]]
"""Records a second of each partition of a topic, 0 where it isn't known."""

Partition = tuple[str, int]


class Flow(NamedTuple):
    """What comes in to what a group reads, and the most that one of its members was seen to read.

    Records a second; None where that isn't known.
    """

    rates: Rates
    peak_rate: float | None = None


class _Moment(NamedTuple):
    """What a snapshot says of each partition of a group: its end, what is committed, its owner."""

    at: float
    ends: Mapping[Partition, int]
    committed: Mapping[Partition, int]
    owners: Mapping[Partition, str]


def rates_of_group(
    fleet: FleetFiles, store: str, group: str, cluster: str, window: timedelta
) -> Flow:
    """What comes in on average, over a window that ends with the group's snapshot.

    Pairs of snapshots count between which the end of a partition didn't fall. Nothing where the
    store has no two snapshots with offsets of this group in that time. InputError and
    UnreadableError are those of `FleetFiles.rows`.
    """
    last = fleet.clusters().get(cluster, fleet.id)
    stored = whole(fleet.place, store, last)
    near = within_reach([*stored.newest_first()][::-1], window)
    moments = [
        _moment(fleet, store, snapshot, group, cluster) for snapshot in evenly(near, RATE_SNAPSHOTS)
    ]
    rates = {}
    for key in sorted({key for moment in moments for key in moment.ends}):
        seen = [moment for moment in moments if key in moment.ends]
        grown = [
            (after.ends[key] - before.ends[key]) / (after.at - before.at)
            for before, after in pairwise(seen)
            if after.ends[key] >= before.ends[key]
        ]
        if grown:
            rates[key] = fmean(grown)
    return Flow(_by_topic(rates), _peak_rate(moments))


def mean_flow(rates: DataFrame, members: DataFrame) -> Flow:
    """The same by the tables of `FleetRates` of one group's topics."""
    means = {(row.topic, row.partition): row.mean or 0.0 for row in rates.collect()}
    return Flow(_by_topic(means), members.agg({"maximum": "max"}).collect()[0][0])


def _by_topic(rates: Mapping[Partition, float]) -> Rates:
    sizes: dict[str, int] = {}
    for topic, partition in sorted(rates):
        sizes[topic] = partition + 1
    return {
        topic: [rates.get((topic, number), 0.0) for number in range(size)]
        for topic, size in sizes.items()
    }


def _moment(fleet: FleetFiles, store: str, snapshot: str, group: str, cluster: str) -> _Moment:
    """What a snapshot says of what the group reads, as far as it is known."""
    files = FleetFiles.read(store, snapshot, place=fleet.place)
    time = time_of(snapshot)
    assert time is not None
    names = "topic", "partition", "end_offset", "committed_offset"
    ends: dict[Partition, int] = {}
    committed: dict[Partition, int] = {}
    for topic, number, *offsets in plain_rows(files, "offsets", names, cluster, group):
        for of, offset in zip((ends, committed), offsets, strict=True):
            if offset is not None and offset >= 0:
                of[topic, number] = offset
    owned = plain_rows(files, "assignments", ("topic", "partition", "member_id"), cluster, group)
    owners = {(topic, number): member for topic, number, member in owned}
    return _Moment(time.timestamp(), ends, committed, owners)


def _peak_rate(moments: Sequence[_Moment]) -> float | None:
    """The most that a member read between two snapshots, of what it owned at both."""
    most = 0.0
    for before, after in pairwise(moments):
        read: Counter[str] = Counter()
        for key, owner in after.owners.items():
            is_known = key in before.committed and key in after.committed
            if is_known and before.owners.get(key) == owner:
                read[owner] += max(after.committed[key] - before.committed[key], 0)
        most = max([most, *(records / (after.at - before.at) for records in read.values())])
    return most or None
