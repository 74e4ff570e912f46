"""The snapshots of each cluster that a window of time holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from pyspark.sql import DataFrame, functions as F

from spark.errors import InputError
from spark.files import SNAPSHOT
from spark.fleet import time_of
from spark.history.timeline import Timeline, placed_in_time, seconds_between
from spark.settings import in_words, window_length
from spark.text import named

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
        """What a window of this length holds.

        InputError for a length that is none, and one that holds a single snapshot of each cluster
        where there are more.
        """
        wanted = window_length(length)
        most = wanted.total_seconds()
        instants = {cluster: ids for cluster, ids in timeline.snapshots.items() if ids}
        near = {
            cluster: [item for item in ids if seconds_between(item, ids[-1]) <= most]
            for cluster, ids in instants.items()
        }
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
            f"{named('cluster', alone)} without rates: the window of {length} holds one snapshot "
            "there, and a rate is of two"
        ]

    def placed(self, rows: DataFrame) -> DataFrame:
        """The rows of these snapshots, with their instant, their clusters spelled as in the window.

        The column `at` is in seconds since 1970.
        """
        instants = (
            (cluster, name, seconds_of(name))
            for cluster, ids in self.snapshots.items()
            for name in ids
        )
        near = placed_in_time(self.near(rows), AT, instants)
        return near.withColumn("cluster", F.col("spelled")).drop("spelled")

    def near(self, rows: DataFrame) -> DataFrame:
        """The rows since the first of these snapshots."""
        first = min((ids[0] for ids in self.snapshots.values()), default="")
        return rows.where(F.col(SNAPSHOT) >= first)


def seconds_of(snapshot: str) -> int:
    """The instant of a snapshot, whose id is a time."""
    time = time_of(snapshot)
    assert time is not None
    return int(time.timestamp())


def _refuse_if_longer_would_do(length: timedelta, instants: Mapping[str, Sequence[str]]) -> None:
    gaps = [seconds_between(*ids[-2:]) for ids in instants.values() if len(ids) > 1]
    if gaps:
        enough = in_words(timedelta(seconds=min(gaps)))
        raise InputError(
            f"a window of {in_words(length)} holds one snapshot of each cluster, and a rate is of "
            f"two: choose one of at least {enough}"
        )
