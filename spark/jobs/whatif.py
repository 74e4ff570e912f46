"""`evenfleet whatif`: what events would do to a fleet."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated

from optimizer.scenarios import Event, SizedTopic, brokers_down
from spark import InputError, terminal
from spark.fleet import WHATIF, check_out, snapshot_id
from spark.settings import USUAL_STRATEGIES, move_price, priced, window_length
from spark.store import table_in
from spark.terminal import (
    ROWS_SHOWN,
    Table,
    busy,
    by_kind,
    clusters_read,
    option,
    programs_only,
    say,
    say_all,
    say_answer,
    say_clusters,
    show,
)
from spark.trial import idle_limits, verdicts
from spark.whatif import (
    WhatIfResult,
    broker_report,
    events_of,
    fleet_for_people,
    group_for_people,
    static_advice,
    whatif_advice,
    whatif_notes,
    whatif_result,
)

RATE_SNAPSHOTS = 3
"""Snapshots of each cluster that give rates: only their average is needed."""


def whatif(
    source: terminal.FleetOptions,
    target: terminal.OutOptions,
    trial: terminal.TrialOptions,
    event: Annotated[
        list[str] | None, option("An event such as crash-rack=eu-west-a; repeat it for a sequence.")
    ] = None,
    static: Annotated[
        bool, option("Assume that every member is static (has an instance id).")
    ] = False,
    window: terminal.Window = "24h",
    move_cost: terminal.MoveCost = None,
) -> None:
    """Predict what failures, deployments and new sizes would do to each group."""
    if not event:
        raise InputError("give an event: --event crash-rack=eu-west-a")
    events = events_of(event)
    price = move_price(move_cost) if move_cost else None
    settings = trial.applied(source.settings, USUAL_STRATEGIES)
    out, length = target.optional(), window_length(window)
    with source.session() as spark:
        if out is not None:
            check_out(spark, out, WHATIF)
        whole = source.whole(spark, "whatif")
        items = terminal.part_of(whole, source.part)
        snapshot_id(items.id)  # checked before any work is done
        with (
            source.rates(spark, items, length, RATE_SNAPSHOTS) as rates,
            source.weights(spark, settings, whole.id) as weighed,
            busy(f"applying {', '.join(map(str, events))} to snapshot {items.id}"),
        ):
            if not any(isinstance(item, SizedTopic) for item in events):  # they bring partitions
                trial.check_limits(idle_limits(items, settings.goals))
            result = whatif_result(items, events, settings, static, rates, weighed, out)
        if price:
            fleet_costs, costs = price.with_costs(result.fleet), price.with_costs(result.groups)
            result = replace(result, fleet=fleet_costs, groups=costs)
        say_answer(whatif_advice(result.fleet, events))
        show_result(result, events, bool(settings.goals.weights))
        if result.dynamic:
            say(static_advice(result.dynamic, result.fleet))
        say_all(whatif_notes(result.fleet, events))
        if price:
            say(verdicts(result.fleet, partial(priced, price)))
    if settings.consumers.assumed:
        say(settings.consumers.assumed)
    if out is not None:
        say(f"Written: {table_in(out, 'whatif')}.")
    show(clusters_read(items))
    say_clusters(items)


def show_result(result: WhatIfResult, events: Sequence[Event], by_weight: bool) -> None:
    """Print what brokers take along, the groups that suffer most, and the table of strategies."""
    if result.outage:
        leaders, lost, hit = result.outage.values()
        sentences = broker_report(leaders, lost, hit, brokers_down(events))
        terminal.print_list("brokers that are down", [*sentences])
    rows = [*map(group_for_people, result.groups)]
    groups = Table(result.groups, rows, title="groups that suffer most", most=ROWS_SHOWN)
    leagues = by_kind("strategies", result.fleet, partial(fleet_for_people, by_weight=by_weight))
    strategies = {name: replace(table, is_detail=True) for name, table in leagues.items()}
    show(strategies | {"groups": groups} | programs_only(result.outage))
