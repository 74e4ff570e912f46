"""A fleet after an event: the same tables, as they are when it has happened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, functions as F, types as t
from pyspark.sql.pandas.types import to_arrow_schema

from optimizer.model import Group, Member
from optimizer.scenarios import DEFAULT_LIMITS, Event, EventError
from spark.errors import InputError
from spark.fleet.schemas import GROUP_KEYS, TABLES
from spark.fleet.topics_after import Outcomes, topics_after

GONE, CAME = "gone", "came"
"""What a row of changes tells of a member: as it was, or as it is. Null: what came of a group."""

_COLUMNS = t.StructType(
    [
        *(t.StructField(column.name, column.type) for column in TABLES["members"].columns),
        t.StructField("topics", t.ArrayType(t.StringType())),
        t.StructField("what", t.StringType()),
        t.StructField("reason", t.StringType()),
    ]
)

_OF_MEMBER = tuple(name for name in _COLUMNS.names if name not in (*GROUP_KEYS, "what", "reason"))


def after(
    tables: Mapping[str, DataFrame], entries: Mapping[str, DataFrame], event: Event
) -> tuple[dict[str, DataFrame], str]:
    """A fleet's tables when an event has happened to the `chosen` groups, and to how many it did.

    See `FleetSnapshot.after`; InputError where it applies to none.
    """
    tables = dict(tables)
    if changed := topics_after(tables, entries, event):
        note = note_on(event, changed[1])
        tables |= changed[0]
    else:
        changes = _changes(entries, event)
        note = note_on(event, _outcomes_of(changes))
        tables |= _with_changes(tables, changes)
    if "groups" in tables:
        tables["groups"] = _with_protocol(tables["groups"], entries["groups"], event)
    return tables, note


def note_on(event: Event, outcomes: Outcomes) -> str:
    """To how many groups an event applies; InputError if there is none."""
    applied, total = outcomes.get(None, 0), sum(outcomes.values())
    if not applied:
        reasons = sorted((-count, reason) for reason, count in outcomes.items() if reason)
        why = reasons[0][1] if reasons else "there is no group"
        raise InputError(f"{event} applies to none of {total} groups: {why}")
    others = "" if applied == total else f" of {total}; the others stay as they are"
    return f"{event} applies to {applied} group{'' if applied == 1 else 's'}{others}"


def _outcomes_of(changes: DataFrame) -> Outcomes:
    counts = changes.where("what is null").groupBy("reason").count().collect()
    return {row.reason: row["count"] for row in counts}


def _changes(tables: Mapping[str, DataFrame], event: Event) -> DataFrame:
    """Each member that changes as it was and as it is, and a row a group of what came of it.

    Groups with names that aren't valid UTF-8 are left out: no program can be told of them.
    """
    read = (
        tables["subscriptions"]
        .groupBy(*GROUP_KEYS, "member_id")
        .agg(F.sort_array(F.collect_list("topic")).alias("topics"))
    )
    texts = ("cluster", "group", "member_id", "instance_id", "client_id", "host", "rack")
    valid = [f"coalesce(is_valid_utf8(`{text}`), true)" for text in texts]
    valid.append("forall(coalesce(topics, array()), one -> is_valid_utf8(one))")
    groups = (
        tables["members"]
        .join(read, [*GROUP_KEYS, "member_id"], "left")
        .groupBy(*GROUP_KEYS)
        .agg(
            F.bool_and(F.expr(" and ".join(valid))).alias("valid"),
            F.sort_array(F.collect_list(F.struct(*_OF_MEMBER))).alias("members"),
        )
        .where("valid")
        .drop("valid")
    )
    schema = to_arrow_schema(_COLUMNS)

    def change(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            rows = [row for group in batch.to_pylist() for row in _rows_of(group, event)]
            yield pa.RecordBatch.from_pylist(rows, schema)

    return groups.mapInArrow(change, _COLUMNS)


def _rows_of(group: Mapping[str, Any], event: Event) -> Iterator[dict[str, Any]]:
    key = {name: group[name] for name in GROUP_KEYS}
    rows = group["members"]
    before = [*map(_member, rows)]
    try:
        members = event.apply(Group({}, before), DEFAULT_LIMITS).members
    except EventError as error:
        yield key | {"reason": str(error)}
        return
    yield key
    same = {*map(id, before)} & {*map(id, members)}
    yield from (
        key | row | {"what": GONE}
        for row, member in zip(rows, before, strict=True)
        if id(member) not in same
    )
    # who is back stands in its own place, newcomers stand behind all others
    clients = [row["client_id"] for row in rows] if len(members) >= len(before) else []
    for place, member in enumerate(members):
        if id(member) not in same:
            client = clients[place] if place < len(clients) else None
            yield key | _row(member) | {"client_id": client, "what": CAME}


_FIELDS = ("member_id", "instance_id", "host", "rack", "generation", "capacity")


def _member(row: Mapping[str, Any]) -> Member:
    return Member(topics=row["topics"] or [], **{name: row[name] for name in _FIELDS})


def _row(member: Member) -> dict[str, Any]:
    values = {name: getattr(member, name) for name in _FIELDS}
    return values | {"topics": sorted(set(member.topics))}


def _with_changes(tables: Mapping[str, DataFrame], changes: DataFrame) -> dict[str, DataFrame]:
    """Members and subscriptions; what members owned who are gone stays theirs."""
    gone = changes.where(F.col("what") == GONE).select(*GROUP_KEYS, "member_id")
    came = changes.where(F.col("what") == CAME)
    keys = [*GROUP_KEYS, "member_id"]
    members, subscriptions = tables["members"], tables["subscriptions"]
    read = came.select(*keys, F.explode("topics").alias("topic"))
    return {
        "members": members.join(gone, keys, "left_anti").unionByName(came.select(*members.columns)),
        "subscriptions": subscriptions.join(gone, keys, "left_anti").unionByName(
            read.select(*subscriptions.columns)
        ),
    }


def _with_protocol(groups: DataFrame, frame: DataFrame, event: Event) -> DataFrame:
    """What groups say of their own protocol, after an event that brings another one."""
    if not event.own_protocol:
        return groups
    marked = groups.join(
        frame.select(*GROUP_KEYS).distinct().withColumn("is_chosen", F.lit(True)),
        [*GROUP_KEYS],
        "left",
    )
    is_chosen = F.col("is_chosen")
    own = event.own_protocol.items()
    columns = {name: F.when(is_chosen, to).otherwise(F.col(name)) for name, to in own}
    return marked.withColumns(columns).select(*groups.columns)
