"""Rows that charts of a fleet are drawn of: summed up in Spark, few for a fleet of any size."""

from typing import Any

from pyspark.sql import DataFrame, functions as F

from spark.store import SNAPSHOT

CLASSES = (1.0, 1.1, 1.25, 1.5, 2.0, 4.0)
"""Where classes of groups begin, by the load of the worst member ÷ the mean load."""

RATIO = "max_load * members / nullif(partitions, 0)"

INSTANT = (
    "date_format(to_timestamp(snapshot, \"yyyyMMdd'T'HHmmss'Z'\"), \"yyyy-MM-dd'T'HH:mm:ss'Z'\")"
)

Rows = list[dict[str, Any]]


def balance_of(groups: DataFrame) -> Rows:
    """A row a class of groups: how many are in it now and planned."""
    names = RATIO.replace("max_load", "current_max_load")
    counted = [
        F.expr(f"count_if({_between(ratio, at)})").alias(f"{name}_{at}")
        for name, ratio in (("current", names), ("planned", RATIO))
        for at in range(len(CLASSES))
    ]
    (row,) = groups.agg(*counted).collect()
    return [
        {
            "ratio": _name(at),
            "least": CLASSES[at],
            "current": row[f"current_{at}"],
            "planned": row[f"planned_{at}"],
        }
        for at in range(len(CLASSES))
    ]


def _between(ratio: str, at: int) -> str:
    end = f" and {ratio} < {CLASSES[at + 1]}D" if at + 1 < len(CLASSES) else ""
    begin = f"{ratio} >= {CLASSES[at]}D" if at else f"{ratio} is not null"
    return f"{begin}{end}"


def _name(at: int) -> str:
    begin = f"{CLASSES[at]:g}"
    return f"{begin}–{CLASSES[at + 1]:g}" if at + 1 < len(CLASSES) else f"{begin} and more"


def trend_of(states: DataFrame, rebalances: DataFrame | None) -> Rows:
    """A row a snapshot in order of time: excess, lag, rebalances, uneven groups."""
    sums = states.groupBy(SNAPSHOT).agg(
        *(F.sum(item).alias(item) for item in ("excess", "lag")),
        F.count_if(F.col("excess") > 0).alias("uneven"),
    )
    if rebalances is not None:
        times = rebalances.groupBy(SNAPSHOT).agg(F.sum("generations").alias("generations"))
        sums = sums.join(times, SNAPSHOT, "left")
    else:
        sums = sums.withColumn("generations", F.lit(None).cast("long"))
    rows = sums.orderBy(SNAPSHOT).selectExpr(
        f"{INSTANT} as instant", "excess", "lag", "generations", "uneven"
    )
    return [row.asDict() | {"generations": row.generations or 0} for row in rows.collect()]
