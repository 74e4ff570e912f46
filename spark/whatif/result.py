"""What events come to for a fleet: the few rows that are printed, and the sentences on them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame

from optimizer.scenarios import Event, brokers_down
from spark.files import Where, in_one_file, table_in, write_tables
from spark.fleet import FleetSnapshot, as_rows
from spark.history import FleetRates
from spark.settings import CURRENT, Settings
from spark.whatif.brokers import broker_report, outage_of
from spark.whatif.tables import check_affected, fleet_of_whatif, most_affected
from spark.whatif.text import (
    lag_advice,
    static_advice,
    unaffected_report,
    weight_advice,
    whatif_advice,
)
from spark.whatif.what_if import what_if

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

    def sentences(
        self, events: Sequence[Event], assumed: str | None, out: Where | None
    ) -> Iterator[str]:
        """What people read below the tables."""
        yield from unaffected_report(self.fleet)
        if assumed:
            yield assumed
        if self.dynamic:
            yield static_advice(self.dynamic, self.fleet)
        if self.outage:
            leaders, lost, hit = self.outage.values()
            yield from broker_report(leaders, lost, hit, brokers_down(events))
        yield whatif_advice(self.fleet, events)
        yield lag_advice(self.fleet)
        if text := weight_advice(self.fleet):
            yield text
        if out is not None:
            yield f"Each group under each strategy is in {table_in(out, 'whatif')}."


def whatif_result(
    fleet: FleetSnapshot,
    events: Sequence[Event],
    settings: Settings,
    static: bool = False,
    rates: FleetRates | None = None,
    weighed: DataFrame | None = None,
    out: Where | None = None,
) -> WhatIfResult:
    """Apply events to a fleet under the strategies of the settings; `out` gets a row a group.

    InputError where no group can have the events. The other arguments are those of `what_if`.
    """

    def tried(strategies: Sequence[str], static: bool) -> DataFrame:
        seconds, goals = settings.strategy_seconds, settings.goals
        consumers = settings.consumers
        return what_if(fleet, events, strategies, seconds, goals, static, consumers, rates, weighed)

    rows = tried(settings.strategies, static).persist()
    dynamic = []
    try:
        table = as_rows(fleet_of_whatif(rows))
        worst = as_rows(most_affected(rows, settings.strategies[0]))
        check_affected(fleet, rows, table, events)
        outage = outage_of(fleet, brokers_down(events))
        if static and CURRENT in settings.strategies:
            dynamic = as_rows(fleet_of_whatif(tried([CURRENT], False)))
        if out is not None:
            in_order = in_one_file(rows, "cluster", "group", "strategy")
            write_tables(rows.sparkSession, out, fleet.id, {"whatif": in_order})
    finally:
        rows.unpersist()
    return WhatIfResult(table, worst, outage, dynamic)
