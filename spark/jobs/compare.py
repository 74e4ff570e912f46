"""`evenfleet compare`: what each strategy would do to a fleet."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack, suppress

from pyspark.sql import SparkSession

from spark import FleetSnapshot, compare_fleet, fleet_of
from spark.compare import (
    best_first,
    best_of,
    compare_history,
    cures_of,
    sentence_of_cures,
)
from spark.errors import UnreadableError
from spark.files import SNAPSHOT, Where, table_in, write_by_snapshot, write_tables
from spark.fleet import COMPARISON, RESULTS, WHOLE, Part, check_out, snapshot_id
from spark.settings import Settings
from spark.terminal import (
    ALL,
    FleetsOptions,
    OutOptions,
    Rows,
    Table,
    TrialOptions,
    as_rows,
    busy,
    by_kind,
    clusters_read,
    each_snapshot,
    part_of,
    rates_for,
    read_history,
    read_snapshot,
    say,
    say_clusters,
    say_snapshots,
    show,
)

COLUMNS_SHOWN = (
    *("strategy", "uneven", "worst_max_to_mean", "mean_topic_share", "excess", "moves"),
    "not_evaluated",
)
"""What fits a terminal of 80 columns; JSON and the table that is written have all."""

SHOWN_BY_WEIGHT = (
    *("strategy", "mean_over_bound", "worst_over_bound", "unbalanced", "moves"),
    "not_evaluated",
)
"""The same where groups are balanced by weight."""

GROUPS = "groups to change"
"""The table of uneven groups, with the assignor that each should use."""

ROWS_SHOWN = 10
"""Groups of it that people see unless they ask for all."""


def compare(source: FleetsOptions, target: OutOptions, trial: TrialOptions) -> None:
    """Compare strategies on every group of a snapshot, and name the best."""
    out, settings = target.required(), trial.applied(source.settings)
    with source.session(source.one, source.snapshot == ALL) as spark:
        compare_store(spark, source.where, out, source.snapshot, settings, source.part)


def compare_store(
    session: SparkSession,
    store: Where,
    out: Where,
    snapshot: str | None,
    settings: Settings,
    part: Part = WHOLE,
) -> None:
    """Measure all groups of one snapshot, or of each, under all strategies, and print the fleet's.

    Both tables are written, by snapshot. All of them are compared at once, unless groups go by
    weights, or one can't be read.
    """
    check_out(session, out, COMPARISON)
    if snapshot == ALL and not settings.goals.weights:
        with suppress(UnreadableError):
            return _compare_all(session, store, out, settings, part)
    compared, fault = each_snapshot(
        *(session, store, snapshot, part, "are compared"),
        lambda item: _compare_one(session, store, out, item, settings, part),
    )
    if compared:
        changed = [row for _, (_, groups) in compared for row in groups]
        _show(
            [
                ({"snapshot": fleet.id} if len(compared) > 1 else {}) | row
                for fleet, (items, _) in compared
                for row in items
            ],
            {
                GROUPS: Table(changed, is_shown=bool(changed), most=ROWS_SHOWN),
                **clusters_read(*(fleet for fleet, _ in compared)),
            },
            settings,
        )
    for fleet, (rows, groups) in compared:
        say_clusters(fleet)
        if part:
            say(f"Only {part} were compared.")
        say(best_of(rows))
        if groups:
            say(sentence_of_cures(groups))
        say(
            f"Snapshot {fleet.id}: each group under each strategy is in "
            f"{table_in(out, 'comparison')}, this table in {table_in(out, 'fleet')}."
        )
    if fault:
        raise fault


def _compare_all(
    session: SparkSession, store: Where, out: Where, settings: Settings, part: Part
) -> None:
    """The same of every snapshot at once, with one verdict over all; UnreadableError if one is."""
    history = read_history(session, store, "compare", None, None, part, settings)
    held, snapshots = history.timeline.snapshots, history.snapshots
    with ExitStack() as kept:
        kept.enter_context(history)
        comparison = compare_history(
            history, settings.strategies, settings.strategy_seconds, settings.goals
        ).persist()
        kept.callback(comparison.unpersist)
        with busy(f"comparing strategies on {len(snapshots)} snapshots"):
            fleet = fleet_of(comparison, SNAPSHOT)
            rows, over_all = as_rows(fleet.collect()), as_rows(fleet_of(comparison).collect())
            keys = (SNAPSHOT, "cluster", "group", "strategy")
            written = {
                "comparison": comparison.repartition(SNAPSHOT).sortWithinPartitions(*keys),
                "fleet": fleet.coalesce(1).sortWithinPartitions(SNAPSHOT, *best_first()),
            }
            write_by_snapshot(session, out, written, dict.fromkeys(snapshots, RESULTS[COMPARISON]))
    clusters = [
        {"cluster": cluster, "snapshot": snapshot}
        for snapshot in snapshots
        for cluster, ids in held.items()
        if snapshot in ids
    ]
    _show(rows, {"clusters": Table(clusters, is_shown=False)}, settings)
    say_snapshots(held)
    if part:
        say(f"Only {part} were compared.")
    say(f"Over all, a group counts once in each snapshot. {best_of(over_all)}")
    say(
        f"Each snapshot's groups under each strategy are in {table_in(out, 'comparison')}, its "
        f"table in {table_in(out, 'fleet')}."
    )


def _show(rows: Rows, beside: Mapping[str, Table], settings: Settings) -> None:
    """Print the tables of all snapshots, one below the other, and those `beside` them."""
    tables = by_kind("strategies", rows)
    shown = SHOWN_BY_WEIGHT if settings.goals.weights else COLUMNS_SHOWN
    selection = ["snapshot", *shown, *(["remote_reads"] if settings.goals.need_racks else [])]
    hidden = {column for row in rows for column in row if column not in selection}
    show({**tables, **beside}, hidden)


def _compare_one(
    session: SparkSession,
    store: Where,
    out: Where,
    snapshot: str | None,
    settings: Settings,
    part: Part,
) -> tuple[FleetSnapshot, tuple[Rows, Rows]]:
    """Write both tables of a fleet; the rows of the second, and the groups to change."""
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
            shown, groups = as_rows(table.collect()), cures_of(comparison)
            rows = comparison.repartition(1).sortWithinPartitions("cluster", "group", "strategy")
            written = {"comparison": rows, "fleet": table.coalesce(1)}
            write_tables(session, out, fleet.id, written)
    return fleet, (shown, groups)
