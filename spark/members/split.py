"""What a group of its own for one topic would bring each group that reads it, inside workers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pyspark.sql import DataFrame, types as t

from optimizer.figures import figure
from optimizer.sizes import Side, Split, split_of
from spark.fleet import FleetSnapshot
from spark.groups import (
    LAG,
    Row,
    Text,
    encode,
    in_workers,
    read_or_failed,
    weight_tables,
)
from spark.text import counted, shortened

SIDE = t.StructType(
    [
        t.StructField("part", t.StringType()),
        t.StructField("members", t.IntegerType()),
        t.StructField("partitions", t.LongType()),
        t.StructField("max_load", t.LongType()),
        t.StructField("lag", t.DoubleType()),
        t.StructField("max_lag", t.DoubleType()),
    ]
)
NOW, OPTIMUM, OWN, REST = "now", "one group, optimal", "the topic's own", "the rest"

Sides = Annotated[list[Any] | None, t.ArrayType(SIDE)]


@dataclass(slots=True, kw_only=True)
class SplitRow(Row):
    """A group that reads the topic and others, and what its members would carry as two groups.

    `sides` are the group now, its optimum, the topic's own group and the rest, each with members,
    partitions, the most partitions of a member, the lag, and the most lag of a member (null where
    it isn't known). Null for a group that can't be split, with the reason.
    """

    cluster: Text
    group: Text
    status: Text
    reason: Text = None
    sides: Sides = None
    sentence: Text = None


def split_fleet(snapshot: FleetSnapshot, topic: str) -> DataFrame:
    """A `SplitRow` for each group that subscribes to the topic."""
    weights = weight_tables(snapshot, [LAG] if "offsets" in snapshot.tables else [])
    encoded = encode(snapshot.validate(), weights=weights)

    weight = LAG if weights else None

    def rows_of(groups: Sequence[Any]) -> list[SplitRow]:
        return [_row(group, topic, weight) for group in groups]

    readers = encoded.where(f"array_contains(topics, {_literal(topic)})")
    return in_workers(readers, SplitRow, rows_of)


def _literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _row(row: Any, topic: str, weight: str | None) -> SplitRow:
    group = read_or_failed(row, weight)
    result = SplitRow(
        cluster=row.cluster, group=row.group, status=group.status, reason=group.reason
    )
    if group.problem is None:
        return result
    split = split_of(group.problem, topic)
    if split is None:
        result.reason = "it reads nothing else, or has one member only"
        return result
    named = {NOW: split.now, OPTIMUM: split.optimum, OWN: split.own, REST: split.rest}
    result.sides = [_cells(part, side) for part, side in named.items()]
    result.sentence = sentence_of(split)
    return result


def _cells(part: str, side: Side) -> tuple[Any, ...]:
    return part, side.members, side.partitions, side.max_load, side.lag, side.max_lag


def sentence_of(split: Split) -> str:
    """What the split does to loads, to lag and to what a rebalance stops."""
    own, rest, topic = split.own, split.rest, shortened(split.topic)
    text = (
        f"{topic} alone on {counted(own.members, 'member')} and the rest on {rest.members}: "
        f"at most {counted(split.max_load, 'partition')} a member (now {split.now.max_load}, in "
        f"one group {split.optimum.max_load}). A rebalance stops {own.partitions} or "
        f"{rest.partitions} partitions, not {split.now.partitions}."
    )
    if not split.now.lag or own.lag is None:
        return text
    return (
        f"{text} {topic} has {figure(own.lag)} of {figure(split.now.lag)} records of lag: "
        "members of the rest no longer share it."
    )
