"""How often each group rebalanced, and what the likeliest cause was."""

from pyspark.sql import Column, DataFrame, functions as F

from spark.files import SNAPSHOT
from spark.fleet import escaped_rows
from spark.history.group_spans import GroupSpans
from spark.history.timeline import hours_between

TRANSITION = ("cluster", "group", "from_snapshot", SNAPSHOT)

CAUSES = {
    "recreated": "remade",
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


def rebalances_of(change_rows: DataFrame, group_spans: GroupSpans) -> DataFrame:
    """A row (cluster, group, from_snapshot, snapshot) for each transition with a rebalance.

    `generation_before` and `generation` are those of the group (its epoch, under KIP-848), and
    `generations` how often it rose; null where it isn't known, or fell, as it does when a group is
    deleted and `remade`. `hours` is the time between the snapshots, `per_hour` the generations in
    an hour. `cause` is the likeliest one (see `CAUSES`), or `none seen`.
    """
    changes = change_rows.where("changed and status_before is not null").select(
        *TRANSITION, *_OF_CHANGES
    )
    generations = group_spans.rows.where("from_snapshot is not null").select(
        *TRANSITION, "generation", "generation_before"
    )
    rows = (
        escaped_rows(generations)
        .join(changes, list(TRANSITION), "left")
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


_OF_CHANGES = (
    *("came", "left", "left_hosts", "returned", "topics_grew", "topics_came", "topics_went"),
    *("members", "subscriptions_changed", "changed_hands"),
)


def _cause() -> Column:
    cause = F.lit(NONE_SEEN)
    for name, applies in reversed(CAUSES.items()):
        cause = F.when(F.expr(applies), name).otherwise(cause)
    return cause
