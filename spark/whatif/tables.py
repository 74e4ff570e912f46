"""The cost of events for a whole fleet."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from pyspark.sql import DataFrame, functions as F

from optimizer.coordinator import SUMMED_COSTS, WORST_COSTS
from optimizer.figures import did_you_mean, duration, figure, partition_time, plural
from optimizer.scenarios import Crash, Event
from spark.errors import InputError
from spark.fleet import CONSUMER, FleetSnapshot, escaped_rows
from spark.settings import CURRENT, MOVE_COSTS
from spark.trial import Row, best_first, lag_text, over_bound, row_of, verdicts
from spark.whatif.measure import UNAFFECTED

Rows = Sequence[Mapping[str, Any]]

SUMMED = ("excess_before", "excess_after", *SUMMED_COSTS, "leaderless")
"""Columns of a `WhatIfRow` whose sums are those of the fleet."""


def fleet_of_whatif(rows: DataFrame) -> DataFrame:
    """A row (kind, strategy), `current` first and then the best: sums over all affected groups.

    `groups` are those that have the events and an answer of the strategy; `unaffected` can't have
    them; `not_evaluated` are the others (empty, rebalancing, invalid, failed).
    `worst_max_load_after` is the most that a member of any group has then. In the mean and at
    worst, before and after, `over_bound` is how far the most loaded member by weight is above what
    no assignment is below: 1 is as low as possible, null is without goals by weight.
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
        *(F.max(name).alias(name) for name in WORST_COSTS),
        *(F.sum(name).alias(name) for name in SUMMED),
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
        "cluster": row["cluster"],
        "group": row["group"],
        "members": _change(row, "members"),
        "max_load": _change(row, "max_load"),
        "rebalances": row["rebalances"],
        "unread": _time(row["unread_seconds"]),
        **{name: row[name] for name in MOVE_COSTS if name in row},
    }


def fleet_for_people(row: Mapping[str, Any], by_weight: bool) -> dict[str, Any]:
    """A row of a whole fleet under a strategy; times are those of the worst group, but `unread`."""
    loads = ("mean_over_bound_after", "worst_over_bound_after") if by_weight else ("excess_after",)
    return {
        "strategy": row["strategy"],
        **{name.removesuffix("_after"): row[name] for name in loads},
        "moves": row["moves"],
        "rebalances": row["rebalances"],
        "unread": _time(row["unread_seconds"]),
        "longest_pause": _time(row["longest_pause"]),
        "behind": _time(row["max_lag_seconds"]),
        "catch_up": "never" if row["never_caught_up"] else _time(row["catch_up_seconds"]),
        **{name: row[name] for name in MOVE_COSTS if name in row},
    }


def _time(seconds: float | None) -> str | None:
    return None if seconds is None else duration(seconds)


def _change(row: Mapping[str, Any], what: str) -> str:
    """A number before and after, one number where it is the same."""
    before, after = row[f"{what}_before"], row[f"{what}_after"]
    return f"{before}" if before == after else f"{before} → {'-' if after is None else after}"


SHOWN = 10
"""Racks, or hosts, that a sentence lists."""


def unknown_place(fleet: FleetSnapshot, events: Sequence[Event]) -> str | None:
    """Why nothing of the fleet is in the rack, or on the host, that crashes; None if it has it."""
    crashes = (event for event in events if isinstance(event, Crash) and event.member is None)
    for event in crashes:
        kind, at = ("rack", "in rack") if event.rack is not None else ("host", "on host")
        rows = escaped_rows(fleet.tables["members"]).select(kind).where(f"{kind} is not null")
        names = [row[kind] for row in rows.distinct().orderBy(kind).collect()]
        if event.value not in names:
            listed = ", ".join(names[:SHOWN]) + (", …" if len(names) > SHOWN else "")
            others = f"{kind}s: {listed}{did_you_mean(event.value, names)}"
            why = others if names else f"the snapshot names no {kind} of any member"
            return f"no member is {at} {event.value}; {why}"
    return None


HELPS = 0.05
"""A strategy helps that leaves so much less unread; with less, the other figures decide."""


def whatif_advice(fleet: Sequence[Row], events: Sequence[Event] = ()) -> str:
    """Advice: what events do, what to change and what that saves, by rows of `fleet_of_whatif`."""
    judged = [row for row in fleet if row["groups"]]
    what = " and ".join(map(str, events)) or "The scenario"
    verdict = verdicts(judged, lambda rows: _verdict(rows, what))
    return verdict or "No group has these events and could be judged."


def whatif_notes(fleet: Sequence[Row], events: Sequence[Event]) -> Iterator[str]:
    """Groups that have no members then, how far groups fall behind, and what helps them all."""
    if empty := max((row["left_empty"] for row in fleet), default=0):
        yield f"{plural(empty, 'group')} {'has' if empty == 1 else 'have'} no members left."
    yield lag_advice(fleet)
    if any(isinstance(event, Crash) for event in events):
        yield "A crash is noticed when the session ends: a shorter session.timeout.ms helps."
    if text := weight_advice(fleet):
        yield text


def _verdict(fleet: Sequence[Row], what: str) -> str:
    current = row_of(fleet, CURRENT)
    now = current or fleet[0]
    groups = f"{now['groups']:,} of {plural(now['groups'] + now['unaffected'], 'group')}"
    under = "now" if current else f"with {now['strategy']}"
    figures = [name for name in FIGURES if _number(now, name)]
    if not figures:
        return f"{what} hits {groups} at no cost."
    verdict = f"{what} hits {groups}: {under} {_summary_of(now, figures)}."
    best = min((row for row in fleet if row is not now), key=_worth, default=None)
    if not current or not best:
        return verdict
    if not _is_better(best, now):
        return f"{verdict} No other strategy helps."
    return f"{verdict} Change to {best['strategy']}: {_summary_of(best, _different(best, now))}."


def static_advice(dynamic: Sequence[Row], static: Sequence[Row]) -> str:
    """Gain and cost of instance ids, by the rows of `current` without and with them."""
    before, after = (row_of(_of_consumers(rows), CURRENT) for rows in (dynamic, static))
    different = _different(before, after) if before and after else []
    if not before or not after or not different:
        return "Static members make no difference."
    return (
        f"Static members: {_summary_of(after, different)}; as groups are: "
        f"{_summary_of(before, different)}."
    )


def weight_advice(fleet: Sequence[Row]) -> str:
    """How high worst members of consumers are by weight then, as groups are and at best."""
    column = "mean_over_bound_after"
    rows = _now_and_best(fleet, column, itemgetter(column))
    at = ", ".join(f"{_title(row)} {figure(row[column])}" for row in rows)
    return f"Largest load by weight ÷ its lower bound: {at}." if at else ""


def _of_consumers(fleet: Sequence[Row]) -> list[Row]:
    return [row for row in fleet if row["kind"] == CONSUMER]


def _now_and_best(fleet: Sequence[Row], column: str, worth: Callable[[Row], Any]) -> list[Row]:
    """Groups of consumers as they are, and at best, where that column isn't null."""
    rows = [row for row in _of_consumers(fleet) if row[column] is not None]
    best = min(rows, key=worth, default=None)
    now = row_of(rows, CURRENT)
    return [row for row in (now if now is not best else None, best) if row]


def lag_advice(fleet: Sequence[Row]) -> str:
    """How far groups of consumers fall behind as they are, and under the best strategy for that."""
    rows = _now_and_best(fleet, "max_lag_seconds", _lateness)
    lags = [f"{_title(row).capitalize()}: {lag_text(row)}." for row in rows]
    is_known = CURRENT in [row["strategy"] for row in rows] or row_of(fleet, CURRENT) is None
    if lags and is_known:
        return " ".join(lags)
    return "Lag is unknown: state peak_rate in [consumers], or collect offsets twice."


def _title(row: Row) -> str:
    return "now" if row["strategy"] == CURRENT else str(row["strategy"])


def _lateness(row: Row) -> tuple[float, ...]:
    return row["never_caught_up"], row["max_lag_seconds"], row["catch_up_seconds"] or 0


FIGURES: dict[str, Callable[[int], str]] = {
    "unread_seconds": lambda seconds: f"{partition_time(seconds)} unread",
    "rebalances": lambda number: plural(number, "rebalance"),
    "moves": lambda number: f"{plural(number, 'partition')} moved",
    "excess_after": lambda number: f"{plural(number, 'partition')} of excess load",
}
"""The figures that count, the most important first, in words."""


def _different(row: Row, other: Row) -> list[str]:
    """The figures that differ by more than a little."""
    pairs = {name: (_number(row, name), _number(other, name)) for name in FIGURES}
    return [name for name, (a, b) in pairs.items() if abs(a - b) > HELPS * max(a, b)]


def _number(row: Row, name: str) -> int:
    return round(row[name] or 0)


def _worth(row: Row) -> tuple[int, ...]:
    return row["not_evaluated"], *(_number(row, name) for name in FIGURES)


def _is_better(row: Row, current: Row) -> bool:
    """Less unread by more than a little, or else less of what comes then."""
    if row["not_evaluated"] > current["not_evaluated"]:
        return False
    now, then = _number(current, "unread_seconds"), _number(row, "unread_seconds")
    if abs(now - then) > HELPS * now:
        return then < now
    return bool(_different(row, current)) and _worth(row)[2:] < _worth(current)[2:]


def _summary_of(row: Row, figures: Iterable[str]) -> str:
    return ", ".join(FIGURES[name](_number(row, name)) for name in figures)
