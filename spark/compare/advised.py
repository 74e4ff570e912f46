"""The groups of a comparison: one row each, with the advice that `plan` gives too."""

from typing import Any

from pyspark.sql import DataFrame, functions as F

from spark.fleet import UNEVEN, FleetSnapshot, as_rows, worst_first
from spark.groups import encode, weight_tables
from spark.settings import Settings
from spark.solve import (
    ADVICE_COLUMNS,
    LevelsOf,
    advice_counts,
    advice_in_words,
    default_levels,
    plan_groups,
    solve_groups,
)

SHOWN = ("cluster", "group", "judged_by", "now_to_best", "after_to_best", "severity")
"""What people read of an uneven group, beside what is advised to it."""


def advised_groups(
    snapshot: FleetSnapshot,
    settings: Settings,
    rates: DataFrame | None = None,
    levels: LevelsOf = default_levels,
) -> DataFrame:
    """A row a group: cluster, group, status, partitions, unread, and the columns of advice."""
    goals = settings.goals
    weights = weight_tables(snapshot, goals.sources, rates)
    encoded = encode(snapshot, goals.need_racks, weights=weights)
    solved = solve_groups(encoded, "optimal", goals, settings.strategy_seconds, levels=levels)
    columns = ("cluster", "group", "status", "partitions", "unread", *ADVICE_COLUMNS)
    return plan_groups(solved).select(*columns)


def uneven_first(groups: DataFrame, most: int) -> list[dict[str, Any]]:
    """The uneven groups, the worst first, as people read them."""
    set_or_kind = F.coalesce("advice_strategy", "advice_kind").alias("advice")
    rows = groups.where(UNEVEN).orderBy(*worst_first()).limit(most)
    return as_rows(rows.select(*SHOWN, set_or_kind, F.col("advice_moves").alias("moves")))


def advice_of(groups: DataFrame) -> list[str]:
    """How many groups are advised what, and how many can follow a plan."""
    (row,) = groups.agg(*(column.alias(name) for name, column in advice_counts().items())).collect()
    return advice_in_words(row.asDict())
