"""Where each partition ended at each instant, and how fast that moves: what comes in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from optimizer.model import IntArray
from spark.fleet import PARTITION_KEYS
from spark.history.rates_pairs import (
    SUMMARY,
    Doubt,
    Pairs,
    Runs,
    broke,
    pairs_of,
    summary,
)
from spark.history.rates_window import AT
from spark.history.series_arrow import (
    Coded,
    Mask,
    array_of,
    coded_column,
    list_column,
    number_column,
    text_column,
)

PAIRS = (
    "cluster string, topic string, partition int, "
    f"pairs array<struct<since: bigint, {AT}: bigint, rate: double>>"
)

RATES = (
    "cluster string, topic string, partition int, last_seen string, mean double, quantile double, "
    "maximum double, pairs bigint, resets bigint"
)


@dataclass(frozen=True)
class Ends:
    """A row a partition and instant, with its `end`, the highest that a group of it was told.

    `series` numbers the partitions; each one's rows are in order of time.
    """

    cluster: Coded
    topic: Coded
    partition: IntArray
    at: IntArray
    end: IntArray
    series: IntArray

    @staticmethod
    def of(columns: Mapping[str, Coded | IntArray]) -> Ends:
        """The same by names."""
        return Ends(**columns)  # type: ignore[arg-type]

    @staticmethod
    def read(table: pa.Table) -> Ends:
        """Those that were packed."""
        return Ends(
            coded_column(table, "cluster"),
            coded_column(table, "topic"),
            *(number_column(table, name) for name in ("partition", "at", "end", "series")),
        )

    @cached_property
    def runs(self) -> Runs:
        """The partitions."""
        return Runs(self.series)

    def pairs(self, doubts: Sequence[Doubt]) -> Pairs:
        """What came in from one instant to the next."""
        return pairs_of(self.runs, self.end, self.at, self.cluster, doubts)

    @cached_property
    def written(self) -> Mask:
        """Whether the row's partition ever rose."""
        before = self.runs.before(self.end >= 0)
        rose = (before >= 0) & (self.end > self.end[before])
        of_partition = self.runs.count(rose) > 0
        return of_partition.repeat(self.runs.lengths)

    @cached_property
    def unbroken(self) -> Mask:
        """The rows with an end that is known, since it last fell."""
        last = broke(self.runs, self.pairs(()).fell, self.at)
        return (self.end >= 0) & (self.at >= last.repeat(self.runs.lengths))

    def keys(self, rows: IntArray) -> list[pa.Array]:
        """The columns of `PARTITION_KEYS` of these rows."""
        partition = array_of(self.partition[rows], pa.int32())
        return [self.cluster.at(rows).array(), self.topic.at(rows).array(), partition]


def rates_batch(
    ends: Ends, quantile: float, doubts: Sequence[Doubt], ids: Mapping[int, str]
) -> pa.RecordBatch:
    """A row a partition: see `FleetRates.rates`; `ids` are those of snapshots by their instants."""
    last = ends.runs.last
    result = summary(ends.runs, ends.pairs(doubts), quantile)
    columns = [*ends.keys(last), last_seen(ends.at[last], ids), *result.values()]
    return pa.RecordBatch.from_arrays(columns, [*PARTITION_KEYS, "last_seen", *SUMMARY])


def pairs_batch(ends: Ends, doubts: Sequence[Doubt]) -> pa.RecordBatch:
    """A row a partition with its `pairs` in order of time: see `FleetRates.pairs`."""
    pairs = ends.pairs(doubts)
    rows = np.flatnonzero((pairs.before >= 0) & (ends.end >= 0))
    runs = Runs(ends.series[rows])
    rate = pairs.rate[rows]
    lists = {
        "since": array_of(ends.at[pairs.before[rows]], pa.int64()),
        AT: array_of(ends.at[rows], pa.int64()),
        "rate": array_of(rate, pa.float64(), ~np.isnan(rate)),
    }
    columns = [*ends.keys(rows[runs.starts]), list_column(runs.lengths, lists)]
    return pa.RecordBatch.from_arrays(columns, [*PARTITION_KEYS, "pairs"])


def last_seen(at: IntArray, ids: Mapping[int, str]) -> pa.Array:
    """The snapshots of these instants."""
    instants, positions = np.unique(at, return_inverse=True)
    return Coded(positions, text_column([ids[item] for item in instants.tolist()])).array()
