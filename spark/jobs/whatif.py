"""`evenfleet whatif`: what events would do to a fleet."""

from dataclasses import replace
from functools import partial
from typing import Annotated

from optimizer.scenarios import Event, EventError, SizedTopic, event_of
from spark import InputError, terminal
from spark.fleet import WHATIF, check_out, snapshot_id
from spark.jobs.whatif_shown import show_result
from spark.settings import USUAL_STRATEGIES, move_price, priced, window_length
from spark.terminal import busy, option, say, say_all
from spark.trial import idle_limits, verdicts
from spark.whatif import whatif_result

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
    events = events_in(event)
    price = move_price(move_cost) if move_cost else None
    settings = trial.applied(source.settings, USUAL_STRATEGIES)
    out, length = target.optional(), window_length(window)
    with source.session() as spark:
        if out is not None:
            check_out(spark, out, WHATIF)
        whole = source.whole(spark, "whatif")
        items = terminal.part_of(whole, source.part)
        snapshot_id(items.id)  # checked before any work is done
        flowing = terminal.optional_rates(
            spark, source.where, items, length, settings, RATE_SNAPSHOTS
        )
        with (
            flowing as rates,
            terminal.rates_for(spark, source.where, settings, whole.id) as weighed,
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


def events_in(texts: list[str] | None) -> list[Event]:
    """The events that options state; InputError for one that makes no sense, and for none."""
    try:
        events = [event_of(item) for item in texts or ()]
    except EventError as error:
        raise InputError(str(error)) from None
    if not events:
        raise InputError("give an event: --event crash-rack=eu-west-a")
    return events
