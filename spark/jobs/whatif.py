"""`evenfleet whatif`: what events would do to a fleet."""

from dataclasses import replace
from functools import partial
from typing import Annotated

from optimizer.scenarios import SizedTopic
from spark import FleetSnapshot, InputError, terminal
from spark.fleet import WHATIF, check_out, snapshot_id
from spark.settings import MOVE_COSTS, USUAL_STRATEGIES, move_price, priced, window_length
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
    say_clusters,
    show,
)
from spark.trial import idle_limits, verdicts
from spark.whatif import (
    WhatIfResult,
    events_of,
    fleet_for_people,
    group_for_people,
    lag_for_people,
    whatif_result,
)

RATE_SNAPSHOTS = 3
"""Snapshots of each cluster that give rates: only their average is needed."""


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
        show_result(result, items, bool(settings.goals.weights))
        say_all(result.sentences(events, settings.consumers.assumed, out))
        if price:
            say(verdicts(result.fleet, partial(priced, price)))


def show_result(result: WhatIfResult, fleet: FleetSnapshot, by_weight: bool) -> None:
    """Print the table of strategies, and the groups that suffer most."""
    kinds = {row["kind"] for row in result.fleet if row["groups"]}
    affected = [row for row in result.fleet if row["kind"] in kinds] or result.fleet
    tables = by_kind("strategies", affected, fleet_for_people)
    rows = [*map(group_for_people, result.groups)]
    groups = Table(result.groups, rows, title="groups that suffer most", most=ROWS_SHOWN)
    lag = lag_for_people(result.fleet)
    tables |= {"lag": Table(lag, title="lag of the worst group", as_json=None)} if lag else {}
    shown = SHOWN_BY_WEIGHT if by_weight else COLUMNS_SHOWN
    visible = *shown, *MOVE_COSTS
    hidden = {key for row in result.fleet for key in row if key not in visible}
    others = programs_only(result.outage) | clusters_read(fleet)
    show(tables | {"groups": groups} | others, hidden)
    say_clusters(fleet)
    if fleet.part:
        say(f"Only {fleet.part} were evaluated.")
