"""When each cluster was examined, and for how long what was seen may be taken to hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from itertools import accumulate, pairwise

from pyspark.sql import Column, DataFrame, functions as F

from spark.errors import InputError
from spark.fleet import MAX_AGE, escape, time_of, within_reach
from spark.settings import in_words, window_length
from spark.store import SNAPSHOT
from spark.text import list_of


@dataclass(frozen=True)
class Timeline:
    """For each cluster the ids of its snapshots, oldest first; a position is an index into them.

    What a snapshot tells is taken to hold until the next of its cluster, though no longer than
    `max_age`: of a cluster that nobody examined for a week six days aren't known. What the last
    one tells holds for no time yet.
    """

    snapshots: Mapping[str, Sequence[str]]
    max_age: timedelta = MAX_AGE

    def last(self, cluster: str) -> int:
        """The position of a cluster's last snapshot."""
        return len(self.snapshots[cluster]) - 1

    def positions(self) -> Iterator[tuple[str, str, int]]:
        """Cluster, snapshot and position."""
        for cluster, ids in self.snapshots.items():
            for position, snapshot in enumerate(ids):
                yield cluster, snapshot, position

    def known_seconds(self, cluster: str, start: int, end: int) -> float:
        """How long what was seen from position `start` to `end` held, both included."""
        seconds = self._seconds_before[cluster]
        return seconds[end + 1] - seconds[start]

    @cached_property
    def _seconds_before(self) -> dict[str, list[float]]:
        """For each cluster the seconds known before each position, and in the end."""
        return {
            cluster: [*accumulate(self._lengths(ids), initial=0.0)]
            for cluster, ids in self.snapshots.items()
        }

    def _lengths(self, ids: Sequence[str]) -> list[float]:
        most = self.max_age.total_seconds()
        return [*(min(seconds_between(a, b), most) for a, b in pairwise(ids)), 0.0]


def seconds_between(before: str, after: str) -> float:
    """Seconds from one snapshot to another, by ids that are times; ValueError if one isn't."""
    return float(seconds_of(after) - seconds_of(before))


def placed_in_time(
    rows: DataFrame, name: str, numbers: Iterable[tuple[str, str, int]]
) -> DataFrame:
    """The rows of these clusters and snapshots, with a column `name` that has their value.

    In `numbers` clusters are spelled as `escape` does, and so they are in a column `spelled` more.
    """
    schema = f"spelled string, of_{SNAPSHOT} string, {name} bigint"
    numbered = rows.sparkSession.createDataFrame([*numbers], schema)
    same = (F.expr(escape("cluster")) == F.col("spelled")) & (
        F.col(SNAPSHOT) == F.col(f"of_{SNAPSHOT}")
    )
    return rows.join(F.broadcast(numbered), same).drop(f"of_{SNAPSHOT}")


def hours_between(before: Column, after: Column) -> Column:
    """Hours between snapshots, of columns of ids."""

    def seconds(snapshot: Column) -> Column:
        return F.unix_timestamp(F.to_timestamp(snapshot, "yyyyMMdd'T'HHmmss'Z'"))

    return (seconds(after) - seconds(before)) / 3600


AT = "at"
"""The column of an instant, in seconds since 1970."""


@dataclass(frozen=True)
class RateWindow:
    """For each cluster those of its snapshots that are at most `length` older than its last.

    Oldest first. Clusters without snapshots are left out.
    """

    length: timedelta
    snapshots: Mapping[str, Sequence[str]]

    @staticmethod
    def of(timeline: Timeline, length: timedelta | str) -> RateWindow:
        """Snapshots that a window of this length holds.

        InputError for a length that is none, and one that holds a single snapshot of each cluster
        where there are more.
        """
        wanted = window_length(length)
        instants = {cluster: ids for cluster, ids in timeline.snapshots.items() if ids}
        near = {cluster: within_reach(ids, wanted) for cluster, ids in instants.items()}
        if not any(len(ids) > 1 for ids in near.values()):
            _refuse_if_longer_would_do(wanted, instants)
        return RateWindow(wanted, near)

    def notes(self) -> list[str]:
        """A sentence on the clusters of which a rate can't be known."""
        alone = [cluster for cluster, ids in self.snapshots.items() if len(ids) == 1]
        if not alone:
            return []
        length = in_words(self.length)
        return [
            f"{list_of('cluster', alone)} without rates: the window of {length} holds one snapshot "
            "there, and a rate is of two"
        ]

    def instants(self) -> list[tuple[str, str, int]]:
        """Cluster, snapshot and seconds."""
        return [
            (cluster, snapshot, seconds_of(snapshot))
            for cluster, ids in self.snapshots.items()
            for snapshot in ids
        ]

    def place(self, rows: DataFrame) -> DataFrame:
        """The rows of these snapshots, with their instant, their clusters spelled as in the window.

        The column `at` is in seconds since 1970.
        """
        near = placed_in_time(self.near(rows), AT, self.instants())
        return near.withColumn("cluster", F.col("spelled")).drop("spelled")

    def near(self, rows: DataFrame) -> DataFrame:
        """The rows since the first of these snapshots."""
        first = min((ids[0] for ids in self.snapshots.values()), default="")
        return rows.where(F.col(SNAPSHOT) >= first)


def seconds_of(snapshot: str) -> int:
    """The instant of a snapshot, whose id is a time; ValueError if it isn't."""
    time = time_of(snapshot)
    if time is None:
        raise ValueError(f"{snapshot} is no time")
    return int(time.timestamp())


def _refuse_if_longer_would_do(length: timedelta, instants: Mapping[str, Sequence[str]]) -> None:
    gaps = [seconds_between(*ids[-2:]) for ids in instants.values() if len(ids) > 1]
    if gaps:
        enough = in_words(timedelta(seconds=min(gaps)))
        raise InputError(
            f"a window of {in_words(length)} holds one snapshot of each cluster, and a rate is of "
            f"two: choose one of at least {enough}"
        )
