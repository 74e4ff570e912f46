"""The effect of a group of its own for one topic on each group that reads it, inside workers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Annotated, Any, NamedTuple

from pyspark.sql import DataFrame, types as t

from optimizer.coordinator import catch_up_seconds
from optimizer.figures import duration, figure, plural
from optimizer.model import Problem
from optimizer.sizes import Side, Split, split_of
from spark.fleet import FleetSnapshot
from spark.groups import (
    LAG,
    Outcome,
    Text,
    encode,
    in_workers,
    read_or_failed,
    struct_of,
    weight_tables,
)
from spark.history import FleetRates
from spark.members.members import GroupRates, RowWithFlows, flow_of, flows_of
from spark.text import shorten

SIDE = {
    "part": t.StringType(),
    "members": t.IntegerType(),
    **dict.fromkeys(("partitions", "max_load"), t.LongType()),
    **dict.fromkeys(("lag", "max_lag", "rate", "capacity", "catch_up_seconds"), t.DoubleType()),
}
NOW, OPTIMUM, OWN, REST = "now", "one group, optimal", "the topic's own", "the rest"

Sides = Annotated[list[Any] | None, t.ArrayType(struct_of(**SIDE))]


@dataclass(slots=True, kw_only=True)
class SplitRow(Outcome):
    """A group that reads the topic and others, and what its members would carry as two groups.

    `sides` are the group now, its optimum, the topic's own group and the rest, each with members,
    partitions, the most partitions of a member, the lag, and the most lag of a member (null where
    it isn't known). With rates each has records a second that come in, and that its members read if
    all do what one was seen to do; `catch_up_seconds` until the lag is read, null if it never is.
    Null for a group that can't be split, with the reason.
    """

    sides: Sides = None
    sentence: Text = None


def split_fleet(snapshot: FleetSnapshot, topic: str, rates: FleetRates | None = None) -> DataFrame:
    """A `SplitRow` for each group that subscribes to the topic."""
    weights = weight_tables(snapshot, [LAG] if "offsets" in snapshot.tables else [])
    parts = flows_of(snapshot, rates) if rates else {}
    encoded = encode(snapshot.validate(), weights=weights, more=parts)

    weight = LAG if weights else None

    def rows_of(groups: Sequence[Any]) -> list[SplitRow]:
        return [_row(group, topic, weight) for group in groups if _reads(group, topic)]

    return in_workers(encoded, SplitRow, rows_of)


def _reads(row: RowWithFlows, topic: str) -> bool:
    """Of a group whose names aren't valid none is looked at."""
    return topic in row.topics and not (row.trouble and row.trouble.status == "invalid")


def _row(row: RowWithFlows, topic: str, weight: str | None) -> SplitRow:
    group = read_or_failed(row, weight)
    split_row = SplitRow(**group.outcome(row))
    if group.problem is None:
        return split_row
    flow = flow_of(row, group.problem)
    split = split_of(group.problem, topic, flow and flow.rates)
    if split is None:
        split_row.reason = "it reads nothing else, or has one member only"
        return split_row
    paces = _paces(split, flow, group.problem)
    named = {NOW: split.now, OPTIMUM: split.optimum, OWN: split.own, REST: split.rest}
    split_row.sides = [_cells(part, side, paces.get(part)) for part, side in named.items()]
    split_row.sentence = sentence_of(split, paces)
    return split_row


class Pace(NamedTuple):
    """Records a second that come in, and that members read; seconds until all lag is read.

    `catch_up` is None if that takes more than a year.
    """

    rate: float
    capacity: float
    catch_up: float | None


def _paces(split: Split, flow: GroupRates | None, problem: Problem) -> dict[str, Pace]:
    """By part, where rates are known; what members read now depends on who has what."""
    if flow is None:
        return {}
    own = float(flow.rates[list(problem.topics).index(split.topic)])
    whole = float(flow.rates.sum())
    parts = {
        OPTIMUM: (split.optimum, whole),
        OWN: (split.own, own),
        REST: (split.rest, whole - own),
    }
    return {part: _pace(side, rate, flow.peak_rate) for part, (side, rate) in parts.items()}


def _pace(side: Side, rate: float, peak_rate: float) -> Pace:
    capacity = side.members * peak_rate
    return Pace(rate, capacity, catch_up_seconds(side.lag or 0, capacity - rate))


def _cells(part: str, side: Side, pace: Pace | None) -> tuple[Any, ...]:
    loads = side.members, side.partitions, side.max_load, side.lag, side.max_lag
    return part, *loads, *(pace or (None, None, None))


def sentence_of(split: Split, paces: Mapping[str, Pace]) -> str:
    """Sentences on what the split does to loads, to lag and to what a rebalance stops."""
    own, rest, topic = split.own, split.rest, shorten(split.topic)
    text = (
        f"{topic} on {plural(own.members, 'member')}, the rest on {rest.members:,}: up to "
        f"{plural(split.max_load, 'partition')} per member (now {split.now.max_load:,}, in one "
        f"even group {split.optimum.max_load:,}). A rebalance stops {own.partitions:,} or "
        f"{rest.partitions:,} partitions, not {split.now.partitions:,}."
    )
    if not split.now.lag or own.lag is None:
        return text
    text += f" {topic} has {figure(own.lag)} of {figure(split.now.lag)} records of lag."
    if not paces:
        return text
    parts = ((topic, OWN), ("the rest", REST), ("one even group", OPTIMUM))
    after = "; ".join(f"{name} {_caught_up(paces[part])}" for name, part in parts)
    return f"{text} Caught up: {after}."


def _caught_up(pace: Pace) -> str:
    """A text such as: in 40 s."""
    if pace.catch_up is not None:
        return f"in {duration(pace.catch_up)}"
    if pace.capacity < pace.rate:
        return f"never, lag grows by {figure(pace.rate - pace.capacity)} records/s"
    return "never, members read hardly more than comes in"


def split_verdict(rows: Sequence[Mapping[str, Any]], topic: str) -> str:
    """Groups that can read the topic in a group of its own, and those that gain by that.

    A group gains whose rest, free of the topic's lag, is read sooner than in one even group.
    """
    split = [{side["part"]: side for side in row["sides"]} for row in rows if row["sides"]]
    gain = sum(_seconds(sides[REST]) < _seconds(sides[OPTIMUM]) for sides in split)
    of = f"{len(split):,} of {plural(len(rows), 'group')} can read {shorten(topic)} in a group"
    faster = f"; in {gain:,} the rest catches up sooner" if gain else ""
    return f"{of} of its own{faster}. No split makes members' numbers of partitions more even."


def _seconds(side: Mapping[str, Any]) -> float:
    """Until a side's lag is read; endless where it never is, or rates aren't known."""
    return inf if side["catch_up_seconds"] is None else float(side["catch_up_seconds"])
