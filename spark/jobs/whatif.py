"""`evenfleet whatif`: what events would do to a fleet."""

from __future__ import annotations

from functools import reduce
from typing import Annotated

from optimizer.scenarios import Event, EventError, event_of
from spark import FleetSnapshot, InputError
from spark.fleet import STORE, WHATIF, Part, check_kind, check_out, check_writable, snapshot_id
from spark.jobs.move_cost import MoveCost
from spark.settings import USUAL_STRATEGIES, move_price, priced, window_length
from spark.terminal import (
    FleetOptions,
    OutOptions,
    Table,
    TrialOptions,
    Window,
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
    WhatIfResult,
    fleet_for_people,
    group_for_people,
    lag_for_people,
    whatif_result,
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
    move_cost: MoveCost = None,
) -> None:
    """Predict what failures, deployments and new sizes would do to each group."""
    events = events_in(event)
    if move_cost:
        move_price(move_cost)
    settings = trial.applied(source.settings, USUAL_STRATEGIES)
    out, length = target.optional(), window_length(window)
    if snapshot_out:
        check_writable(snapshot_out)
    with source.session() as spark:
        if out is not None:
            check_out(spark, out, WHATIF)
        if snapshot_out:
            check_kind(spark, snapshot_out, STORE)
        whole = source.whole(spark, "whatif")
        items = part_of(whole, source.part)
        snapshot_id(items.id)  # checked before any work is done
        flowing = optional_rates(spark, source.where, items, length, settings, RATE_SNAPSHOTS)
        with (
            flowing as rates,
            rates_for(spark, source.where, settings, whole.id) as weighed,
            busy(f"applying {', '.join(map(str, events))} to snapshot {items.id}"),
        ):
            result = whatif_result(items, events, settings, static, rates, weighed, out)
        _show(result, items, bool(settings.goals.weights))
        for sentence in result.sentences(events, settings.consumers.assumed, out):
            say(sentence)
        if move_cost:
            say(priced(move_cost, result.fleet))
        if snapshot_out:
            _keep(whole, source.part, events, snapshot_out)


def events_in(texts: list[str] | None) -> list[Event]:
    """The events that options state; InputError for one that makes no sense, and for none."""
    try:
        events = [event_of(item) for item in texts or ()]
    except EventError as error:
        raise InputError(str(error)) from None
    if not events:
        raise InputError("give an event: --event crash-rack=eu-west-a")
    return events


def _show(result: WhatIfResult, fleet: FleetSnapshot, by_weight: bool) -> None:
    """Print the table of strategies, and the groups that suffer most."""
    kinds = by_kind("strategies", result.fleet)
    affected = {n: rows for n, rows in kinds.items() if any(row["groups"] for row in rows)}
    tables = {
        name: Table(rows, [*map(fleet_for_people, rows)])
        for name, rows in (affected or {"strategies": result.fleet}).items()
    }
    rows = [*map(group_for_people, result.groups)]
    groups = Table(result.groups, rows, title="groups that suffer most", most=WORST)
    lag = lag_for_people(result.fleet)
    tables |= {"lag": Table(lag, title="lag of the worst group", as_json=None)} if lag else {}
    shown = SHOWN_BY_WEIGHT if by_weight else COLUMNS_SHOWN
    hidden = {key for row in result.fleet for key in row if key not in shown}
    others = programs_only(result.outage) | clusters_read(fleet)
    show(tables | {"groups": groups} | others, hidden)
    say_clusters(fleet)
    if fleet.part:
        say(f"Only {fleet.part} were evaluated.")


def _keep(fleet: FleetSnapshot, part: Part, events: list[Event], store: str) -> None:
    """Write the fleet as it is afterwards, all of it."""
    selection = fleet if part.cluster is None else fleet.only([part.cluster])
    after = reduce(lambda now, event: now.after(event, part.group), events, selection)
    for note in after.notes[len(fleet.notes) :]:
        say(f"{note}.")
    after.write(store)
    say(f"The fleet after the events is snapshot {after.id} of {store}.")
