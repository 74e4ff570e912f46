"""When each cluster was examined, and for how long what was seen may be taken to hold."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from itertools import accumulate, pairwise

from pyspark.sql import Column, DataFrame, functions as F

from spark.files import SNAPSHOT
from spark.fleet import MAX_AGE, escaped, time_of


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
        entries = self._seconds_before[cluster]
        return entries[end + 1] - entries[start]

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
    start, end = time_of(before), time_of(after)
    if start is None or end is None:
        raise ValueError(f"{before} or {after} is no time")
    return (end - start).total_seconds()


def placed_in_time(rows: DataFrame, name: str, values: Iterable[tuple[str, str, int]]) -> DataFrame:
    """The rows of these clusters and snapshots, with a column `name` that has their value.

    In `values` clusters are spelled as `escaped` does, and so they are in a column `spelled` more.
    """
    schema = f"spelled string, of_{SNAPSHOT} string, {name} bigint"
    entries = rows.sparkSession.createDataFrame([*values], schema)
    same = (F.expr(escaped("cluster")) == F.col("spelled")) & (
        F.col(SNAPSHOT) == F.col(f"of_{SNAPSHOT}")
    )
    return rows.join(F.broadcast(entries), same).drop(f"of_{SNAPSHOT}")


def hours_between(before: Column, after: Column) -> Column:
    """The same in hours, of columns of ids."""

    def seconds(snapshot: Column) -> Column:
        return F.unix_timestamp(F.to_timestamp(snapshot, "yyyyMMdd'T'HHmmss'Z'"))

    return (seconds(after) - seconds(before)) / 3600
