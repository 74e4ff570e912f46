"""From the tables of a fleet to one row a group: arrays of numbers, and the names once.

Each table is grouped on its own, so that what is shuffled are arrays; the groups' rows are put
together by one more grouping of few rows. Claims refer to topics and members by a 64-bit hash
of the name; the names come along once a group, and the worker resolves the hashes (and sees a
collision).
"""

from collections.abc import Mapping
from functools import reduce
from string import ascii_lowercase, ascii_uppercase

from pyspark.sql import Column, DataFrame, Window, functions as F

from spark.fleet import GROUP_KEYS, TOPIC_KEYS, FleetSnapshot, escaped
from spark.groups.invalid_utf8 import NAMED, readable
from spark.groups.tasks import tasks_for
from spark.groups.weights import (
    COLUMN,
    LAG,
    RATE,
    UNKNOWN,
    by_topic,
    lags_of,
    of_partitions,
    of_topics,
)

ABSENT = -1
"""Size of a topic that the cluster lacks, and generation of a claim that states none."""

NEGATIVE, TWICE, GAPS = -2, -3, -4
"""Sizes of topics with a negative partition, with one listed twice, with some missing."""

NO_ID, TWO_IDS, SHARED_ID = -5, -6, -7
"""Sizes of topics with an id that is none, with several, with one that another topic has too."""

_LOWER = f"translate(min(type), '{ascii_uppercase}', '{ascii_lowercase}')"
"""SQL text: Kafka's types are of these letters. At the first `lower` or `upper` of a JVM Spark
looks up how each character of Unicode begins a title, which takes a second."""

UNLISTED = {
    **{"listed": 1, "state": None, "group_strategy": None, "inferred": False},
    **{"type": None, "cluster_has_claims": False, "hidden": None},
}
"""Values of a group as a whole when no table has them; the other columns are arrays."""


def encode(
    snapshot: FleetSnapshot,
    racks: bool = False,
    more: Mapping[str, DataFrame] | None = None,
    tasks: int | None = None,
    weights: Mapping[str, DataFrame] | None = None,
) -> DataFrame:
    """An `EncodedRow` for each group that any table names, in `tasks`, or what `tasks_for` says.

    Racks of partitions cost another pass over them, and `weights` one more: these are tables of
    `spark.groups.weight_tables` by source.

    `more` are further parts, by names of their own: cluster, group and columns that are arrays.
    Groups that only they have are left out.

    Names of clusters and groups that aren't valid UTF-8 are escaped; groups of one name, so
    spelled, are one. `invalid_utf8` has what is known of such names; null is none.
    """
    tables, weights = snapshot.tables, weights or {}
    topics = by_topic(_topics(tables["partitions"], racks, weights.get(COLUMN)), weights)
    rows = _combined(
        {
            "listing": _groups(
                tables["groups"] if "groups" in tables else _unlisted(tables["members"]),
                tables["assignments"],
            ),
            "members": _members(tables["members"], bool(weights)),
            "subscriptions": _subscriptions(tables["subscriptions"], topics),
            "claims": claims_of(tables["assignments"]),
        },
        {**(more or {}), **({"lag": lags_of(weights[LAG])} if LAG in weights else {})},
        tasks or tasks_for(tables),
    )
    return readable(rows)


def _groups(groups: DataFrame, assignments: DataFrame) -> DataFrame:
    claimed = assignments.where("member_id is not null").select("cluster").distinct()
    inferred = F.coalesce("subscriptions_inferred", F.lit(False))
    rows = groups.groupBy(*GROUP_KEYS).agg(
        F.count("*").cast("int").alias("listed"),
        F.min("state").alias("state"),
        F.min("strategy").alias("group_strategy"),
        F.bool_or(inferred).alias("inferred"),
        F.expr(f"if(is_valid_utf8(min(type)), {_LOWER}, min(type))").alias("type"),
        F.expr("min(hidden_topics)").alias("hidden"),
    )
    of_cluster = F.broadcast(claimed.withColumn("cluster_has_claims", F.lit(True)))
    return rows.join(of_cluster, "cluster", "left")


def _unlisted(members: DataFrame) -> DataFrame:
    """Without a table of groups none is listed."""
    unknown = F.lit(None).cast("string")
    columns = {"state": unknown, "strategy": unknown, "type": unknown}
    columns["subscriptions_inferred"] = F.lit(False)
    columns["hidden_topics"] = F.lit(None).cast("array<string>")
    return members.select(*GROUP_KEYS).withColumns(columns).limit(0)


def _members(members: DataFrame, capacities: bool) -> DataFrame:
    columns: list[str | Column] = ["member_id", "instance_id", "rack"]
    columns += [F.expr(escaped(item)).alias(item) for item in ("client_id", "host")]
    columns.append(_or_absent("generation").alias("generation"))
    if capacities:
        values = F.col("capacity") if "capacity" in members.columns else F.lit(None)
        columns.append(F.coalesce(values.cast("double"), F.lit(UNKNOWN)).alias("capacity"))
    fields = F.struct(*columns)
    return (
        members.groupBy(*GROUP_KEYS)
        .agg(F.sort_array(F.collect_list(fields)).alias("member"))
        .select(
            *GROUP_KEYS,
            F.col("member.member_id").alias("member_ids"),
            _hashes("member.member_id").alias("member_hashes"),
            F.col("member.instance_id").alias("instance_ids"),
            F.col("member.rack").alias("racks"),
            F.col("member.client_id").alias("client_ids"),
            F.col("member.host").alias("hosts"),
            F.col("member.generation").alias("generations"),
            *([F.col("member.capacity").alias("capacities")] if capacities else ()),
        )
    )


def _subscriptions(subscriptions: DataFrame, topics: DataFrame) -> DataFrame:
    """By topic first: that names each topic once, and few rows are joined to the topics."""
    by_topic = (
        subscriptions.groupBy(*GROUP_KEYS, "topic")
        .agg(F.collect_list(F.xxhash64("member_id")).alias("subscribers"))
        .join(topics, list(TOPIC_KEYS), "left")
    )
    topic_columns = [
        column for column in topics.columns if column not in ("cluster", "topic", "size")
    ]
    fields = F.struct("topic", _or_absent("size").alias("size"), "subscribers", *topic_columns)
    columns = {
        "topics": F.col("topic.topic"),
        "topic_hashes": _hashes("topic.topic"),
        "topic_sizes": F.col("topic.size"),
        "topic_ids": F.col("topic.topic_id"),
        "subscriber_counts": F.transform("topic.subscribers", F.size),
        "subscribers": F.flatten("topic.subscribers"),
    }
    if "places" in topic_columns:
        columns |= _of_places(F.col("topic.places"))
    columns |= of_topics(F.col("topic"), [item for item in (COLUMN, RATE) if item in topic_columns])
    return (
        by_topic.groupBy(*GROUP_KEYS)
        .agg(F.sort_array(F.collect_list(fields)).alias("topic"))
        .select(*GROUP_KEYS, *(column.alias(name) for name, column in columns.items()))
    )


def _of_places(by_topic: Column) -> dict[str, Column]:
    entries = F.transform(by_topic, lambda entry: F.coalesce(entry, F.array()))
    place = F.flatten(entries)
    partitions = place["partitions"]
    return {
        "place_counts": F.transform(entries, F.size),
        "place_leaders": place["leader_rack"],
        "place_replicas": place["replica_racks"],
        "place_sizes": F.transform(partitions, F.size),
        "place_partitions": F.flatten(partitions),
    }


def _topics(partitions: DataFrame, racks: bool, weights: DataFrame | None) -> DataFrame:
    """The columns of each topic; `weights` are those of its partitions.

    Of a table without ids or racks nothing is read for them.
    """
    sizes = (
        _sizes(partitions) if weights is None else _sizes(weights, of_partitions().alias(COLUMN))
    )
    topics = sizes.join(_ids(partitions), list(TOPIC_KEYS), "left")
    fault_of_id = F.when(F.col("size") >= 0, F.col("fault"))
    topics = topics.withColumn("size", F.coalesce(fault_of_id, "size")).drop("fault")
    return topics.join(_partition_racks(partitions), list(TOPIC_KEYS), "left") if racks else topics


def _sizes(partitions: DataFrame, *more: Column) -> DataFrame:
    """Partitions of each topic, or what is wrong unless they are 0 to n - 1, each once.

    And `more` of them.
    """
    count, low, high = F.count("*"), F.min("partition"), F.max("partition")
    return partitions.groupBy(*TOPIC_KEYS).agg(
        F.when(low < 0, NEGATIVE)
        .when(F.size(F.collect_set("partition")) < count, TWICE)
        .when(high >= count, GAPS)
        .otherwise(count)
        .cast("int")
        .alias("size"),
        *more,
    )


def _ids(partitions: DataFrame) -> DataFrame:
    """The id of each topic that has one, and what is wrong with it."""
    values = partitions.where("topic_id is not null").select(*TOPIC_KEYS, "topic_id").distinct()
    ids = values.select(*TOPIC_KEYS, _in_hex(F.col("topic_id")).alias("topic_id")).distinct()
    users = F.count("*").over(Window.partitionBy("cluster", "topic_id"))
    return (
        ids.withColumn("users", users)
        .groupBy(*TOPIC_KEYS)
        .agg(
            F.min("topic_id").alias("topic_id"),
            F.when(F.bool_or(F.col("topic_id").isNull()), NO_ID)
            .when(F.count("*") > 1, TWO_IDS)
            .when(F.max("users") > 1, SHARED_ID)
            .alias("fault"),
        )
    )


def _in_hex(text: Column) -> Column:
    """A topic id in 32 hex digits; null if it is neither that nor Kafka's 22 characters."""
    digits = F.translate(text, "abcdef-", "ABCDEF")
    base64 = F.concat(F.translate(text, "-_", "+/"), F.lit("=="))
    return F.when(
        text.rlike("^[A-Za-z0-9_-]{22}$"), F.hex(F.try_to_binary(base64, F.lit("base64")))
    ).when(digits.rlike("^[0-9A-F]{32}$"), digits)


def _partition_racks(partitions: DataFrame) -> DataFrame:
    """The racks of each topic's partitions, those that have the same ones together."""
    return (
        partitions.where("leader_rack is not null or replica_racks is not null")
        .withColumn("replica_racks", F.array_sort(F.array_compact("replica_racks")))
        .groupBy(*TOPIC_KEYS, "leader_rack", "replica_racks")
        .agg(F.collect_list("partition").alias("partitions"))
        .withColumns({name: F.expr(spelled) for name, spelled in _RACKS.items()})
        .groupBy(*TOPIC_KEYS)
        .agg(
            F.collect_list(
                F.struct(
                    "leader_rack",
                    F.coalesce("replica_racks", F.array()).alias("replica_racks"),
                    "partitions",
                )
            ).alias("places")
        )
    )


_RACKS = {
    "leader_rack": escaped("leader_rack"),
    "replica_racks": f"transform(replica_racks, one -> {escaped('one')})",
}
"""Racks are only ever compared with each other: a group can be planned with any names of them."""


def claims_of(assignments: DataFrame) -> DataFrame:
    """What members own, a row a group; none of the lists drops a null, so they stay aligned."""
    return (
        assignments.where("member_id is not null")
        .groupBy(*GROUP_KEYS)
        .agg(
            F.collect_list(F.xxhash64("topic")).alias("claim_topics"),
            F.collect_list("partition").alias("claim_partitions"),
            F.collect_list(F.xxhash64("member_id")).alias("claim_members"),
            F.collect_list(_or_absent("generation")).alias("claim_generations"),
            F.collect_set("topic").alias("claimed_topics"),
            F.collect_set("member_id").alias("claimants"),
        )
        .withColumn("claimed_topic_hashes", _hashes("claimed_topics"))
        .withColumn("claimant_hashes", _hashes("claimants"))
    )


def _combined(
    base: Mapping[str, DataFrame], more: Mapping[str, DataFrame], tasks: int
) -> DataFrame:
    """One row a group of what each part has for it; each goes through the grouping as one struct.

    Spark generates code for every column of a grouping, in each of its tasks.
    """
    parts = {**base, **more}
    united = reduce(
        lambda a, b: a.unionByName(b, allowMissingColumns=True),
        (
            part.select(*GROUP_KEYS, F.struct(*_values(part)).alias(name))
            for name, part in parts.items()
        ),
    )
    rows = united.selectExpr(
        *(f"{escaped(f'`{key}`')} as `{key}`" for key in GROUP_KEYS),
        f"{' and '.join(f'is_valid_utf8(`{key}`)' for key in GROUP_KEYS)} as {NAMED}",
        *parts,
    )
    # A number of partitions that is stated is kept by adaptive execution, which would otherwise
    # put hundreds of groups, small in bytes and dear to solve, into one task.
    grouped = (
        rows.repartition(tasks, *GROUP_KEYS)
        .groupBy(*GROUP_KEYS)
        .agg(
            F.bool_and(NAMED).alias(NAMED),
            *(F.first(name, ignorenulls=True).alias(name) for name in parts),
        )
    )
    columns = [
        F.coalesce(f"{name}.{column}", _nothing(column)).alias(column)
        for name, part in parts.items()
        for column in _values(part)
    ]
    if more:
        grouped = grouped.where(" or ".join(f"{name} is not null" for name in base))
    return grouped.select(*GROUP_KEYS, NAMED, *columns)


def _nothing(column: str) -> Column:
    return F.lit(UNLISTED[column]) if column in UNLISTED else F.array()


def _values(part: DataFrame) -> list[str]:
    return [column for column in part.columns if column not in GROUP_KEYS]


def _or_absent(number: str) -> Column:
    return F.coalesce(number, F.lit(ABSENT))


def _hashes(names: str) -> Column:
    return F.transform(names, lambda name: F.xxhash64(name))  # noqa: PLW0108 - Spark wants it so
