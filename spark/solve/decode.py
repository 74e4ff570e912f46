"""From solved rows to the tables of a plan, by names."""

from pyspark.sql import Column, DataFrame, functions as F

from spark.groups import columns_of
from spark.solve.solved_row import ACTIONS, ADVICE_COLUMNS, PlannedGroup


def plan_groups(solved: DataFrame, advice: bool = True) -> DataFrame:
    """The plan's table `groups`: one row a group of the snapshot."""
    columns = columns_of(PlannedGroup)
    return solved.select(*columns).drop(*(() if advice else ADVICE_COLUMNS))


def plan_assignments(solved: DataFrame) -> DataFrame:
    """The plan's table `assignments`: one row a partition of a planned group."""
    entries = solved.select("*", F.posexplode("topic").alias("entry", "topic_index"))
    rows = entries.select(
        *("cluster", "group", "names", "topics", "topic_index"),
        *(F.get(name, F.col("entry")).alias(name) for name in ("partition", "target", "previous")),
        F.get("action", F.col("entry")).alias("action"),
    )
    return rows.select(
        "cluster",
        "group",
        _at("topics", "topic_index").alias("topic"),
        "partition",
        _name("target").alias("member_id"),
        _name("previous").alias("previous_member_id"),
        F.get(F.array(*map(F.lit, ACTIONS)), F.col("action")).alias("action"),
    )


def _name(index: str) -> Column:
    return F.when(F.col(index) >= 0, _at("names", index))


def _at(names: str, index: str) -> Column:
    return F.element_at(names, F.col(index) + 1)
