"""The groups of many instants as rows for workers: those in which facts changed, in order of time.

A cluster at an instant is a cluster to `spark.groups.encode`, by a name of its own.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from pyspark.sql import Column, DataFrame, functions as F

from spark.fleet import TABLES, FleetSnapshot, escaped
from spark.groups import (
    LAG,
    SEPARATOR,
    SPAN,
    EncodedRow,
    encode,
    tasks_for_rows,
    weight_tables,
)
from spark.history.group_spans import AT, KEYS, TOPIC, GroupSpans, key_of
from spark.store import SNAPSHOT

NOT_FACTS = ("offsets", "brokers")
"""Tables that no assignment depends on."""


class RowInTime(EncodedRow, Protocol):
    """A group as it was from the snapshot at position `start` to that at `end`, of the cluster's.

    `snapshot` is the first of them.
    """

    snapshot: str
    start: int
    end: int


def encode_changes(
    tables: Mapping[str, DataFrame],
    group_spans: GroupSpans,
    racks: bool = False,
    weights: Collection[str] = (),
    rates: DataFrame | None = None,
) -> DataFrame:
    """A `RowInTime` for each group at each start of `group_spans`.

    All rows of a group are in one task, one after the other, in order of time.

    `weights` are where those come from that go along, as they were at `start`; those by `rates`
    are the same at any time. InputError where one of these has nothing to tell.
    """
    tasks = tasks_for_rows(group_spans.rows.sparkSession, group_spans.size_of_starts)
    changed = _changed(tables, group_spans, LAG in weights)
    fleet = FleetSnapshot("of the history", {name: _as_one(rows) for name, rows in changed.items()})
    at_all = None if rates is None else _at_all_instants(rates, changed["partitions"])
    weighed = weight_tables(fleet, weights, at_all)
    spans = group_spans.spans.select(_instant().alias("cluster"), "group", "start", "end")
    return encode(fleet, racks, {SPAN: spans}, tasks, weighed, _BY)


_CLUSTER = f"substr(string(cluster), instr(string(cluster), '{SEPARATOR}') + 1)"
_BY = (escaped(_CLUSTER), escaped("string(`group`)"))
"""SQL text: all instants of a group are in one task."""


def _at_all_instants(rates: DataFrame, partitions: DataFrame) -> DataFrame:
    """The rates of the partitions that there are at each instant."""
    at_instants = partitions.select(_instant().alias("at"), "cluster", "topic", "partition")
    rows = at_instants.join(rates, ["cluster", "topic", "partition"])
    return rows.select(F.col("at").alias("cluster"), "topic", "partition", "weight")


def _changed(
    tables: Mapping[str, DataFrame], group_spans: GroupSpans, offsets: bool
) -> dict[str, DataFrame]:
    """The rows that groups have at those instants, and those of the topics that they read then.

    Those of `offsets` as well if they are wanted.

    What is used more than once is kept: to look for it takes a pass over all snapshots.
    """
    result = {
        name: _among(rows, group_spans.starts, KEYS)
        for name, rows in tables.items()
        if TABLES[name].by_group and (name not in NOT_FACTS or (offsets and name == "offsets"))
    }
    read = group_spans.keep(result["subscriptions"])
    topics = group_spans.keep(_among(tables["partitions"], read, TOPIC))
    return result | {"subscriptions": read, "partitions": topics}


def _among(rows: DataFrame, wanted: DataFrame, columns: Sequence[str]) -> DataFrame:
    """The rows that have what `wanted` has in these columns, told by one number each.

    These are few enough to be everywhere, and no row has to be looked for elsewhere. Two of one
    number would let in rows that nobody asks for, and of which nothing is made.
    """
    numbers = F.broadcast(wanted.select(key_of(*columns).alias("wanted")).distinct())
    return rows.join(numbers, key_of(*columns) == F.col("wanted"), "left_semi")


def _as_one(rows: DataFrame) -> DataFrame:
    return rows.withColumn("cluster", _instant()).drop(SNAPSHOT)


def _instant() -> Column:
    return F.concat_ws(SEPARATOR, *AT)
