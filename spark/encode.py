"""From the tables of a fleet to one row a group: arrays of numbers, and the names once.

Each table is grouped on its own, so that what is shuffled are arrays; the groups' rows are put
together by one more grouping of few rows. Claims refer to topics and members by a 64-bit hash
of the name; the names come along once a group, and the worker resolves the hashes (and sees a
collision).
"""

from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from spark.snapshot import FleetSnapshot

GROUP_KEYS = ("cluster", "group")

ABSENT = -1
"""Size of a topic that the cluster lacks, and generation of a claim that states none."""

NEGATIVE, TWICE, GAPS = -2, -3, -4
"""Sizes of topics with a negative partition, with one listed twice, with some missing."""


def encode(snapshot: FleetSnapshot) -> DataFrame:
    """One row a group that any table names, spread over the session's shuffle partitions.

    Names are sorted. `topics` are those that somebody subscribes to; `subscriber_counts` says how
    many of the `subscribers` belong to each. The claims' columns are aligned and in no order.
    """
    tables = snapshot.tables
    parts = [
        _groups(tables["groups"] if "groups" in tables else _unlisted(tables["members"])),
        _members(tables["members"]),
        _subscriptions(tables["subscriptions"], tables["partitions"]),
        _claims(tables["assignments"]),
    ]
    return _put_together(parts)


def _groups(groups: DataFrame) -> DataFrame:
    inferred = F.coalesce("subscriptions_inferred", F.lit(False))
    return groups.groupBy(*GROUP_KEYS).agg(
        F.count("*").cast("int").alias("listed"),
        F.min("state").alias("state"),
        F.bool_or(inferred).alias("inferred"),
    )


def _unlisted(members: DataFrame) -> DataFrame:
    """Without a table of groups there are no facts about them but their names."""
    facts = {"state": F.lit(None).cast("string"), "subscriptions_inferred": F.lit(False)}
    return members.select(*GROUP_KEYS).distinct().withColumns(facts)


def _members(members: DataFrame) -> DataFrame:
    fields = F.struct(
        *("member_id", "instance_id", "rack", _or_absent("generation").alias("generation"))
    )
    return (
        members.groupBy(*GROUP_KEYS)
        .agg(F.sort_array(F.collect_list(fields)).alias("member"))
        .select(
            *GROUP_KEYS,
            F.col("member.member_id").alias("member_ids"),
            _hashes("member.member_id").alias("member_hashes"),
            F.col("member.instance_id").alias("instance_ids"),
            F.col("member.rack").alias("racks"),
            F.col("member.generation").alias("generations"),
        )
    )


def _subscriptions(subscriptions: DataFrame, partitions: DataFrame) -> DataFrame:
    """By topic first: that names each topic once, and few rows are joined to the sizes."""
    by_topic = (
        subscriptions.groupBy(*GROUP_KEYS, "topic")
        .agg(F.collect_list(F.xxhash64("member_id")).alias("subscribers"))
        .join(_sizes(partitions), ["cluster", "topic"], "left")
    )
    fields = F.struct("topic", _or_absent("size").alias("size"), "subscribers")
    return (
        by_topic.groupBy(*GROUP_KEYS)
        .agg(F.sort_array(F.collect_list(fields)).alias("topic"))
        .select(
            *GROUP_KEYS,
            F.col("topic.topic").alias("topics"),
            _hashes("topic.topic").alias("topic_hashes"),
            F.col("topic.size").alias("topic_sizes"),
            F.transform("topic.subscribers", F.size).alias("subscriber_counts"),
            F.flatten("topic.subscribers").alias("subscribers"),
        )
    )


def _sizes(partitions: DataFrame) -> DataFrame:
    """Partitions of each topic, or what is wrong unless they are 0 to n - 1, each once."""
    count, low, high = F.count("*"), F.min("partition"), F.max("partition")
    return partitions.groupBy("cluster", "topic").agg(
        F.when(low < 0, NEGATIVE)
        .when(F.size(F.collect_set("partition")) < count, TWICE)
        .when(high >= count, GAPS)
        .otherwise(count)
        .cast("int")
        .alias("size")
    )


def _claims(assignments: DataFrame) -> DataFrame:
    """What members own; none of the lists drops a null, so they stay aligned."""
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


def _put_together(parts: list[DataFrame]) -> DataFrame:
    rows = reduce(lambda a, b: a.unionByName(b, allowMissingColumns=True), parts)
    columns = [column for column in rows.columns if column not in GROUP_KEYS]
    lists = [column for column in columns if column not in ("listed", "state", "inferred")]
    # A number of partitions that is stated is kept by adaptive execution, which would otherwise
    # put hundreds of groups, small in bytes and dear to solve, into one task.
    count = int(rows.sparkSession.conf.get("spark.sql.shuffle.partitions") or 1)
    return (
        rows.repartition(count, *GROUP_KEYS)
        .groupBy(*GROUP_KEYS)
        .agg(*(F.first(column, ignorenulls=True).alias(column) for column in columns))
        .withColumns({column: F.coalesce(column, F.array()) for column in lists})
        .na.fill({"listed": 1, "inferred": False})
    )


def _or_absent(number: str) -> Column:
    return F.coalesce(number, F.lit(ABSENT))


def _hashes(names: str) -> Column:
    return F.transform(names, lambda name: F.xxhash64(name))  # noqa: PLW0108 - Spark wants it so
