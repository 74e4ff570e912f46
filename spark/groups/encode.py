"""From the tables of a fleet to the rows that groups are made of (`spark.groups.rows`).

What is known of topics is worked out once a topic, and goes to each group that reads it.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import reduce

from pyspark.sql import Column, DataFrame, SparkSession, functions as F

from spark.errors import InputError
from spark.fleet import GROUP_KEYS, RECORDS_BEHIND, TOPIC_KEYS, FleetSnapshot, escape
from spark.groups.file_parts import parts_of_files
from spark.groups.rows import (
    CLAIM,
    COLUMN,
    GROUP,
    LAG,
    MEMBER,
    PLACE,
    RATE,
    SUBSCRIPTION,
    TOPIC,
    Fault,
    in_one_table,
    united,
)

BY = tuple(escape(f"string(`{key}`)") for key in GROUP_KEYS)
"""SQL text: names of one spelling are one."""


PARTITIONS = "spark.sql.shuffle.partitions"

COUNTED = ("assignments", "subscriptions")

ROWS_A_TASK = 20_000
"""Claims and subscriptions of groups that take longer to solve than a task takes to start."""

FEW_ROWS = 400_000
"""Of partitions, subscriptions and claims that this process reads sooner than Spark plans to."""

IN_PLANS = "spark.sql.execution.arrow.localRelationThreshold"

LEAST = 4
"""A few, however small the fleet is: strategies differ in what they take for a row."""


def encode(
    snapshot: FleetSnapshot,
    racks: bool = False,
    more: Mapping[str, DataFrame] | None = None,
    tasks: int | None = None,
    weights: Mapping[str, DataFrame] | None = None,
    by: tuple[str, ...] = BY,
) -> DataFrame:
    """The rows of all groups that any table names, in `tasks`, or what `tasks_for` says.

    Racks of partitions cost another pass over them, and `weights` one more: these are tables of
    `weight_tables` by source. `more` are further parts, by names of their own: tables
    with cluster, group, some of member_id, topic and partition, and values (`spark.groups.rows`).

    Names of clusters and groups that aren't valid UTF-8 are escaped; groups of one name, so
    spelled, are one.
    """
    tables, weights = snapshot.tables, dict(weights or {})
    lags, parts, at_hand = weights.pop(LAG, None), {}, None
    session = tables["members"].sparkSession
    files = snapshot.files if not weights.keys() - {COLUMN} else None
    if files and files.count("partitions", *COUNTED) <= _most_rows(session):
        at_hand = in_one_table(session, parts_of_files(files, racks, COLUMN in weights))
    else:
        parts = _parts(tables, racks, weights)
    if lags is not None:
        parts[LAG] = lags.withColumnRenamed("weight", "lag_values")
    return united({**parts, **(more or {})}, tasks or tasks_for(snapshot), by, at_hand)


def _most_rows(session: SparkSession) -> int:
    """Rows of a fleet that is read here; none where they would be part of each of Spark's plans."""
    return FEW_ROWS if session.conf.get(IN_PLANS, None) == "0b" else 0


def _parts(
    tables: Mapping[str, DataFrame], racks: bool, weights: Mapping[str, DataFrame]
) -> dict[str, DataFrame]:
    read = tables["subscriptions"].select(*GROUP_KEYS, "topic").distinct()
    topics = _topics(tables["partitions"])
    for source, table in weights.items():
        topics = topics.join(weights_by_topic(source, table), list(TOPIC_KEYS), "left")
    parts = {
        MEMBER: _members(tables["members"]),
        TOPIC: read.join(topics, list(TOPIC_KEYS), "left"),
        SUBSCRIPTION: tables["subscriptions"].select(*GROUP_KEYS, "member_id", "topic"),
        CLAIM: claims_of(tables["assignments"]),
    }
    if "groups" in tables:
        parts[GROUP] = _groups(tables["groups"], tables["assignments"])
    if racks:
        parts[PLACE] = read.join(_partition_racks(tables["partitions"]), list(TOPIC_KEYS))
    return parts


def _groups(groups: DataFrame, assignments: DataFrame) -> DataFrame:
    claimed = assignments.where("member_id is not null").select("cluster").distinct()
    of_cluster = F.broadcast(claimed.withColumn("cluster_has_claims", F.lit(True)))
    return groups.join(of_cluster, "cluster", "left").selectExpr(
        *("cluster", "`group`", "state", "strategy as group_strategy", "type", "coordinator"),
        *("subscriptions_inferred as inferred", "cluster_has_claims"),
        *("hidden_topics is not null as hides", "hidden_topics as hidden"),
    )


def _members(members: DataFrame) -> DataFrame:
    capacity = "capacity" if "capacity" in members.columns else "null"
    return members.selectExpr(
        *("cluster", "`group`", "member_id", "instance_id as instance_ids", "rack as racks"),
        *("client_id as client_ids", "host as hosts", "generation as generations"),
        f"double({capacity}) as capacities",
    )


def _topics(partitions: DataFrame) -> DataFrame:
    """Size and id of each topic, or what is wrong with it."""
    topics = _sizes_and_ids(partitions)
    # Without a look at sizes Spark would read and aggregate partitions once more, for ids alone.
    sized = topics.where(f"size >= {Fault.GAPS}")
    users = sized.select("cluster", "topic", F.explode("ids").alias("id")).where("id is not null")
    of_id = users.groupBy("cluster", "id")
    alike = of_id.agg(F.collect_list("topic").alias("topics"))
    sharing = alike.where("size(topics) > 1").select("cluster", F.explode("topics").alias("topic"))
    fault = (
        F.when(F.exists("ids", F.isnull), Fault.NO_ID)
        .when(F.size("ids") > 1, Fault.TWO_IDS)
        .when(F.col("shares"), Fault.SHARED_ID)
    )
    marked = F.broadcast(sharing.distinct().withColumn("shares", F.lit(True)))
    return topics.join(marked, list(TOPIC_KEYS), "left").select(
        *TOPIC_KEYS,
        F.coalesce(F.when(F.col("size") >= 0, fault), "size").alias("topic_sizes"),
        F.array_min("ids").alias("topic_ids"),
    )


def _sizes_and_ids(partitions: DataFrame) -> DataFrame:
    """Partitions of each topic, or what is wrong unless they are 0 to n - 1, each once; its ids."""
    count, low, high = F.count("*"), F.min("partition"), F.max("partition")
    named = partitions.where("cluster is not null and topic is not null")
    return named.groupBy(*TOPIC_KEYS).agg(
        F.when(low < 0, Fault.NEGATIVE)
        .when(F.size(F.collect_set("partition")) < count, Fault.TWICE)
        .when(high >= count, Fault.GAPS)
        .otherwise(count)
        .cast("int")
        .alias("size"),
        F.array_distinct(F.transform(F.collect_set("topic_id"), _in_hex)).alias("ids"),
    )


def _in_hex(text: Column) -> Column:
    """A topic id in 32 hex digits; null if it is neither that nor Kafka's 22 characters."""
    digits = F.translate(text, "abcdef-", "ABCDEF")
    base64 = F.concat(F.translate(text, "-_", "+/"), F.lit("=="))
    return F.when(
        text.rlike("^[A-Za-z0-9_-]{22}$"), F.hex(F.try_to_binary(base64, F.lit("base64")))
    ).when(digits.rlike("^[0-9A-F]{32}$"), digits)


def _partition_racks(partitions: DataFrame) -> DataFrame:
    """The partitions of each topic, rack of their leaders and set of racks of their replicas."""
    return (
        partitions.where("leader_rack is not null or replica_racks is not null")
        .withColumn("replica_racks", F.array_sort(F.array_compact("replica_racks")))
        .groupBy(*TOPIC_KEYS, "leader_rack", "replica_racks")
        .agg(F.collect_list("partition").alias("place_partitions"))
        .selectExpr(
            *(*TOPIC_KEYS, "place_partitions"),
            "concat(array(leader_rack), ifnull(replica_racks, array())) as place_racks",
        )
    )


def claims_of(assignments: DataFrame) -> DataFrame:
    """Claims: which member owns which partition."""
    claims = assignments.where("member_id is not null")
    columns = (*GROUP_KEYS, "topic", "partition", "member_id")
    return claims.select(*columns, F.col("generation").alias("claim_generations"))


def weight_tables(
    snapshot: FleetSnapshot, sources: Iterable[str], rates: DataFrame | None = None
) -> dict[str, DataFrame]:
    """For each source a table (cluster, topic, partition, weight), and for lags the group as well.

    `rates` is such a table of rates. Raises InputError where a source has nothing to tell weights.
    """
    tables, columns = snapshot.tables, ("cluster", "topic", "partition")
    by_source = {}
    for source in sorted(set(sources)):
        if source == RATE:
            if rates is None:
                raise InputError(
                    "goals ask for weights by rates, and there are none: rates come from a history "
                    "(several snapshots with offsets)"
                )
            by_source[RATE] = rates.select(*columns, "weight")
        elif source == LAG:
            if "offsets" not in tables:
                raise InputError(
                    f"goals ask for weights by lag, and snapshot {snapshot.id} has no table offsets"
                )
            behind = f"double({RECORDS_BEHIND}) as weight"
            by_source[LAG] = tables["offsets"].selectExpr(*columns, "`group`", behind)
        else:
            partitions = tables["partitions"]
            weight = "weight" if "weight" in partitions.columns else "null"
            by_source[COLUMN] = partitions.selectExpr(*columns, f"double({weight}) as weight")
    return by_source


def weights_by_topic(source: str, weights: DataFrame) -> DataFrame:
    """The partitions of each topic that have a weight, and the weight of each."""
    entry = F.sort_array(F.collect_list(F.struct("partition", "weight")))
    by_topic = weights.where("weight is not null").groupBy(*TOPIC_KEYS).agg(entry.alias("entry"))
    names = {"partition": "partitions", "weight": "values"}
    return by_topic.select(
        *TOPIC_KEYS, *(F.col(f"entry.{of}").alias(f"{source}_{name}") for of, name in names.items())
    )


def tasks_for(snapshot: FleetSnapshot) -> int:
    """Tasks as the session sets them, or as many as the fleet's size is worth, by a small job."""

    def rows() -> int:
        if files := snapshot.files:
            return files.count(*COUNTED)
        counted = (snapshot.tables[name].select(F.lit(1)) for name in COUNTED)
        return reduce(DataFrame.unionAll, counted).count()

    return tasks_for_rows(snapshot.tables["members"].sparkSession, rows)


def tasks_for_rows(session: SparkSession, rows: Callable[[], int]) -> int:
    """Tasks for a number of claims and subscriptions, which are counted only where it matters.

    Never more than Spark's own default, 200 tasks, which a small fleet would wait for one by one.
    """
    configured = session.conf.get(PARTITIONS, None)
    if configured:
        return int(configured)
    most = int(session.conf.get(PARTITIONS) or LEAST)
    return min(most, max(LEAST, -(-rows() // ROWS_A_TASK)))
