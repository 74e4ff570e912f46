"""Offsets and claims of a window brought to workers by partition, and all that is made of them.

A task has some partitions, with what every group has committed there and who owned it. Each row
that comes back is one of a single table: its column is filled, the others are null.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pyspark.sql import DataFrame, functions as F

from spark.fleet import PARTITION_KEYS, RECORDS_BEHIND
from spark.frames import by_polars
from spark.groups import tasks_for_rows
from spark.history.timeline import AT, RateWindow, seconds_of
from spark.store import SNAPSHOT

COUNTS = (
    f"cluster string, {AT} bigint, since bigint, rose bigint, written bigint, fell bigint, "
    "topic string, other_topic string"
)
"""Columns of what a task counts in a cluster at an instant, of partitions whose ends are known.

`since` is the latest neighbour. `written` is how many partitions ever rose, `fell` how many of
these did fall. `topic` and `other_topic` are two topics with an end that fell, where there are two.
"""

SUMS = {
    "since": "max(since)",
    **{name: f"sum({name})" for name in ("rose", "written", "fell")},
    "topic": "min(least(topic, other_topic))",
    "other_topic": "max(greatest(topic, other_topic))",
}
"""SQL text: the same of all tasks."""

JUMPED = "rose = 0 and fell >= 0.9 * written and topic != other_topic"


class Doubt(NamedTuple):
    """Instants of a cluster at which its clock may have been wrong, in seconds since 1970."""

    cluster: str
    instants: tuple[int, ...]


TRACK = ("cluster", "group", "topic", "partition")

FLOW = "last_seen string, mean double, quantile double, maximum double"

MADE = {
    "jumps": COUNTS,
    "rates": f"cluster string, topic string, partition int, {FLOW}, pairs bigint, resets bigint",
    "pairs": "cluster string, topic string, partition int, "
    f"pairs array<struct<since: bigint, {AT}: bigint, rate: double>>",
    "consumption": f"cluster string, `group` string, topic string, partition int, {FLOW}, "
    "now double, pairs bigint, resets bigint, lag bigint, lag_trend double, lag_seconds double, "
    "at_least boolean, seconds_to_drain double, falls_behind boolean",
    "backlog": "cluster string, `group` string, topic string, partition int, "
    "since bigint, lag bigint, uncommitted bigint",
    "reads": "cluster string, `group` string, member_id string, "
    f"since bigint, {AT} bigint, rate double",
    "commits": f"cluster string, `group` string, {AT} bigint, owner string, changed bigint",
}
"""The columns of each table, as SQL's types."""

OF_CLAIM = {"generation": "bigint", "member_id": "string"}
"""Claims that state no generation have 0, others one more than they state; offsets have none."""

OF_OFFSETS = ("committed", "end", "lag")

AT_ONCE = 500_000
"""Rows that a worker has in memory: some 200 MB."""


@dataclass(frozen=True)
class Series:
    """The rows of all tables of `MADE`, kept from first use until `release`."""

    rows: DataFrame
    has_owners: bool

    @staticmethod
    def of(
        tables: Mapping[str, DataFrame],
        window: RateWindow,
        quantile: float,
        owners: bool,
        doubts: Sequence[Doubt] = (),
    ) -> Series:
        """What the offsets of a window come to; without `owners` nobody owns anything."""
        schema = ", ".join(f"{name} struct<{columns}>" for name, columns in MADE.items())
        rows = _by_partition(tables, window, owners)
        options = quantile, doubts, window.instants()
        made = by_polars(rows, "spark.history.rate_frames:made_of", schema, *options)
        return Series(made.persist(), owners)

    def table(self, name: str) -> DataFrame:
        """The rows of one table."""
        return self.rows.where(F.col(name).isNotNull()).select(f"{name}.*")

    def release(self) -> None:
        """Free what is kept."""
        self.rows.unpersist()


def _by_partition(tables: Mapping[str, DataFrame], window: RateWindow, owners: bool) -> DataFrame:
    """All rows of a partition in one task."""
    rows = window.near(tables["offsets"]).select(
        *(*TRACK, SNAPSHOT),
        F.col("committed_offset").alias("committed"),
        F.col("end_offset").alias("end"),
        F.expr(RECORDS_BEHIND).alias("lag"),
        *(F.lit(None).cast(kind).alias(name) for name, kind in OF_CLAIM.items()),
    )
    if owners:
        claims = window.near(tables["assignments"]).select(
            *(*TRACK, SNAPSHOT),
            *(F.lit(None).cast("bigint").alias(name) for name in OF_OFFSETS),
            F.expr("ifnull(greatest(generation, -1), -1) + 1L").alias("generation"),
            "member_id",
        )
        rows = rows.unionAll(claims)
    count = rows.count()
    tasks = max(tasks_for_rows(rows.sparkSession, lambda: count), -(-count // AT_ONCE))
    return rows.repartition(tasks, *PARTITION_KEYS)


def doubts_of(counts: DataFrame, window: RateWindow) -> tuple[list[Doubt], list[str]]:
    """The instants between which all ends of a cluster fell, and a sentence on each two.

    That is: from one snapshot of it to the next no end rose, and nine tenths of those that are
    written at all fell, of more than one topic. Topics are created again one by one, while the
    others go on; of a topic alone it cannot be told. `counts` are the rows of all tasks.
    """
    fallen = (
        counts.groupBy("cluster", AT)
        .agg(*(F.expr(text).alias(name) for name, text in SUMS.items()))
        .where(JUMPED)
        .select("cluster", "since", AT)
    )
    result: dict[str, set[int]] = {}
    notes = []
    for cluster, since, at in sorted(map(tuple, fallen.collect())):
        names = {seconds_of(item): item for item in window.snapshots[cluster]}
        result.setdefault(cluster, set()).update((since, at))
        notes.append(
            f"cluster {cluster}: all end offsets fell from snapshot {names[since]} to {names[at]}: "
            "the clock of the collecting machine may have jumped back; no pair with one of the two "
            "counts"
        )
    return [Doubt(cluster, (*sorted(of),)) for cluster, of in result.items()], notes
