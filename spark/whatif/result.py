"""What events come to for a fleet: the few rows that are printed, and the sentences on them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame

from optimizer.figures import counted
from optimizer.scenarios import Event, brokers_down
from spark.files import Where, in_one_file, table_in, write_tables
from spark.fleet import FleetSnapshot, as_rows
from spark.history import FleetRates
from spark.settings import CURRENT, Settings
from spark.text import named
from spark.whatif.brokers import outage_of
from spark.whatif.tables import check_affected, fleet_of_whatif, most_affected
from spark.whatif.text import (
    lag_advice,
    static_advice,
    unaffected_report,
    weight_advice,
    whatif_advice,
)
from spark.whatif.what_if import what_if

Row = Mapping[str, Any]

HEIRS = 3
"""Brokers that are named: those that get most."""

ELECTION = "9 s by default, broker.session.timeout.ms"


def broker_report(
    leaders: Sequence[Row], lost: Sequence[Row], groups: Sequence[Row], down: Sequence[int]
) -> Iterator[str]:
    """Sentences on rows of `leaders_after`, `without_leader` and `groups_hit`."""
    clusters = sorted({row["cluster"] for row in leaders})
    for cluster in clusters:
        of = f" of cluster {cluster}" if len(clusters) > 1 else ""
        mine = [row for row in leaders if row["cluster"] == cluster]
        led = sum(row["leads_before"] for row in mine if row["broker"] in down)
        which = ", ".join(str(row["broker"]) for row in mine if row["broker"] in down)
        gone = [row for row in lost if row["cluster"] == cluster]
        yield f"Broker {which}{of} led {counted(led, 'partition')}.{_heirs(mine)}"
        if gone:
            names = [f"{row['topic']}-{row['partition']}" for row in gone]
            have = "has" if len(gone) == 1 else "have"
            yield f"{named('partition', names)}{of} {have} no leader: no other replica is in sync."
    for_good = [row["group"] for row in groups if row["leaderless"] == row["partitions"]]
    items = [row for row in groups if 0 < row["leaderless"] < row["partitions"]]
    for_now = [
        row["group"] for row in groups if row["leaderless"] < row["led"] == row["partitions"]
    ]
    if for_good:
        yield f"{named('group', for_good)} {_read(for_good)} nothing until it is back."
    if items:
        yield f"{counted(len(items), 'group')} {_read(items)} only a part until it is back."
    if for_now:
        yield f"{named('group', for_now)} {_read(for_now)} nothing until others lead ({ELECTION})."


def _read(groups: Sequence[object]) -> str:
    return "reads" if len(groups) == 1 else "read"


def _heirs(leaders: Sequence[Row]) -> str:
    gained = sorted(
        ((row["leads_after"] - row["leads_before"], row["broker"]) for row in leaders),
        key=lambda item: (-item[0], item[1]),
    )
    heirs = [(more, broker) for more, broker in gained if more > 0]
    if not heirs:
        return ""
    report = ", ".join(f"broker {broker} {more}" for more, broker in heirs[:HEIRS])
    others = sum(more for more, _ in heirs[HEIRS:])
    rest = f", {counted(len(heirs) - HEIRS, 'other')} {others}" if others else ""
    weighed = [row for row in leaders if row["weight_gained"]]
    most = max(weighed, key=lambda row: row["weight_gained"], default=None)
    load = f" By weight, broker {most['broker']} gets most." if most else ""
    return f" Then they are led by {report}{rest}.{load}"


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
