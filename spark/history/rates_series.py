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

SUMS = {
    "since": "max(since)",
    **{name: f"sum({name})" for name in ("rose", "written", "fell")},
    "topic": "min(least(topic, other_topic))",
    "other_topic": "max(greatest(topic, other_topic))",
}
"""SQL text: the same of all tasks."""


def struct_text(columns: Mapping[str, str]) -> str:
    """SQL text: the type of a struct with these columns."""
    return f"struct<{', '.join(f'`{name}`: {of}' for name, of in columns.items())}>"


JUMPED = "rose = 0 and fell >= 0.9 * written and topic != other_topic"


class Doubt(NamedTuple):
    """Instants of a cluster at which its clock may have been wrong, in seconds since 1970."""

    cluster: str
    instants: tuple[int, ...]


OF_PARTITION = {"cluster": "string", "topic": "string", "partition": "int"}

OF_GROUP = {"cluster": "string", "group": "string"}

OF_TRACK = OF_GROUP | OF_PARTITION

TRACK = tuple(OF_TRACK)

FLOW = {"last_seen": "string", **dict.fromkeys(("mean", "quantile", "maximum"), "double")}

COUNTS = dict.fromkeys(("pairs", "resets"), "bigint")

PAIR = {"since": "bigint", AT: "bigint", "rate": "double"}

MADE: dict[str, dict[str, str]] = {
    "jumps": {
        "cluster": "string",
        **dict.fromkeys((AT, "since", "rose", "written", "fell"), "bigint"),
        **dict.fromkeys(("topic", "other_topic"), "string"),
    },
    "rates": OF_PARTITION | FLOW | COUNTS,
    "pairs": OF_PARTITION | {"pairs": f"array<{struct_text(PAIR)}>"},
    "consumption": {
        **(OF_TRACK | FLOW | {"now": "double"} | COUNTS),
        **{"lag": "bigint", "lag_trend": "double", "lag_seconds": "double"},
        **{"at_least": "boolean", "seconds_to_drain": "double", "falls_behind": "boolean"},
    },
    "backlog": OF_TRACK | dict.fromkeys(("since", "lag", "uncommitted"), "bigint"),
    "reads": OF_GROUP | {"member_id": "string"} | PAIR,
    "commits": OF_GROUP | {AT: "bigint", "owner": "string", "changed": "bigint"},
}
"""The columns of each table and their types in SQL.

`jumps` are counts of a cluster's partitions at an instant, of those whose ends are known. `since`
is the latest neighbour. `written` is how many ever rose, `fell` how many of these did fall. `topic`
and `other_topic` are two topics with an end that fell, where there are two.
"""

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
        """Series by the offsets of a window; without `owners` nobody owns anything."""
        schema = ", ".join(f"{name} {struct_text(columns)}" for name, columns in MADE.items())
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
    instants: dict[str, set[int]] = {}
    notes = []
    for cluster, since, at in sorted(map(tuple, fallen.collect())):
        names = {seconds_of(snapshot): snapshot for snapshot in window.snapshots[cluster]}
        instants.setdefault(cluster, set()).update((since, at))
        notes.append(
            f"cluster {cluster}: all end offsets fell from snapshot {names[since]} to {names[at]}: "
            "the clock of the collecting machine may have jumped back; no pair with one of the two "
            "counts"
        )
    return [Doubt(cluster, (*sorted(of),)) for cluster, of in instants.items()], notes
