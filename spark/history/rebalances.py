"""How often each group rebalanced, and what the likeliest cause was."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame, Window, functions as F

from spark.files import SNAPSHOT
from spark.fleet import escaped_rows
from spark.history.facts import KEYS, GroupSpans
from spark.history.timeline import hours_between

TRANSITION = ("cluster", "group", "from_snapshot", SNAPSHOT)

CAUSES = {
    "made anew": "remade",
    "restart": "size(returned) > 0 or (size(came) > 0 and size(left) > 0)",
    "join": "size(came) > 0",
    "leave": "size(left) > 0 and (members = 0 or left_hosts > 1)",
    "crash": "size(left) > 0",
    "topic change": "size(topics_grew) + size(topics_came) + size(topics_went) > 0 "
    "or subscriptions_changed > 0",
}
"""The likeliest cause, the first that applies; SQL text over the columns of `rebalances_of`.

Who joins may bring topics, and who leaves may take some along: a change of topics alone is that.
Who left without a successor crashed, most likely; unless nobody stayed, or they left from several
hosts at once: then the group was shut down, or made smaller.
"""

NONE_SEEN = "none seen"


def rebalances_of(
    change_rows: DataFrame, facts: GroupSpans, tables: Mapping[str, DataFrame]
) -> DataFrame:
    """A row (cluster, group, from_snapshot, snapshot) for each transition with a rebalance.

    `generation_before` and `generation` are those of the group (its epoch, under KIP-848), and
    `generations` how often it rose; null where it isn't known, or fell, as it does when a group is
    deleted and `remade`. `hours` is the time between the snapshots, `per_hour` the generations in
    an hour. `cause` is the likeliest one (see `CAUSES`), or `none seen`.
    """
    generations = escaped_rows(_generations(facts, tables))
    changes = change_rows.where("changed and status_before is not null").select(
        *TRANSITION, *_OF_CHANGES, "members", "subscriptions_changed", "changed_hands"
    )
    hosts = _hosts_of_those_who_left(changes, tables)
    rows = (
        generations.join(changes, list(TRANSITION), "left")
        .join(hosts, list(TRANSITION), "left")
        .withColumns(
            {
                "remade": F.coalesce(
                    F.col("generation") < F.col("generation_before"), F.lit(False)
                ),
                "rise": F.col("generation") - F.col("generation_before"),
                "hours": hours_between(F.col("from_snapshot"), F.col(SNAPSHOT)),
            }
        )
        .withColumn("generations", F.expr("if(rise >= 0, rise, null)"))
    )
    seen = "size(came) + size(left) > 0 or changed_hands > 0 or subscriptions_changed > 0"
    rebalanced = rows.where(f"remade or generations > 0 or (generations is null and ({seen}))")
    return rebalanced.select(
        *TRANSITION,
        "generation_before",
        "generation",
        "generations",
        "remade",
        "hours",
        (F.col("generations") / F.col("hours")).alias("per_hour"),
        _cause().alias("cause"),
    )


_OF_CHANGES = ("came", "left", "returned", "topics_grew", "topics_came", "topics_went")


def _generations(facts: GroupSpans, tables: Mapping[str, DataFrame]) -> DataFrame:
    """The generation of each group in each snapshot that follows on one with it."""
    of_members = tables["members"].select(*KEYS, "generation")
    settings = [of_members.where("generation >= 0")]
    if "groups" in tables:
        settings = [
            tables["groups"].select(*KEYS, "generation").where("generation >= 0"),
            *settings,
        ]
    result = settings[0]
    for other in settings[1:]:
        result = result.unionAll(other)
    highest = result.groupBy(*KEYS).agg(F.max("generation").alias("generation"))
    in_time = Window.partitionBy("cluster", "group").orderBy("position")
    rows = facts.rows.join(highest, list(KEYS), "left")
    return (
        rows.select(
            *KEYS,
            "generation",
            F.lag(SNAPSHOT).over(in_time).alias("from_snapshot"),
            F.lag("generation").over(in_time).alias("generation_before"),
            (F.lag("position").over(in_time) == F.col("position") - 1).alias("follows"),
        )
        .where("follows")
        .drop("follows")
    )


def _hosts_of_those_who_left(changes: DataFrame, tables: Mapping[str, DataFrame]) -> DataFrame:
    """From how many hosts members left; one whose host isn't known counts as one of its own."""
    left = changes.select(*TRANSITION, F.explode("left").alias("member_id"))
    members = escaped_rows(
        tables["members"].select(
            F.col(SNAPSHOT).alias("from_snapshot"), "cluster", "group", "member_id", "host"
        )
    )
    entries = left.join(members, ["from_snapshot", "cluster", "group", "member_id"], "left")
    host = F.coalesce("host", "member_id")
    return entries.groupBy(*TRANSITION).agg(F.count_distinct(host).alias("left_hosts"))


def _cause() -> Column:
    cause = F.lit(NONE_SEEN)
    for name, applies in reversed(CAUSES.items()):
        cause = F.when(F.expr(applies), name).otherwise(cause)
    return cause
