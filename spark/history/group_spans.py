"""When the facts of a group changed, told without any of them leaving Spark."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Protocol

from pyspark.sql import Column, DataFrame, Window, functions as F

from spark.fleet import TABLES, FleetSnapshot, escape
from spark.groups import (
    LAG,
    RACK_COLUMNS,
    SEPARATOR,
    SPAN,
    EncodedRow,
    encode,
    tasks_for_rows,
    weight_tables,
)
from spark.history.timeline import Timeline, placed_in_time
from spark.store import SNAPSHOT

AT = (SNAPSHOT, "cluster")
"""Keys of a cluster's rows at an instant."""

KEYS = (*AT, "group")

TOPIC = (*AT, "topic")

OF_GROUP = {
    "groups": ("state", "strategy", "subscriptions_inferred", "type", "hidden_topics"),
    "members": ("member_id", "instance_id", "rack", "generation", "client_id", "host"),
    "assignments": ("topic", "partition", "member_id", "generation"),
}
"""Columns of a group's own tables that an assignment may depend on."""

WITH_GENERATION = ("groups", "members")
"""Tables that state a group's; claims may be of an older one."""

OF_PARTITIONS = ("partition", "topic_id")


MOST_SENT = 1_000_000
"""Rows of two numbers each that are sent to every task: some 50 MB in memory."""


Keep = Callable[[DataFrame], DataFrame]
"""Lets rows be kept from their first use on, until whoever has them frees them."""


@dataclass(frozen=True)
class GroupSpans:
    """A row (snapshot, cluster, group, position, start, size) for each group and snapshot; kept.

    `position` is that of the snapshot in its cluster's timeline, `start` that from which on the
    group's facts have been the same. Where a group wasn't there, a new start begins. `size` counts
    the rows that are about the group. Further columns: `generation`, the highest that is stated,
    null where none is; `from_snapshot`, the one before in the timeline if it has the group, and
    else null; and `generation_before`, as it was then. `keep` is that of whoever asked for the
    spans.
    """

    rows: DataFrame
    keep: Keep

    @property
    def starts(self) -> DataFrame:
        """Rows in which the facts of a group have changed."""
        return self.rows.where("position = start")

    def size_of_starts(self) -> int:
        """The number of rows that tell of those, by a job."""
        (row,) = self.starts.agg(F.coalesce(F.sum("size"), F.lit(0))).collect()
        return int(row[0])

    @property
    def spans(self) -> DataFrame:
        """A row (snapshot, cluster, group, start, end) for each time of equal facts.

        `snapshot` is its first, `end` the position of its last.
        """
        return self.rows.groupBy("cluster", "group", "start").agg(
            F.min_by(SNAPSHOT, "position").alias(SNAPSHOT), F.max("position").alias("end")
        )


def spans_of(
    tables: Mapping[str, DataFrame], timeline: Timeline, racks: bool, keep: Keep
) -> GroupSpans:
    """Compare hashes of what is known of each group at each instant; `racks` are facts if wanted.

    What differs has different hashes but for a chance of one in 2^64.
    """
    own = [
        _with_hash(tables[name], name, *columns).select(*KEYS, "hash", _generation(name))
        for name, columns in OF_GROUP.items()
        if name in tables
    ]
    changing = keep(_changing_topics(tables["partitions"], timeline, racks))
    read = _topics_read(tables["subscriptions"], changing)
    read = read.select(*KEYS, "hash", _generation("subscriptions"))
    digests = (
        reduce(DataFrame.unionAll, [*own, read])
        .groupBy(*KEYS)
        .agg(
            _digest("hash").alias("digest"),
            F.count("*").alias("size"),
            F.max("generation").alias("generation"),
        )
    )
    placed = placed_in_time(digests, "position", timeline.positions()).withColumn(
        "position", F.col("position").cast("int")
    )
    in_time = Window.partitionBy("cluster", "group").orderBy("position")
    neighbour = F.lag(F.struct("position", "digest", SNAPSHOT, "generation")).over(in_time)
    follows = F.col("before.position") == F.col("position") - 1
    changed = F.col("before").isNull() | (F.col("before.digest") != F.col("digest"))
    rows = (
        placed.withColumn("before", neighbour)
        .withColumn("before", F.when(follows, F.col("before")))
        .withColumn("begins", F.when(changed, F.col("position")))
        .select(
            *(*KEYS, "position"),
            F.last("begins", ignorenulls=True).over(in_time).alias("start"),
            *("size", "generation"),
            F.col(f"before.{SNAPSHOT}").alias("from_snapshot"),
            F.col("before.generation").alias("generation_before"),
        )
    )
    return GroupSpans(keep(rows), keep)


def _generation(table: str) -> Column:
    """The group's generation that a row of a table states; Kafka's -1 states none."""
    positive = "if(generation >= 0, generation, null)"
    text = positive if table in WITH_GENERATION else "cast(null as int)"
    return F.expr(text).alias("generation")


def _topics_read(subscriptions: DataFrame, changing: DataFrame) -> DataFrame:
    """A row for each subscription: who reads which topic, and what that is like.

    Most topics never change, and what they are like needs no telling. The others are counted by a
    job: where they are few, every task gets them, and no subscription is sorted by its topic.
    """
    if changing.count() <= MOST_SENT:
        changing = F.broadcast(changing)
    read = subscriptions.select(*KEYS, "topic", "member_id", key_of(*TOPIC).alias("at"))
    joined = read.join(changing, "at", "left")
    return _with_hash(joined, "subscriptions", "topic", "member_id", "topic_digest")


def _changing_topics(rows: DataFrame, timeline: Timeline, racks: bool) -> DataFrame:
    """A row (at, topic_digest) for each instant of a topic that isn't always the same.

    A topic that isn't there at all of its cluster's instants is one of them.
    """
    columns = (*OF_PARTITIONS, *(RACK_COLUMNS if racks else ()))
    partitions = _with_hash(rows, "partitions", *columns)
    of = (key_of("cluster", "topic").alias("of"), key_of("cluster").alias("of_cluster"))
    topics = partitions.groupBy(key_of(*TOPIC).alias("at"), *of).agg(
        _digest("hash").alias("topic_digest")
    )
    lengths = [(cluster, len(ids)) for cluster, ids in timeline.snapshots.items()]
    instants = partitions.sparkSession.createDataFrame(lengths, "cluster string, instants int")
    changing = (
        topics.groupBy("of", "of_cluster")
        .agg(
            F.min("topic_digest").alias("low"),
            F.max("topic_digest").alias("high"),
            F.count("*").alias("found"),
        )
        .join(
            F.broadcast(instants.select(key_of("cluster").alias("of_cluster"), "instants")),
            "of_cluster",
            "left",
        )
        .where("low < high or instants is null or found < instants")
    )
    return topics.join(changing, "of", "left_semi").select("at", "topic_digest")


def key_of(*columns: str) -> Column:
    """One number for some names: grouped and joined by it, rows are a third of the work."""
    return F.xxhash64(*columns)


def _with_hash(rows: DataFrame, table: str, *columns: str) -> DataFrame:
    return rows.withColumn("hash", F.xxhash64(F.lit(table), *columns))


def _digest(hashes: str) -> Column:
    """One number for some rows, in any order."""
    return F.xxhash64(F.bit_xor(hashes), F.count("*"))


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
    changed = _at_changes(tables, group_spans, LAG in weights)
    fleet = FleetSnapshot("of the history", {name: _as_one(rows) for name, rows in changed.items()})
    at_all = None if rates is None else _at_all_instants(rates, changed["partitions"])
    weighed = weight_tables(fleet, weights, at_all)
    spans = group_spans.spans.select(_instant().alias("cluster"), "group", "start", "end")
    return encode(fleet, racks, {SPAN: spans}, tasks, weighed, _BY)


_CLUSTER = f"substr(string(cluster), instr(string(cluster), '{SEPARATOR}') + 1)"
_BY = (escape(_CLUSTER), escape("string(`group`)"))
"""SQL text: all instants of a group are in one task."""


def _at_all_instants(rates: DataFrame, partitions: DataFrame) -> DataFrame:
    """The rates of the partitions that there are at each instant."""
    at_instants = partitions.select(_instant().alias("at"), "cluster", "topic", "partition")
    rows = at_instants.join(rates, ["cluster", "topic", "partition"])
    return rows.select(F.col("at").alias("cluster"), "topic", "partition", "weight")


def _at_changes(
    tables: Mapping[str, DataFrame], group_spans: GroupSpans, offsets: bool
) -> dict[str, DataFrame]:
    """The rows that groups have at those instants, and those of the topics that they read then.

    Those of `offsets` as well if they are wanted.

    What is used more than once is kept: to look for it takes a pass over all snapshots.
    """
    changed = {
        name: _among(rows, group_spans.starts, KEYS)
        for name, rows in tables.items()
        if TABLES[name].by_group and (name not in NOT_FACTS or (offsets and name == "offsets"))
    }
    read = group_spans.keep(changed["subscriptions"])
    topics = group_spans.keep(_among(tables["partitions"], read, TOPIC))
    return changed | {"subscriptions": read, "partitions": topics}


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
