"""The groups of a comparison: one row each, with the advice that `plan` gives too."""

from typing import Any

from pyspark.sql import DataFrame, functions as F

from optimizer.strategies import OPTIMAL
from spark.fleet import UNEVEN, as_rows, worst_first
from spark.settings import Settings
from spark.solve import (
    ADVICE_COLUMNS,
    LevelsOf,
    advice_counts,
    advice_in_words,
    plan_groups,
    solve_groups,
)

SHOWN = ("cluster", "group", "judged_by", "now_to_best", "after_to_best", "severity")
"""What people read of an uneven group, beside what is advised to it."""

BESIDE = ("advice_kind", "advice_strategy", "can_follow")
"""What programs read of it too."""


def advised_groups(encoded: DataFrame, settings: Settings, levels: LevelsOf) -> DataFrame:
    """A row a group: cluster, group, status, partitions, unread, and the columns of advice."""
    solved = solve_groups(encoded, OPTIMAL, settings.goals, settings.strategy_seconds, levels)
    columns = ("cluster", "group", "status", "partitions", "unread", *ADVICE_COLUMNS)
    return plan_groups(solved).select(*columns)


def uneven_first(groups: DataFrame, most: int) -> list[dict[str, Any]]:
    """The uneven groups, the worst first, as people read them."""
    set_or_kind = F.coalesce("advice_strategy", "advice_kind").alias("advice")
    rows = groups.where(UNEVEN).orderBy(*worst_first()).limit(most)
    moves = F.col("advice_moves").alias("moves")
    return as_rows(rows.select(*SHOWN, set_or_kind, moves, *BESIDE))


def advice_of(groups: DataFrame) -> list[str]:
    """How many groups are advised what, and how many can follow a plan."""
    sums = (column.alias(name) for name, column in advice_counts().items())
    return advice_in_words(groups.agg(*sums).collect())
