"""A comparison written beside others, and the few rows of the fleet that are printed of it."""

from typing import Any

from pyspark.sql import DataFrame

from spark.compare.advised import advice_of, advised_groups, uneven_first
from spark.compare.compare import best_first, compare_history, encoded_for, fleet_of
from spark.compare.measure import measure_groups
from spark.fleet import COMPARISON, RESULTS, FleetSnapshot, as_rows
from spark.history import FleetHistory
from spark.settings import Settings, check_strategies
from spark.solve import LevelsOf
from spark.store import SNAPSHOT, CatalogSchema, Where, in_one_file, write_by_snapshot, write_tables

KEYS = ("cluster", "group", "strategy")

MAX_GROUPS = 10_000
"""Uneven groups that are told, the worst ones."""

Rows = list[dict[str, Any]]


def write_comparison(
    fleet: FleetSnapshot, settings: Settings, rates: DataFrame | None, out: Where, levels: LevelsOf
) -> tuple[Rows, Rows, list[str]]:
    """Compare the strategies of the settings and write the tables.

    Returns the rows of the fleet's, the uneven groups with what is advised to them, and that in
    sentences.
    """
    names = check_strategies(settings.strategies)
    encoded = encoded_for(fleet, names, settings.goals, rates).persist()
    try:
        compared = measure_groups(encoded, names, settings.strategy_seconds, settings.goals)
        return _write(compared, advised_groups(encoded, settings, levels), fleet.id, out)
    finally:
        encoded.unpersist()


def _write(
    compared: DataFrame, advised: DataFrame, snapshot: str, out: Where
) -> tuple[Rows, Rows, list[str]]:
    groups = advised.persist()
    try:
        rows = _write_tables(compared, groups, snapshot, out)
        return rows, uneven_first(groups, MAX_GROUPS), advice_of(groups)
    finally:
        groups.unpersist()


def _write_tables(compared: DataFrame, groups: DataFrame, snapshot: str, out: Where) -> Rows:
    comparison = compared.persist()
    try:
        table = fleet_of(comparison)
        of_groups = "comparison_groups" if isinstance(out, CatalogSchema) else "groups"
        written = {
            "comparison": in_one_file(comparison, *KEYS),
            "fleet": table.coalesce(1),
            # a schema of a catalog may hold an audit and its groups as well
            of_groups: in_one_file(groups, "cluster", "group"),
        }
        rows = as_rows(table)
        write_tables(comparison.sparkSession, out, snapshot, written)
        return rows
    finally:
        comparison.unpersist()


def write_compared_history(
    history: FleetHistory, settings: Settings, out: Where
) -> tuple[Rows, Rows]:
    """The same of every snapshot at once, by count: the rows of each, and those over all."""
    comparison = compare_history(
        history, settings.strategies, settings.strategy_seconds, settings.goals
    ).persist()
    try:
        fleet = fleet_of(comparison, SNAPSHOT)
        rows, over_all = as_rows(fleet), as_rows(fleet_of(comparison))
        keys = (SNAPSHOT, *KEYS)
        written = {
            "comparison": comparison.repartition(SNAPSHOT).sortWithinPartitions(*keys),
            "fleet": fleet.coalesce(1).sortWithinPartitions(SNAPSHOT, *best_first()),
        }
        replaced = dict.fromkeys(history.snapshots, RESULTS[COMPARISON][:2])
        write_by_snapshot(comparison.sparkSession, out, written, replaced)
        return rows, over_all
    finally:
        comparison.unpersist()
