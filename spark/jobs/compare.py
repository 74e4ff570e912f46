"""`evenfleet compare`: what each strategy would do to a fleet."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Annotated

import typer
from pyspark.sql import SparkSession

from optimizer import STRATEGY_NAMES
from spark import FleetSnapshot, check_strategies, compare_fleet, fleet_of
from spark.compare import best_of
from spark.files import Where, table_in, write_tables
from spark.fleet import CONNECT, CONSUMER, WHOLE, Part, check_outside, check_writable, snapshot_id
from spark.settings import Settings, read_settings
from spark.terminal import (
    ClusterName,
    Conf,
    Config,
    Form,
    Format,
    GoalTexts,
    GroupPattern,
    Levels,
    Master,
    MinGain,
    Out,
    OutTables,
    Rack,
    Rows,
    SnapshotOrAll,
    Store,
    StoreTables,
    WeightSource,
    as_rows,
    busy,
    clusters_in_json,
    each_snapshot,
    one_of,
    opened,
    out_in,
    part_of,
    rates_for,
    read_snapshot,
    say,
    say_clusters,
    show,
    store_in,
    with_goals,
    with_weight,
)

SHOWN = (
    *("strategy", "unbalanced", "worst_max_to_mean", "mean_topic_share", "excess", "moves"),
    "without_answer",
)
"""What fits a terminal of 80 columns; JSON and the table that is written have all."""

SHOWN_BY_WEIGHT = (
    *("strategy", "mean_over_bound", "worst_over_bound", "unbalanced", "moves"),
    "without_answer",
)
"""The same where groups are balanced by weight."""

WRITTEN = ("comparison", "fleet")
"""The tables of a comparison."""

TABLES = {CONSUMER: "strategies", CONNECT: "connect strategies"}
"""The table that is printed for each kind of groups that there is."""


def compare(
    store: Store = None,
    out: Out = None,
    tables: StoreTables = None,
    out_tables: OutTables = None,
    snapshot: SnapshotOrAll = None,
    strategies: Annotated[
        str | None,
        typer.Option(
            help=f"Names, separated by commas: current, {', '.join(STRATEGY_NAMES)}; your own as "
            "package:function.",
            show_default="all that are for a group's kind",
        ),
    ] = None,
    cluster: ClusterName = None,
    group: GroupPattern = None,
    goal: GoalTexts = None,
    rack: Rack = None,
    levels: Levels = None,
    min_gain: MinGain = None,
    weight: WeightSource = None,
    master: Master = None,
    conf: Conf = None,
    config: Config = None,
    form: Form = Format.TABLE,
) -> None:
    """Measure every group as it is and under each strategy, and say which would be best."""
    source, target = store_in(store, tables), out_in(out, out_tables)
    settings = with_goals(read_settings(config), goal, rack, levels, min_gain)
    settings = with_weight(settings, weight)
    chosen = check_strategies(strategies.split(",") if strategies else settings.strategies)
    settings = replace(settings, strategies=tuple(chosen))
    check_writable(target)
    with opened(master, conf, settings, source, one_of(snapshot)) as spark:
        compare_store(spark, source, target, snapshot, settings, form, Part(cluster, group))


def compare_store(
    session: SparkSession,
    store: Where,
    out: Where,
    snapshot: str | None,
    settings: Settings,
    form: Format,
    part: Part = WHOLE,
) -> None:
    """Measure all groups of one snapshot, or of each, under all strategies, and print the fleet's.

    Both tables are written, by snapshot.
    """
    check_outside(session, out, WRITTEN)
    compared, fault = each_snapshot(
        *(session, store, snapshot, part, "are compared"),
        lambda one: _compare_one(session, store, out, one, settings, part),
    )
    if compared:
        _show(compared, settings, form)
    for fleet, rows in compared:
        say_clusters(fleet)
        if part:
            say(f"Compared are {part} alone.")
        say(best_of(rows))
        say(
            f"Snapshot {fleet.id}: each group under each strategy is in "
            f"{table_in(out, 'comparison')}, this table in {table_in(out, 'fleet')}."
        )
    if fault:
        raise fault


def _show(compared: Sequence[tuple[FleetSnapshot, Rows]], settings: Settings, form: Format) -> None:
    """Print the tables of all snapshots, one below the other."""
    many = len(compared) > 1
    rows = [
        ({"snapshot": fleet.id} if many else {}) | row for fleet, some in compared for row in some
    ]
    by_kind = {name: [row for row in rows if row["kind"] == kind] for kind, name in TABLES.items()}
    tables = {name: some for name, some in by_kind.items() if some} or {TABLES[CONSUMER]: []}
    shown = SHOWN_BY_WEIGHT if settings.goals.weights else SHOWN
    chosen = ["snapshot", *shown, *(["remote_reads"] if settings.goals.need_racks else [])]
    hidden = {column for row in rows for column in row if column not in chosen}
    fleets = [fleet for fleet, _ in compared]
    show(tables | clusters_in_json(form, *fleets), form, hidden)


def _compare_one(
    session: SparkSession,
    store: Where,
    out: Where,
    snapshot: str | None,
    settings: Settings,
    part: Part,
) -> tuple[FleetSnapshot, Rows]:
    """Write both tables of a fleet; the rows of the second."""
    fleet = read_snapshot(session, store, snapshot, "compare", settings.max_age)
    fleet = part_of(fleet, part)
    snapshot_id(fleet.id)  # checked before any work is done
    with ExitStack() as kept:
        rates = kept.enter_context(rates_for(session, store, settings, fleet.id))
        comparison = compare_fleet(
            fleet, settings.strategies, settings.strategy_seconds, settings.goals, rates
        ).persist()
        kept.callback(comparison.unpersist)
        with busy(f"comparing strategies on snapshot {fleet.id}"):
            table = fleet_of(comparison)
            shown = as_rows(table.collect())
            rows = comparison.repartition(1).sortWithinPartitions("cluster", "group", "strategy")
            written = {"comparison": rows, "fleet": table.coalesce(1)}
            write_tables(session, out, fleet.id, written)
    return fleet, shown
