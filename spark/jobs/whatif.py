"""`evenfleet whatif`: what events would do to a fleet."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated

from optimizer.scenarios import Event, SizedTopic, brokers_down
from spark import InputError, terminal
from spark.fleet import WHATIF, check_out, snapshot_id
from spark.settings import USUAL_STRATEGIES, move_price, priced, window_length
from spark.terminal import (
    ROWS_SHOWN,
    Table,
    busy,
    by_kind,
    clusters_read,
    option,
    programs_only,
    say,
    say_answer,
    say_clusters,
    say_written,
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
        notes = [*notes_of(result, events)]
        if price:
            notes.append(verdicts(result.fleet, partial(priced, price)))
        terminal.print_list("consequences", notes)
        show_result(result, bool(settings.goals.weights))
    if settings.consumers.assumed:
        say(settings.consumers.assumed)
    say_written(out, "whatif")
    show(clusters_read(items))
    say_clusters(items)


def notes_of(result: WhatIfResult, events: Sequence[Event]) -> Iterator[str]:
    """What brokers take along, what instance ids save, and what else becomes of groups."""
    if result.outage:
        leaders, lost, hit = result.outage.values()
        yield from broker_report(leaders, lost, hit, brokers_down(events))
    if result.dynamic:
        yield static_advice(result.dynamic, result.fleet)
    yield from whatif_notes(result.fleet, events)


def show_result(result: WhatIfResult, by_weight: bool) -> None:
    """Print the groups that suffer most, and the table of strategies."""
    rows = [*map(group_for_people, result.groups)]
    groups = Table(result.groups, rows, title="groups that suffer most", most=ROWS_SHOWN)
    leagues = by_kind("strategies", result.fleet, partial(fleet_for_people, by_weight=by_weight))
    strategies = {name: replace(table, is_detail=True) for name, table in leagues.items()}
    show(strategies | {"groups": groups} | programs_only(result.outage))
