"""How fast records come in to what one group reads, by few of a store's snapshots."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import timedelta
from itertools import pairwise
from statistics import fmean
from typing import Any, NamedTuple

from pyspark.sql import DataFrame

from spark.files import NULL
from spark.fleet import FleetFiles, evenly, names_wanted, spelled, time_of, whole, within_reach

RATE_SNAPSHOTS = 3
"""Snapshots that give rates: only their average is needed."""

Rates = Mapping[str, Sequence[float]]
"""Records a second of each partition of a topic, 0 where it isn't known."""

End = tuple[float, int]
"""An instant in seconds, and where a partition ended then."""

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
    ends: dict[Partition, list[End]] = {}
    for moment in moments:
        for key, end in moment.ends.items():
            ends.setdefault(key, []).append((moment.at, end))
    rates: dict[str, list[float]] = {}
    for (topic, partition), series in sorted(ends.items()):
        if (rate := _rate(series)) is not None:
            result = rates.setdefault(topic, [])
            result += [0.0] * (partition + 1 - len(result))
            result[partition] = rate
    return Flow(rates, _peak_rate(moments))


def mean_flow(rates: DataFrame, members: DataFrame) -> Flow:
    """The same by the tables of `FleetRates` of one group's topics."""
    result: dict[str, list[float]] = {}
    for row in rates.orderBy("topic", "partition").collect():
        entries = result.setdefault(row.topic, [])
        entries += [0.0] * (row.partition + 1 - len(entries))
        entries[row.partition] = row.mean or 0.0
    return Flow(result, members.agg({"maximum": "max"}).collect()[0][0])


def _moment(fleet: FleetFiles, store: str, snapshot: str, group: str, cluster: str) -> _Moment:
    """What a snapshot says of what the group reads, as far as it is known."""
    files = FleetFiles.read(store, snapshot, place=fleet.place)
    only = names_wanted([group])
    columns = "topic", "partition", "end_offset", "committed_offset"
    rows = files.rows("offsets", columns, cluster, group=only)
    owned = files.rows("assignments", ("topic", "partition", "member_id"), cluster, group=only)
    time = time_of(snapshot)
    assert time is not None
    keys, owned_keys = _partitions(rows), _partitions(owned)
    return _Moment(
        time.timestamp(),
        _offsets(keys, rows["end_offset"].tolist()),
        _offsets(keys, rows["committed_offset"].tolist()),
        dict(zip(owned_keys, map(spelled, owned["member_id"].to_pylist()), strict=True)),
    )


def _partitions(rows: Mapping[str, Any]) -> list[Partition]:
    topics = map(spelled, rows["topic"].to_pylist())
    return [*zip(topics, rows["partition"].tolist(), strict=True)]


def _offsets(keys: Sequence[Partition], offsets: Sequence[int]) -> dict[Partition, int]:
    """Those that are known."""
    pairs = zip(keys, offsets, strict=True)
    return {key: offset for key, offset in pairs if offset != NULL and offset >= 0}


def _rate(series: Sequence[End]) -> float | None:
    rates = [
        (after - before) / (end - at)
        for (at, before), (end, after) in pairwise(series)
        if after >= before
    ]
    return fmean(rates) if rates else None


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
