"""How fast records come in to what one group reads, by few of a store's snapshots."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import timedelta
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
    ends: dict[Partition, tuple[float, int]] = {}
    grown: defaultdict[Partition, list[float]] = defaultdict(list)
    most, since, before = 0.0, 0.0, dict[Partition, tuple[str, int]]()
    for snapshot in evenly(near, RATE_SNAPSHOTS):
        files, time = FleetFiles.read(store, snapshot, place=fleet.place), time_of(snapshot)
        assert time is not None
        now, committed = time.timestamp(), dict[Partition, int]()
        for topic, number, end, offset in plain_rows(files, "offsets", OFFSETS, cluster, group):
            key = topic, number
            if end is not None and end >= 0:
                at, earlier = ends.get(key, (now, end))
                if at < now and end >= earlier:
                    grown[key].append((end - earlier) / (now - at))
                ends[key] = now, end
            if offset is not None and offset >= 0:
                committed[key] = offset
        owned = {
            (topic, number): (member, committed[topic, number])
            for topic, number, member in plain_rows(files, "assignments", OWNER, cluster, group)
            if (topic, number) in committed
        }
        read: Counter[str] = Counter()  # by members of what they owned at both ends
        for key in owned.keys() & before.keys():
            (member, offset), (owner, earlier) = owned[key], before[key]
            if member == owner:
                read[member] += max(offset - earlier, 0)
        most = max([most, *(records / (now - since) for records in read.values())])
        since, before = now, owned
    return Flow(_by_topic({key: fmean(grown[key]) for key in sorted(grown)}), most or None)


OFFSETS = ("topic", "partition", "end_offset", "committed_offset")
OWNER = ("topic", "partition", "member_id")


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
