"""Let events happen to the groups of a fleet, and what that comes to for people."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from pyspark.sql import DataFrame

from optimizer.model import Goals
from optimizer.scenarios import Event, EventError, brokers_down, event_of
from spark.errors import InputError
from spark.fleet import FleetSnapshot, as_rows
from spark.groups import encode, weight_tables
from spark.history import FleetRates
from spark.settings import (
    CURRENT,
    DEFAULT_FLEET_GOALS,
    NO_CONSUMERS,
    STRATEGY_SECONDS,
    USUAL_STRATEGIES,
    FleetConsumers,
    FleetGoals,
    Settings,
    as_fleet_goals,
    check_strategies,
)
from spark.solve import TimeLimit
from spark.store import Where, in_one_file, write_tables
from spark.trial import need_racks, try_groups
from spark.whatif.brokers import outage_of
from spark.whatif.measure import WhatIf, WhatIfRow, rows_of_group
from spark.whatif.parts import RowOfEvents, led_by, rate_parts
from spark.whatif.tables import check_affected, fleet_of_whatif, most_affected


def events_of(events: Iterable[Event | str]) -> tuple[Event, ...]:
    """Events, or their texts, as events; InputError for one that makes no sense."""
    try:
        return tuple(map(event_of, events))
    except EventError as error:
        raise InputError(str(error)) from None


def what_if(
    snapshot: FleetSnapshot,
    events: Sequence[Event | str],
    strategies: Sequence[str] = USUAL_STRATEGIES,
    strategy_seconds: float = STRATEGY_SECONDS,
    goals: FleetGoals | Goals = DEFAULT_FLEET_GOALS,
    static: bool = False,
    consumers: FleetConsumers = NO_CONSUMERS,
    rates: FleetRates | None = None,
    weighed: DataFrame | None = None,
) -> DataFrame:
    """Effects of events on groups, by strategy: a `WhatIfRow` a (cluster, group, strategy).

    Events are those of `optimizer.scenarios`, or their texts, and happen one after the other. With
    `static` all members are taken to be static ones. A group that can't have them is `unaffected`.
    `goals` are those of `optimal`, `consumers` says how members are configured, and `rates` how
    many records come in; `weighed` are rates as weights, as `plan_fleet` takes them. A group is
    encoded once for all strategies; where one needs more than `strategy_seconds` of processor time
    for a group, that row is `failed`.

    InputError for an event that makes no sense, an unknown strategy and null keys.
    """
    parsed = events_of(events)
    if not parsed:
        raise InputError("name an event at least, such as crash-rack=eu-west-a")
    names = check_strategies(strategies)
    fleet_goals = as_fleet_goals(goals)
    job = WhatIf(parsed, names, static, consumers)
    parts = rate_parts(snapshot, rates) if rates else {}
    if down := brokers_down(parsed):
        parts["led"] = led_by(snapshot, down)
    weights = weight_tables(snapshot, fleet_goals.sources, weighed)
    encoded = encode(snapshot.validate(), need_racks(names, fleet_goals), parts, weights=weights)

    def rows_of(row: RowOfEvents, limit: TimeLimit) -> Iterator[WhatIfRow]:
        return rows_of_group(row, job, limit, fleet_goals.of(row.cluster, row.group))

    return try_groups(encoded, WhatIfRow, rows_of, strategy_seconds)


Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class WhatIfResult:
    """The fleet under each strategy, groups that suffer most first, and what brokers take along.

    `dynamic` has the fleet without instance ids, where static members were assumed.
    """

    fleet: Rows
    groups: Rows
    outage: dict[str, Rows]
    dynamic: Rows


def whatif_result(
    fleet: FleetSnapshot,
    events: Sequence[Event],
    config: Settings,
    static: bool = False,
    rates: FleetRates | None = None,
    weighed: DataFrame | None = None,
    out: Where | None = None,
) -> WhatIfResult:
    """Apply events to a fleet under the strategies of the settings; `out` gets a row a group.

    InputError where no group can have the events. The other arguments are those of `what_if`.
    """
    apply = partial(
        what_if,
        fleet,
        events,
        strategy_seconds=config.strategy_seconds,
        goals=config.goals,
        consumers=config.consumers,
        rates=rates,
        weighed=weighed,
    )
    rows = apply(config.strategies, static=static).persist()
    dynamic = []
    try:
        table = as_rows(fleet_of_whatif(rows))
        worst = as_rows(most_affected(rows, config.strategies[0]))
        check_affected(fleet, rows, table, events)
        if static and CURRENT in config.strategies:
            dynamic = as_rows(fleet_of_whatif(apply([CURRENT])))
        if out is not None:
            in_order = in_one_file(rows, "cluster", "group", "strategy")
            write_tables(rows.sparkSession, out, fleet.id, {"whatif": in_order})
    finally:
        rows.unpersist()
    return WhatIfResult(table, worst, outage_of(fleet, brokers_down(events)), dynamic)
