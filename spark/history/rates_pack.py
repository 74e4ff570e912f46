"""Offsets and claims of a window, put in order of time once, and kept as bytes.

Each task has some partitions, with all that every group has committed there. What it hands back is
a row with two tables: `ends` has a row a partition and instant (`spark.history.rates_ends`),
`tracks` a row a partition of a group and instant (`spark.history.rates_tracks`). The other rows
count what tells that a clock has jumped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, functions as F

from optimizer.model import IntArray
from spark.files import SNAPSHOT
from spark.fleet import PARTITION_KEYS, RECORDS_BEHIND, spelled, time_of
from spark.groups import tasks_for_rows
from spark.history.rates_ends import Ends
from spark.history.rates_jumps import COUNTS, jump_counts
from spark.history.rates_pairs import Runs, grouped, keyed
from spark.history.rates_tracks import TRACK
from spark.history.rates_window import RateWindow, seconds_of
from spark.history.series_arrow import (
    UNKNOWN,
    Coded,
    Mask,
    bytes_column,
    coded_column,
    number_column,
    packed,
    text_column,
)

PACKED = ("ends", "tracks")
"""The columns of bytes."""

SCHEMA = ", ".join([*(f"{name} binary" for name in PACKED), COUNTS])

OF_CLAIM = {"generation": "bigint", "member_id": "string"}
"""Claims that state no generation have 0, others one more than they state; offsets have none."""

OF_OFFSETS = ("committed", "end", "lag")

AT_ONCE = 500_000
"""Rows that a worker has in memory: some 200 MB."""

LARGEST = np.iinfo(np.int64).max


def packed_series(tables: Mapping[str, DataFrame], window: RateWindow, claims: bool) -> DataFrame:
    """The rows of `SCHEMA`; without `claims` nobody is known to own anything."""
    rows = _near(tables["offsets"], window).select(
        *(*TRACK, SNAPSHOT),
        F.col("committed_offset").alias("committed"),
        F.col("end_offset").alias("end"),
        F.expr(RECORDS_BEHIND).alias("lag"),
        *(F.lit(None).cast(kind).alias(name) for name, kind in OF_CLAIM.items()),
    )
    if claims:
        claimed = _near(tables["assignments"], window).select(
            *(*TRACK, SNAPSHOT),
            *(F.lit(None).cast("bigint").alias(name) for name in OF_OFFSETS),
            F.expr("ifnull(greatest(generation, -1), -1) + 1L").alias("generation"),
            "member_id",
        )
        rows = rows.unionAll(claimed)
    held = {cluster: (*ids,) for cluster, ids in window.snapshots.items()}

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        if filled := [batch for batch in batches if batch.num_rows]:
            # of many small batches each column would be looked up as often
            yield _packed(_Rows.of(pa.Table.from_batches(filled).combine_chunks(), held))

    count = rows.count()
    tasks = max(tasks_for_rows(rows.sparkSession, lambda: count), -(-count // AT_ONCE))
    return rows.repartition(tasks, *PARTITION_KEYS).mapInArrow(work, SCHEMA)


def _near(rows: DataFrame, window: RateWindow) -> DataFrame:
    """The rows of a time that has all of the window."""
    first = min((ids[0] for ids in window.snapshots.values()), default="")
    return rows.where(F.col(SNAPSHOT) >= first)


class _Rows(NamedTuple):
    """Offsets and claims of the window, clusters spelled as there; what isn't known is UNKNOWN."""

    cluster: Coded
    at: IntArray
    group: Coded
    topic: Coded
    member_id: Coded
    partition: IntArray
    committed: IntArray
    end: IntArray
    lag: IntArray
    generation: IntArray

    @staticmethod
    def of(table: pa.Table, held: Mapping[str, Sequence[str]]) -> _Rows:
        """The rows of a table that are of one of these snapshots of their clusters."""
        cluster, at, is_held = _placed(table, held)
        keep = np.flatnonzero(is_held)
        group, topic, member = (
            coded_column(table, name).at(keep) for name in ("group", "topic", "member_id")
        )
        partition, committed, end, lag, generation = (
            number_column(table, name)[keep] for name in ("partition", *OF_OFFSETS, "generation")
        )
        return _Rows(
            *(cluster.at(keep), at[keep], group, topic, member),
            *(partition, committed, end, lag, generation),
        )


def _placed(table: pa.Table, held: Mapping[str, Sequence[str]]) -> tuple[Coded, IntArray, Mask]:
    """The clusters of rows, spelled as in the window, their instants, and which are of it."""
    cluster, snapshot = (coded_column(table, name) for name in ("cluster", SNAPSHOT))
    spellings = [spelled(name) for name in cluster.names.cast(pa.binary()).to_pylist()]
    ids = snapshot.names.to_pylist()
    place = {name: place for place, name in enumerate(held)}
    entries = [{*held.get(name, ())} for name in spellings]
    is_held = np.array([[item in of for item in ids] for of in entries], np.bool_)
    seconds = np.array([seconds_of(item) if time_of(item) else UNKNOWN for item in ids])
    positions = np.array([place.get(name, UNKNOWN) for name in spellings])
    clusters = Coded(positions[cluster.codes], text_column([*held]))
    return clusters, seconds[snapshot.codes], is_held[cluster.codes, snapshot.codes]


def _packed(rows: _Rows) -> pa.RecordBatch:
    """The rows of `SCHEMA` that those of one task come to."""
    key = keyed(rows.cluster.codes, rows.topic.codes, rows.partition)
    listed = rows.generation < 0
    ends = _ends(rows, key, listed)
    counts = jump_counts(Ends.of(ends))
    tables = [bytes_column([packed(table)]) for table in (ends, _tracks(rows, key, listed))]
    alone = pa.RecordBatch.from_arrays(tables, [*PACKED])
    both = pa.concat_tables(
        [pa.Table.from_batches([alone]), pa.Table.from_batches([counts])], promote_options="default"
    )
    return both.combine_chunks().to_batches()[0]


def _ends(rows: _Rows, key: IntArray, listed: Mask) -> dict[str, Coded | IntArray]:
    """A row a partition and instant: the highest end that a group was told."""
    order, runs = grouped(np.flatnonzero(listed), key, rows.at)
    first = order[runs.starts]
    return {
        "cluster": rows.cluster.at(first),
        "topic": rows.topic.at(first),
        "partition": rows.partition[first],
        "at": rows.at[first],
        "end": runs.highest(np.maximum(rows.end[order], UNKNOWN)),
        "series": Runs(key[first]).of_row,
    }


def _tracks(rows: _Rows, key: IntArray, listed: Mask) -> dict[str, Coded | IntArray]:
    """A row a partition of a group and instant that offsets name, with who owned it then."""
    track = keyed(key, rows.group.codes)
    order, runs = grouped(np.arange(len(track)), track, rows.at)
    named = runs.count(listed[order]) > 0
    first = order[runs.starts][named]
    # as numbers without a sign, UNKNOWN is the highest of all
    lag = runs.lowest(rows.lag[order].astype(np.uint64)).astype(np.int64)[named]
    owner = _owner(runs, rows.generation[order], rows.member_id.codes[order])[named]
    partitions = Runs(key[first])
    return {
        "cluster": rows.cluster.at(first),
        "group": rows.group.at(first),
        "topic": rows.topic.at(first),
        "partition": rows.partition[first],
        "at": rows.at[first],
        "committed": runs.highest(np.maximum(rows.committed, UNKNOWN)[order])[named],
        "end": runs.highest(np.maximum(rows.end, UNKNOWN)[order])[named],
        "lag": lag,
        "owner": Coded(owner, rows.member_id.names),
        "series": partitions.of_row,
        "track": Runs(track[first]).of_row,
    }


def _owner(runs: Runs, generation: IntArray, member: IntArray) -> IntArray:
    """Who claims it in the highest generation; nobody where several do (AbstractStickyAssignor)."""
    highest = runs.highest(generation).repeat(runs.lengths)
    claims = (generation >= 0) & (generation == highest)
    lowest = runs.lowest(np.where(claims, member, LARGEST))
    return np.where(lowest == runs.highest(np.where(claims, member, UNKNOWN)), lowest, UNKNOWN)
