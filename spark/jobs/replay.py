"""`evenfleet replay`: what each strategy would have made of a fleet's history."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer
from pyspark.sql import DataFrame, SparkSession, functions as F

from optimizer import STRATEGY_NAMES
from spark import FleetHistory, best_replayed, check_strategies, replay_fleet
from spark.files import Where, table_in, write_tables
from spark.fleet import CONNECT, CONSUMER, REPLAY, Part, check_out, check_writable
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
    Since,
    Store,
    StoreTables,
    Until,
    WeightSource,
    as_rows,
    busy,
    opened,
    out_in,
    rates_for,
    read_history,
    say,
    say_snapshots,
    show,
    since_in,
    store_in,
    tell,
    with_goals,
    with_weight,
)

SHOWN = (
    *("strategy", "excess_hours", "moves", "stopped", "first_moves", "best_or_equal", "alone"),
    "not_evaluated",
)
"""What fits a terminal of 80 columns; JSON and the table that is written have all."""

SHOWN_BY_WEIGHT = (
    *("strategy", "mean_over_bound", "worst_over_bound", "moves", "stopped", "first_moves"),
    *("best_or_equal", "alone", "not_evaluated"),
)
"""The same where groups are balanced by weight."""

TABLES = {CONSUMER: "league", CONNECT: "connect league"}
"""The table that is printed for each kind of groups that there is."""

SENTENCES = 10
"""So many groups are told of, those first for which the best strategy saves the most."""


def replay(
    store: Store = None,
    out: Out = None,
    tables: StoreTables = None,
    out_tables: OutTables = None,
    since: Since = None,
    until: Until = None,
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
    """Tell what each strategy would have made of all that happened to the groups of a fleet."""
    source, target = store_in(store, tables), out_in(out, out_tables)
    settings = with_goals(read_settings(config), goal, rack, levels, min_gain)
    settings = with_weight(settings, weight)
    chosen = check_strategies(strategies.split(",") if strategies else settings.strategies)
    settings = replace(settings, strategies=tuple(chosen))
    first = since_in(since)
    check_writable(target)
    with opened(master, conf, settings, source, many=True) as spark:
        check_out(spark, target, REPLAY)
        history = read_history(
            spark, source, "replay", first, until, Part(cluster, group), settings
        )
        with rates_for(spark, source, settings, history.snapshots[-1]) as rates:
            replay_history(spark, history, target, settings, form, rates)


def replay_history(
    session: SparkSession,
    history: FleetHistory,
    out: Where,
    settings: Settings,
    form: Format,
    rates: DataFrame | None = None,
) -> None:
    """Write both tables, print the league and what it comes to."""
    newest = history.snapshots[-1]
    with (
        history,
        replay_fleet(
            history, settings.strategies, settings.goals, settings.strategy_seconds, rates
        ) as replayed,
        busy(f"replaying {len(history.snapshots)} snapshots"),
    ):
        groups, league = replayed.groups, replayed.league
        rows = groups.repartition(1).sortWithinPartitions("cluster", "group", "strategy")
        write_tables(session, out, newest, {"replay": rows, "league": league.coalesce(1)})
        shown = as_rows(league.collect())
        best = groups.where("is_best and strategy != 'current'")
        saved = F.col("saved_excess_hours").desc_nulls_last(), "cluster", "group"
        told = [row.sentence for row in best.orderBy(*saved).limit(SENTENCES).collect()]
    by_weight = SHOWN_BY_WEIGHT if settings.goals.weights else SHOWN
    chosen = [*by_weight, *(["remote_read_hours"] if settings.goals.need_racks else [])]
    by_kind = {name: [row for row in shown if row["kind"] == kind] for kind, name in TABLES.items()}
    tables = {name: some for name, some in by_kind.items() if some} or {TABLES[CONSUMER]: []}
    show(tables, form, [name for name in league.columns if name not in chosen])
    say_snapshots(history.timeline.snapshots)
    if history.part:
        say(f"Replayed are {history.part} alone.")
    if told and form is Format.TABLE:
        tell("groups that would have been better off", told)
    say(best_replayed(shown))
    say(
        f"Snapshot {newest}: each group under each strategy is in {table_in(out, 'replay')}, "
        f"this table in {table_in(out, 'league')}."
    )
