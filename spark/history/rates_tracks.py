"""What each group had committed of each partition at each instant, and who owned that then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from optimizer.model import IntArray
from spark.history.rates_pairs import Doubt, Pairs, Runs, grouped, pairs_of
from spark.history.rates_window import AT
from spark.history.series_arrow import Coded, array_of, coded_column, number_column

TRACK = ("cluster", "group", "topic", "partition")

READS = f"cluster string, `group` string, member_id string, since bigint, {AT} bigint, rate double"

COMMITS = f"cluster string, `group` string, {AT} bigint, owner string, changed bigint"

BACKLOG = (
    "cluster string, `group` string, topic string, partition int, since bigint, lag bigint, "
    "uncommitted bigint"
)


@dataclass(frozen=True)
class Tracks:
    """A row a partition of a group and instant, as the offsets name it.

    What isn't known of `committed`, `end`, `lag` and `owner` (a member id) is UNKNOWN. `track`
    numbers partitions of groups, each of whose rows are in order of time, and `series` partitions,
    as in `spark.history.rates_ends`.
    """

    cluster: Coded
    group: Coded
    topic: Coded
    owner: Coded
    partition: IntArray
    at: IntArray
    committed: IntArray
    end: IntArray
    lag: IntArray
    series: IntArray
    track: IntArray

    @staticmethod
    def read(table: pa.Table) -> Tracks:
        """Those that were packed."""
        cluster, group, topic, owner = (
            coded_column(table, name) for name in ("cluster", "group", "topic", "owner")
        )
        numbers = ("partition", "at", "committed", "end", "lag", "series", "track")
        columns = (number_column(table, name) for name in numbers)
        return Tracks(cluster, group, topic, owner, *columns)

    @cached_property
    def runs(self) -> Runs:
        """The partitions of groups."""
        return Runs(self.track)

    def pairs(self, doubts: Sequence[Doubt]) -> Pairs:
        """What was read from one instant to the next."""
        return pairs_of(self.runs, self.committed, self.at, self.cluster, doubts)


def reads_batch(tracks: Tracks, doubts: Sequence[Doubt]) -> pa.RecordBatch:
    """A row a member and pair: the `rate` at which it read what it owned at both ends of it."""
    pairs = tracks.pairs(doubts)
    owner = tracks.owner.codes
    kept = ~np.isnan(pairs.rate) & (owner >= 0) & (owner == owner[pairs.before])
    since = tracks.at[pairs.before]
    keys = (tracks.cluster.codes, tracks.group.codes, owner, since, tracks.at)
    rows, runs = grouped(np.flatnonzero(kept), *keys)
    first = rows[runs.starts]
    columns = {
        "cluster": tracks.cluster.at(first).array(),
        "group": tracks.group.at(first).array(),
        "member_id": tracks.owner.at(first).array(),
        "since": array_of(since[first], pa.int64()),
        AT: array_of(tracks.at[first], pa.int64()),
        "rate": array_of(runs.total(pairs.rate[rows]), pa.float64()),
    }
    return pa.RecordBatch.from_pydict(columns)


def commits_batch(tracks: Tracks) -> pa.RecordBatch:
    """A row a group, instant and owner (or none): offsets that `changed` since their neighbour."""
    before = tracks.pairs(()).before
    committed = tracks.committed
    changed = (before >= 0) & (committed >= 0) & (committed != committed[before])
    keys = (tracks.cluster.codes, tracks.group.codes, tracks.at, tracks.owner.codes)
    rows, runs = grouped(np.flatnonzero(changed), *keys)
    first = rows[runs.starts]
    columns = {
        "cluster": tracks.cluster.at(first).array(),
        "group": tracks.group.at(first).array(),
        AT: array_of(tracks.at[first], pa.int64()),
        "owner": tracks.owner.at(first).array(),
        "changed": array_of(runs.lengths, pa.int64()),
    }
    return pa.RecordBatch.from_pydict(columns)


def backlog_batch(tracks: Tracks) -> pa.RecordBatch:
    """A row a partition of a group: see `FleetRates.backlog`."""
    runs = tracks.runs
    first = runs.starts
    lag, end = tracks.lag[first], tracks.end[first]
    is_uncommitted = (runs.highest(np.maximum(tracks.committed, tracks.lag)) < 0) & (end >= 0)
    columns = {
        "cluster": tracks.cluster.at(first).array(),
        "group": tracks.group.at(first).array(),
        "topic": tracks.topic.at(first).array(),
        "partition": array_of(tracks.partition[first], pa.int32()),
        "since": array_of(tracks.at[first], pa.int64()),
        "lag": array_of(lag, pa.int64(), lag >= 0),
        "uncommitted": array_of(end, pa.int64(), is_uncommitted),
    }
    return pa.RecordBatch.from_pydict(columns)
