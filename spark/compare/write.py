"""A comparison written beside others, and the few rows of the fleet that are printed of it."""

from collections.abc import Callable, Sequence
from typing import Any

from pyspark.sql import DataFrame

from spark.compare.compare import encoded_for, fleet_of
from spark.compare.measure import ADVISED, ComparedRow, measure_groups
from spark.fleet import UNEVEN, FleetSnapshot, as_rows, worst_first
from spark.groups import columns_of
from spark.settings import Settings, check_strategies
from spark.solve import LevelsOf, advice_counts, advice_in_words, idle_limits_of
from spark.store import CatalogSchema, Where, in_one_file, write_tables

SHOWN = ("cluster", "group", "now_to_best", "after_to_best", "severity")
"""What people read of an uneven group, beside what is advised to it."""

ADVICE = ("advice_kind", "advice", "advice_strategy", "advice_moves", "can_follow")


def uneven_first(groups: DataFrame, most: int) -> list[dict[str, Any]]:
    """The uneven groups, the worst first."""
    worst = groups.where(UNEVEN).orderBy(*worst_first()).limit(most)
    return as_rows(worst.select(*SHOWN, "judged_by", *ADVICE))


def uneven_row(row: dict[str, Any]) -> dict[str, Any]:
    """One of them as people read it: an assignor to set, or what else is advised."""
    advice = row["advice_strategy"] or row["advice_kind"]
    shown = {name: row[name] for name in ("snapshot", *SHOWN) if name in row}
    return shown | {"advice": advice, "moves": row["advice_moves"]}


def advice_of(groups: DataFrame) -> list[str]:
    """How many groups are advised what, and how many can follow a plan."""
    sums = (column.alias(name) for name, column in advice_counts().items())
    return advice_in_words(groups.agg(*sums).collect())


KEYS = ("cluster", "group", "strategy")

MAX_GROUPS = 10_000
"""Uneven groups that are told, the worst ones."""

Rows = list[dict[str, Any]]


def groups_table(out: Where | None) -> str:
    """The table of groups: a schema of a catalog may hold an audit and its groups as well."""
    return "comparison_groups" if isinstance(out, CatalogSchema) else "groups"


def write_comparison(
    fleet: FleetSnapshot,
    settings: Settings,
    rates: DataFrame | None,
    out: Where | None,
    levels: LevelsOf,
    check_limits: Callable[[Sequence[str]], None],
) -> tuple[Rows, Rows, list[str]]:
    """Compare the strategies of the settings and write the tables.

    Returns the rows of the fleet's, the uneven groups with what is advised to them, and that in
    sentences. `check_limits` may object to the limits that no member or partition fits.
    """
    names, goals = check_strategies(settings.strategies), settings.goals
    encoded = encoded_for(fleet, names, goals, rates)
    measured = measure_groups(
        encoded, names, settings.strategy_seconds, goals, levels=levels
    ).persist()
    try:
        groups = measured.where("strategy is null")
        check_limits(idle_limits_of(groups, goals))
        groups = groups.select(*ADVISED)
        comparison = measured.where("strategy is not null").select(*columns_of(ComparedRow))
        table = fleet_of(comparison)
        written = {
            "comparison": in_one_file(comparison, *KEYS),
            "fleet": table.coalesce(1),
            groups_table(out): in_one_file(groups, "cluster", "group"),
        }
        rows = as_rows(table)
        if out:
            write_tables(comparison.sparkSession, out, fleet.id, written)
        return rows, uneven_first(groups, MAX_GROUPS), advice_of(groups)
    finally:
        measured.unpersist()
