"""`evenfleet whatif`: what events would do to a fleet."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Annotated, Any

from pyspark.sql import DataFrame, functions as F

from optimizer.scenarios import BrokerDown, Event, EventError, event_of
from spark import FleetSnapshot, InputError
from spark.files import Where, table_in, write_tables
from spark.fleet import STORE, WHATIF, Part, check_kind, check_out, check_writable, snapshot_id
from spark.history import FleetRates
from spark.settings import CURRENT, USUAL_STRATEGIES, Settings, window_length
from spark.terminal import (
    FleetOptions,
    OutOptions,
    Table,
    TrialOptions,
    Window,
    as_rows,
    busy,
    by_kind,
    clusters_read,
    option,
    optional_rates,
    part_of,
    programs_only,
    rates_for,
    say,
    say_clusters,
    show,
)
from spark.whatif import (
    broker_report,
    fleet_of_whatif,
    groups_hit,
    lag_advice,
    leaders_after,
    static_advice,
    weight_advice,
    what_if,
    whatif_advice,
    without_leader,
)

COLUMNS_SHOWN = (
    *("strategy", "groups", "excess_after", "moves", "rebalances", "unread_seconds"),
    *("longest_pause", "read_twice_seconds"),
)
"""What fits a terminal of 80 columns; JSON and the table that is written have all."""

SHOWN_BY_WEIGHT = (
    *("strategy", "mean_over_bound_after", "worst_over_bound_after", "excess_after", "moves"),
    *("rebalances", "unread_seconds"),
)
"""The same where groups are balanced by weight."""

SHOWN_OF_GROUPS = ("group", "uses", "members", "max_load", "rebalances", "unread_seconds")

RATE_SNAPSHOTS = 3
"""Of so many snapshots of each cluster rates are told: their average alone is asked for."""

WORST = 10
"""Groups that people see unless they ask for all, those that suffer the most first."""


def whatif(
    source: FleetOptions,
    target: OutOptions,
    trial: TrialOptions,
    event: Annotated[
        list[str] | None, option("An event such as crash-rack=eu-west-a; repeat it for a sequence.")
    ] = None,
    snapshot_out: Annotated[
        str | None, option("Store to which the fleet after the events is written.")
    ] = None,
    static: Annotated[
        bool, option("Assume that every member is static (has an instance id).")
    ] = False,
    window: Window = "24h",
) -> None:
    """Predict what failures, deployments and new sizes would do to each group."""
    events = events_in(event)
    settings = trial.applied(source.settings, USUAL_STRATEGIES)
    out = target.optional()
    if snapshot_out:
        check_writable(snapshot_out)
    with source.session() as spark:
        if out is not None:
            check_out(spark, out, WHATIF)
        if snapshot_out:
            check_kind(spark, snapshot_out, STORE)
        whole = source.whole(spark, "whatif")
        items = part_of(whole, source.part)
        flowing = optional_rates(
            spark, source.where, items, window_length(window), settings, RATE_SNAPSHOTS
        )
        with flowing as rates, rates_for(spark, source.where, settings, whole.id) as weighed:
            _report(items, events, static, settings, out, rates, weighed)
        if snapshot_out:
            _keep(whole, source.part, events, snapshot_out)


def events_in(stated: list[str] | None) -> list[Event]:
    """The events that options state; InputError for one that makes no sense, and for none."""
    try:
        events = [event_of(item) for item in stated or ()]
    except EventError as error:
        raise InputError(str(error)) from None
    if not events:
        raise InputError("give an event: --event crash-rack=eu-west-a")
    return events


def _report(
    fleet: FleetSnapshot,
    events: list[Event],
    static: bool,
    settings: Settings,
    out: Where | None,
    rates: FleetRates | None,
    weighed: DataFrame | None,
) -> None:
    """Print the table of strategies, the groups that suffer most and what to change."""
    snapshot_id(fleet.id)  # checked before any work is done

    def tried(strategies: Sequence[str], static: bool) -> DataFrame:
        seconds, goals = settings.strategy_seconds, settings.goals
        consumers = settings.consumers
        return what_if(fleet, events, strategies, seconds, goals, static, consumers, rates, weighed)

    rows = tried(settings.strategies, static).persist()
    dynamic = []
    try:
        with busy(f"applying {', '.join(map(str, events))} to snapshot {fleet.id}"):
            table = as_rows(fleet_of_whatif(rows).collect())
            worst = as_rows(_worst(rows, settings.strategies[0]).collect())
            check_affected(rows, table, events)
            of_brokers = _of_brokers(fleet, events)
            if static and CURRENT in settings.strategies:
                dynamic = as_rows(fleet_of_whatif(tried([CURRENT], False)).collect())
            if out is not None:
                in_order = rows.repartition(1).sortWithinPartitions("cluster", "group", "strategy")
                write_tables(rows.sparkSession, out, fleet.id, {"whatif": in_order})
    finally:
        rows.unpersist()
    _show(table, worst, of_brokers, fleet, bool(settings.goals.weights))
    say_clusters(fleet)
    if fleet.part:
        say(f"Only {fleet.part} were evaluated.")
    _say_unaffected(table)
    if settings.consumers.assumed:
        say(settings.consumers.assumed)
    if dynamic:
        say(static_advice(dynamic, table))
    if of_brokers:
        leaders, lost, hit = of_brokers.values()
        for sentence in broker_report(leaders, lost, hit, _down(events)):
            say(sentence)
    say(whatif_advice(table, events))
    say(lag_advice(table))
    if text := weight_advice(table):
        say(text)
    if out is not None:
        say(f"Each group under each strategy is in {table_in(out, 'whatif')}.")


def _down(events: list[Event]) -> list[int]:
    return [event.broker for event in events if isinstance(event, BrokerDown)]


def _of_brokers(fleet: FleetSnapshot, events: list[Event]) -> dict[str, list[dict[str, Any]]]:
    """What becomes of leaders, and who can't read meanwhile; nothing if all brokers are up."""
    down = _down(events)
    if not down:
        return {}
    return {
        "leaders": as_rows(leaders_after(fleet, down).collect()),
        "without leader": as_rows(without_leader(fleet, down).collect()),
        "groups hit": as_rows(groups_hit(fleet, down).collect()),
    }


def check_affected(rows: DataFrame, table: list[dict[str, Any]], events: list[Event]) -> None:
    """Raise InputError where no group can have the events, though some could be judged."""
    if any(row["groups"] for row in table) or not any(row["unaffected"] for row in table):
        return
    unaffected = rows.where("status = 'unaffected'")
    reasons = unaffected.groupBy("reason").count().orderBy(F.desc("count"), "reason")
    (first,) = reasons.limit(1).collect()
    count = max(row["unaffected"] for row in table)
    of = "the group" if count == 1 else f"any of {count} groups"
    raise InputError(f"{' and '.join(map(str, events))} doesn't apply to {of}: {first.reason}")


def _worst(rows: DataFrame, strategy: str) -> DataFrame:
    """The groups that suffer most under the first strategy, which is the one in use if named."""
    there = rows.where(F.col("members_after").isNotNull() & (F.col("strategy") == strategy))
    return there.orderBy(
        (F.col("members_after") > 0),
        F.desc_nulls_last("unread_seconds"),
        F.desc_nulls_last(F.col("max_load_after") - F.col("max_load_before")),
        F.desc_nulls_last("moves"),
        *("cluster", "group"),
    )


def _show(
    table: list[dict[str, Any]],
    worst: list[dict[str, Any]],
    of_brokers: dict[str, list[dict[str, Any]]],
    fleet: FleetSnapshot,
    by_weight: bool,
) -> None:
    kinds = by_kind("strategies", table)
    affected = {n: rows for n, rows in kinds.items() if any(row["groups"] for row in rows)}
    selection = {*(SHOWN_BY_WEIGHT if by_weight else COLUMNS_SHOWN), *SHOWN_OF_GROUPS}
    hidden = {key for row in (*table, *worst) for key in row if key not in selection}
    tables = {
        name: Table(rows, [_rounded(row) for row in rows])
        for name, rows in (affected or {"strategies": table}).items()
    }
    groups = Table(worst, [*map(_of_group, worst)], title="groups that suffer most", most=WORST)
    show(tables | {"groups": groups} | programs_only(of_brokers) | clusters_read(fleet), hidden)


def _of_group(row: dict[str, Any]) -> dict[str, Any]:
    """A row of one group for people."""
    entry = row | {"unread_seconds": _whole(row["unread_seconds"])}
    entry |= {name: _change(row, name) for name in ("members", "max_load")}
    return {name: entry[name] for name in SHOWN_OF_GROUPS}


def _rounded(row: dict[str, Any]) -> dict[str, Any]:
    """Seconds of a whole fleet without fractions of them, so that they fit."""
    return row | {name: _whole(row[name]) for name in ("unread_seconds", "read_twice_seconds")}


def _whole(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds)


def _change(row: dict[str, Any], what: str) -> str:
    """A number before and after, one number where it is the same."""
    before, after = row[f"{what}_before"], row[f"{what}_after"]
    return f"{before}" if before == after else f"{before} → {'-' if after is None else after}"


def _say_unaffected(table: list[dict[str, Any]]) -> None:
    unaffected = max((row["unaffected"] for row in table), default=0)
    if unaffected:
        say(f"The events don't apply to {unaffected} group{'s' if unaffected > 1 else ''}.")
    if empty := max((row["left_empty"] for row in table), default=0):
        say(f"{empty} group{' has' if empty == 1 else 's have'} no members left.")


def _keep(fleet: FleetSnapshot, part: Part, events: list[Event], store: str) -> None:
    """Write the fleet as it is afterwards, all of it."""
    selection = fleet if part.cluster is None else fleet.only([part.cluster])
    after = reduce(lambda now, event: now.after(event, part.group), events, selection)
    for note in after.notes[len(fleet.notes) :]:
        say(f"{note}.")
    after.write(store)
    say(f"The fleet after the events is snapshot {after.id} of {store}.")
