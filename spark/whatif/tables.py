"""What events do to a whole fleet."""

from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import DataFrame, functions as F

from optimizer.scenarios import Crash, Event
from spark.errors import InputError
from spark.fleet import FleetSnapshot, escaped_rows
from spark.settings import CURRENT, MOVE_COSTS
from spark.text import did_you_mean
from spark.trial import best_first, over_bound
from spark.whatif.measure import UNAFFECTED

Rows = Sequence[Mapping[str, Any]]

SUMMED = (
    *("excess_before", "excess_after", "moves", "takeovers", "rebalances", "unread_seconds"),
    *("stopped_needlessly", "read_twice_seconds", "records_read_twice", "records_waited"),
    *("never_caught_up", "fatal", "leaderless"),
)
"""Columns of a `WhatIfRow` whose sums are those of the fleet."""


WORST = "longest_pause", "max_lag_records", "max_lag_seconds", "catch_up_seconds"
"""Those of which the fleet's is that of the worst group."""


def fleet_of_whatif(rows: DataFrame) -> DataFrame:
    """A row (kind, strategy), `current` first and then the best: sums over all affected groups.

    `groups` are those that have the events and an answer of the strategy; `unaffected` can't have
    them; `not_evaluated` are the others (empty, rebalancing, invalid, failed). `worst_max_load` is
    the most that a member of any group has afterwards; `mean_over_bound` and `worst_over_bound`,
    before and after, are how far the most loaded member by weight is above what no assignment is
    below: 1 is as low as possible, null is without goals by weight.
    """
    answered = F.col("members_after").isNotNull()
    unaffected = F.col("status") == UNAFFECTED
    over = {when: over_bound(f"_{when}") for when in ("before", "after")}
    table = rows.groupBy("kind", "strategy").agg(
        F.count_if(answered).alias("groups"),
        F.count_if(unaffected).alias("unaffected"),
        F.count_if(~answered & ~unaffected).alias("not_evaluated"),
        F.count_if(answered & (F.col("members_after") == 0)).alias("left_empty"),
        F.max("max_load_before").alias("worst_max_load_before"),
        F.max("max_load_after").alias("worst_max_load_after"),
        *(F.max(item).alias(item) for item in WORST),
        *(F.sum(item).alias(item) for item in SUMMED),
        *(F.avg(ratio).alias(f"mean_over_bound_{when}") for when, ratio in over.items()),
        *(F.max(ratio).alias(f"worst_over_bound_{when}") for when, ratio in over.items()),
    )
    is_current = f"if(strategy = '{CURRENT}', 0, 1)"
    order = best_first(is_current, "unread_seconds", "excess_after", "moves", "strategy")
    return table.orderBy(F.col("kind").desc(), *order)


def most_affected(rows: DataFrame, strategy: str) -> DataFrame:
    """The groups that suffer most under a strategy, these first."""
    affected = rows.where(F.col("members_after").isNotNull() & (F.col("strategy") == strategy))
    return affected.orderBy(
        (F.col("members_after") > 0),
        F.desc_nulls_last("unread_seconds"),
        F.desc_nulls_last(F.col("max_load_after") - F.col("max_load_before")),
        F.desc_nulls_last("moves"),
        *("cluster", "group"),
    )


def check_affected(
    snapshot: FleetSnapshot, rows: DataFrame, fleet: Rows, events: Sequence[Event]
) -> None:
    """Raise InputError where no group can have the events, though some could be judged."""
    if any(row["groups"] for row in fleet) or not any(row["unaffected"] for row in fleet):
        return
    unaffected = rows.where(F.col("status") == UNAFFECTED)
    reasons = unaffected.groupBy("reason").count().orderBy(F.desc("count"), "reason")
    (first,) = reasons.limit(1).collect()
    count = max(row["unaffected"] for row in fleet)
    why = unknown_place(snapshot, events) or first.reason
    of = "the group" if count == 1 else f"any of {count} groups"
    raise InputError(f"{' and '.join(map(str, events))} doesn't apply to {of}: {why}")


def group_for_people(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of one group, with what was and will be in one column."""
    return {
        "group": row["group"],
        "uses": row["uses"],
        "members": _change(row, "members"),
        "max_load": _change(row, "max_load"),
        "rebalances": row["rebalances"],
        "unread_seconds": _whole(row["unread_seconds"]),
        **{name: row[name] for name in MOVE_COSTS if name in row},
    }


def fleet_for_people(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of a whole fleet: seconds without fractions, so that they fit."""
    return {**row} | {name: _whole(row[name]) for name in ("unread_seconds", "read_twice_seconds")}


LAG_FOR_PEOPLE = {
    "max_lag_records": "lag (records)",
    "max_lag_seconds": "lag (s)",
    "catch_up_seconds": "catch-up (s)",
    "never_caught_up": "never caught up",
}
"""Columns of lag, and what people call them."""


def lag_for_people(fleet: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """How far groups of consumers fall behind under each strategy; nothing where it isn't known."""
    with_lag = [row for row in fleet if row["max_lag_seconds"] is not None]
    names = LAG_FOR_PEOPLE.items()
    return [
        {"strategy": row["strategy"]} | {name: _whole(row[column]) for column, name in names}
        for row in with_lag
    ]


def _whole(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds)


def _change(row: Mapping[str, Any], what: str) -> str:
    """A number before and after, one number where it is the same."""
    before, after = row[f"{what}_before"], row[f"{what}_after"]
    return f"{before}" if before == after else f"{before} → {'-' if after is None else after}"


SHOWN = 10
"""Racks, or hosts, that a sentence lists."""


def unknown_place(fleet: FleetSnapshot, events: Sequence[Event]) -> str | None:
    """Why nothing of the fleet is in the rack, or on the host, that crashes; None if it has it."""
    for event in events:
        if isinstance(event, Crash) and event.member is None:
            rack = event.rack is not None
            kind, at = ("rack", "in rack") if rack else ("host", "on host")
            if why := _why_unknown(fleet, kind, event.value):
                return f"no member is {at} {event.value}; {why}"
    return None


def _why_unknown(fleet: FleetSnapshot, kind: str, value: str) -> str | None:
    members = escaped_rows(fleet.tables["members"])
    rows = members.select(kind).where(F.col(kind).isNotNull()).distinct().orderBy(kind)
    names = [row[kind] for row in rows.collect()]
    if value in names:
        return None
    if not names:
        return f"the snapshot names no {kind} of any member"
    listed = ", ".join(names[:SHOWN]) + (", …" if len(names) > SHOWN else "")
    return f"{kind}s: {listed}{did_you_mean(value, names)}"
