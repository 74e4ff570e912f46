"""`evenfleet compare`: what each strategy would do to a fleet."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer
from pyspark.sql import SparkSession

from optimizer import STRATEGY_NAMES
from spark import check_strategies, compare_fleet, fleet_of
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
    Snapshot,
    Store,
    StoreTables,
    as_rows,
    busy,
    clusters_in_json,
    opened,
    out_in,
    part_of,
    read_snapshot,
    say,
    say_clusters,
    show,
    store_in,
    with_goals,
)

SHOWN = (
    *("strategy", "unbalanced", "worst_max_to_mean", "mean_topic_share", "excess", "moves"),
    "without_answer",
)
"""What fits a terminal of 80 columns; JSON and the table that is written have all."""

WRITTEN = ("comparison", "fleet")
"""The tables of a comparison."""

TABLES = {CONSUMER: "strategies", CONNECT: "connect strategies"}
"""The table that is printed for each kind of groups that there is."""


def compare(
    store: Store = None,
    out: Out = None,
    tables: StoreTables = None,
    out_tables: OutTables = None,
    snapshot: Snapshot = None,
    strategies: Annotated[
        str | None,
        typer.Option(
            help=f"Names, separated by commas: current, {', '.join(STRATEGY_NAMES)}.",
            show_default="all that are for a group's kind",
        ),
    ] = None,
    cluster: ClusterName = None,
    group: GroupPattern = None,
    goal: GoalTexts = None,
    rack: Rack = None,
    levels: Levels = None,
    min_gain: MinGain = None,
    master: Master = None,
    conf: Conf = None,
    config: Config = None,
    form: Form = Format.TABLE,
) -> None:
    """Measure every group as it is and under each strategy, and say which would be best."""
    source, target = store_in(store, tables), out_in(out, out_tables)
    settings = with_goals(read_settings(config), goal, rack, levels, min_gain)
    chosen = check_strategies(strategies.split(",") if strategies else settings.strategies)
    settings = replace(settings, strategies=tuple(chosen))
    check_writable(target)
    with opened(master, conf, settings, source, snapshot) as spark:
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
    """Measure all groups under all strategies, write both tables, print the fleet's."""
    check_outside(session, out, WRITTEN)
    fleet = read_snapshot(session, store, snapshot, "compare", settings.max_age)
    fleet = part_of(fleet, part)
    snapshot_id(fleet.id)  # checked before any work is done
    comparison = compare_fleet(
        fleet, settings.strategies, settings.strategy_seconds, settings.goals
    ).persist()
    try:
        with busy(f"comparing strategies on snapshot {fleet.id}"):
            table = fleet_of(comparison)
            shown = as_rows(table.collect())
            rows = comparison.repartition(1).sortWithinPartitions("cluster", "group", "strategy")
            written = {"comparison": rows, "fleet": table.coalesce(1)}
            write_tables(session, out, fleet.id, written)
    finally:
        comparison.unpersist()
    chosen = [*SHOWN, *(["remote_reads"] if settings.goals.need_racks else [])]
    by_kind = {name: [row for row in shown if row["kind"] == kind] for kind, name in TABLES.items()}
    tables = {name: some for name, some in by_kind.items() if some} or {TABLES[CONSUMER]: []}
    show(
        tables | clusters_in_json(form, fleet),
        form,
        [name for name in table.columns if name not in chosen],
    )
    say_clusters(fleet)
    if part:
        say(f"Compared are {part} alone.")
    say(best_of(shown))
    say(
        f"Snapshot {fleet.id}: each group under each strategy is in "
        f"{table_in(out, 'comparison')}, this table in {table_in(out, 'fleet')}."
    )
