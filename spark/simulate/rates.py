"""How fast records come in to what one group reads, by few of a store's snapshots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from itertools import pairwise
from statistics import fmean

from spark.files import NULL
from spark.fleet import FleetFiles, evenly, names_wanted, spelled, time_of, whole, within_reach

RATE_SNAPSHOTS = 3
"""Of so many snapshots rates are told: their average alone is asked for."""

Rates = Mapping[str, Sequence[float]]
"""Records a second of each partition of a topic, 0 where it isn't known."""

End = tuple[float, int]
"""An instant in seconds, and where a partition ended then."""


def rates_of_group(
    fleet: FleetFiles, store: str, group: str, cluster: str, window: timedelta
) -> Rates:
    """What comes in on average, over a window that ends with the group's snapshot.

    Pairs of snapshots count between which the end of a partition didn't fall. Nothing where the
    store has no two snapshots with offsets of this group in that time. InputError and
    UnreadableError are those of `FleetFiles.rows`.
    """
    last = fleet.clusters().get(cluster, fleet.id)
    stored = whole(fleet.place, store, last)
    near = within_reach([*stored.newest_first()][::-1], window)
    ends: dict[tuple[str, int], list[End]] = {}
    for snapshot in evenly(near, RATE_SNAPSHOTS):
        for key, end in _ends(fleet, store, snapshot, group, cluster).items():
            ends.setdefault(key, []).append(end)
    rates: dict[str, list[float]] = {}
    for (topic, partition), series in sorted(ends.items()):
        if (rate := _rate(series)) is not None:
            result = rates.setdefault(topic, [])
            result += [0.0] * (partition + 1 - len(result))
            result[partition] = rate
    return rates


def _ends(
    fleet: FleetFiles, store: str, snapshot: str, group: str, cluster: str
) -> dict[tuple[str, int], End]:
    """Where each partition that the group reads ended in a snapshot, as far as that is known."""
    columns = "topic", "partition", "end_offset"
    files = FleetFiles.read(store, snapshot, place=fleet.place)
    rows = files.rows("offsets", columns, cluster, group=names_wanted([group]))
    time = time_of(snapshot)
    assert time is not None
    at = time.timestamp()
    entries = zip(
        *(rows["topic"].to_pylist(), rows["partition"].tolist(), rows["end_offset"].tolist()),
        strict=True,
    )
    return {
        (spelled(topic), partition): (at, end)
        for topic, partition, end in entries
        if end != NULL and end >= 0
    }


def _rate(series: Sequence[End]) -> float | None:
    rates = [
        (after - before) / (later - at)
        for (at, before), (later, after) in pairwise(series)
        if after >= before
    ]
    return fmean(rates) if rates else None
