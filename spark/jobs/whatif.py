"""`evenfleet whatif`: what events would do to a fleet."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated

from optimizer.scenarios import Event, SizedTopic, brokers_down
from spark import FleetSnapshot, InputError, terminal
from spark.fleet import WHATIF, check_out, snapshot_id
from spark.settings import CURRENT, USUAL_STRATEGIES, costs_of, move_price, window_length
from spark.terminal import ROWS_SHOWN, Table, busy, option, say, say_answer, show
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
    trial_settings = trial.apply_to(source.settings, USUAL_STRATEGIES)
    out, length = target.optional(), window_length(window)
    with source.session() as spark:
        check_out(spark, out, WHATIF)
        whole = source.fleet(spark)
        fleet = terminal.part_of(whole, source.part)
        snapshot_id(fleet.id)  # checked before any work is done
        with (
            source.rates(spark, fleet, length, RATE_SNAPSHOTS) as rates,
            source.weights(spark, trial_settings, whole.id) as weighed,
            busy(f"applying {', '.join(map(str, events))} to snapshot {fleet.id}"),
        ):
            if not any(isinstance(event, SizedTopic) for event in events):  # they bring partitions
                trial.check_limits(idle_limits(fleet, trial_settings.goals))
            predicted = whatif_result(fleet, events, trial_settings, static, rates, weighed, out)
        if price:
            fleet_costs = price.with_costs(predicted.fleet)
            group_costs = price.with_costs(predicted.groups)
            predicted = replace(predicted, fleet=fleet_costs, groups=group_costs)
        say_answer(whatif_advice(predicted.fleet, events))
        notes = [*notes_of(predicted, events)]
        if price:
            notes.append(verdicts(predicted.fleet, partial(costs_of, price)))
        terminal.print_list("consequences", notes)
        show_result(fleet, predicted, bool(trial_settings.goals.weights))
        if brokers_down(events):
            terminal.follow_with(terminal.REASSIGN)
        elif any(row["never_caught_up"] for row in predicted.fleet if row["strategy"] == CURRENT):
            terminal.follow_with(terminal.MEMBERS)
    if trial_settings.consumers.assumptions:
        say(trial_settings.consumers.assumptions)
    terminal.say_written(out, "whatif")
    terminal.say_clusters(fleet)


def notes_of(predicted: WhatIfResult, events: Sequence[Event]) -> Iterator[str]:
    """Sentences on what brokers take along, what instance ids save, and what becomes of groups."""
    if predicted.outage:
        leaders, lost, hit = predicted.outage.values()
        yield from broker_report(leaders, lost, hit, brokers_down(events))
    if predicted.dynamic:
        yield static_advice(predicted.dynamic, predicted.fleet)
    yield from whatif_notes(predicted.fleet, events)


def show_result(fleet: FleetSnapshot, predicted: WhatIfResult, by_weight: bool) -> None:
    """Print the groups that suffer most, and the table of strategies."""
    rows = [*map(group_for_people, predicted.groups)]
    groups = Table(predicted.groups, rows, title="groups that suffer most", most=ROWS_SHOWN)
    leagues = terminal.by_kind(
        "strategies", predicted.fleet, partial(fleet_for_people, by_weight=by_weight)
    )
    strategies = {name: replace(table, is_detail=True) for name, table in leagues.items()}
    outage = terminal.programs_only(predicted.outage)
    show(strategies | {"groups": groups} | outage | terminal.clusters_read(fleet))
