"""Let events happen to the groups of a fleet."""

from collections.abc import Iterator, Sequence

from pyspark.sql import DataFrame

from optimizer.model import Goals
from optimizer.scenarios import Event, EventError, brokers_down, event_of
from spark.errors import InputError
from spark.fleet import FleetSnapshot
from spark.groups import encode, weight_tables
from spark.history import FleetRates
from spark.settings import (
    DEFAULT_FLEET_GOALS,
    NO_CONSUMERS,
    STRATEGY_SECONDS,
    USUAL_STRATEGIES,
    FleetConsumers,
    FleetGoals,
    as_fleet_goals,
    check_strategies,
)
from spark.solve import TimeLimit
from spark.trial import need_racks, tried
from spark.whatif.measure import WhatIf, rows_of_group
from spark.whatif.parts import RowOfEvents, led_by, rated
from spark.whatif.whatif_row import WhatIfRow


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
    """What events do to each group under each strategy: a `WhatIfRow` a (cluster, group, strategy).

    Events are those of `optimizer.scenarios`, or their texts, and happen one after the other. With
    `static` all members are taken to be static ones. A group that can't have them is `unaffected`.
    `goals` are those of `optimal`, `consumers` says how members are configured, and `rates` how
    many records come in; `weighed` are rates as weights, as `plan_fleet` takes them. A group is
    encoded once for all strategies; where one needs more than `strategy_seconds` of processor time
    for a group, that row is `failed`.

    InputError for an event that makes no sense, an unknown strategy and null keys.
    """
    try:
        parsed = tuple(event_of(event) if isinstance(event, str) else event for event in events)
    except EventError as error:
        raise InputError(str(error)) from None
    if not parsed:
        raise InputError("name an event at least, such as crash-rack=eu-west-a")
    names = check_strategies(strategies)
    fleet_goals = as_fleet_goals(goals)
    job = WhatIf(parsed, names, static, consumers)
    racks = need_racks(names, fleet_goals)
    parts = {}
    if down := brokers_down(parsed):
        parts["down"] = led_by(snapshot, down)
    if rates is not None:
        parts |= rated(snapshot, rates)
    weights = weight_tables(snapshot, fleet_goals.weights, weighed)
    encoded = encode(snapshot.validate(), racks, parts, weights=weights)

    def rows_of(row: RowOfEvents, limit: TimeLimit) -> Iterator[WhatIfRow]:
        return rows_of_group(row, job, limit, fleet_goals.of(row.cluster, row.group))

    return tried(encoded, WhatIfRow, rows_of, strategy_seconds)
