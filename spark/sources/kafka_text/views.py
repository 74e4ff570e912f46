"""The fields of one row, in each view of kafka-consumer-groups."""

import re
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any

from spark.fleet import CLASSIC, OTHER, SHARE, STREAMS, TYPES, type_of_protocol
from spark.sources.kafka_text.captures import (
    CliGroup,
    CliMember,
    GroupStateRow,
    MemberRow,
    Offset,
    OffsetRow,
    TopicPartition,
)
from spark.sources.kafka_text.lines import TOPIC_NAME, Header

Fields = dict[str, str]
Row = MemberRow | OffsetRow | GroupStateRow


class View(Enum):
    MEMBERS = "members"
    OFFSETS = "offsets"
    STATE = "state"
    LIST = "list"
    SHARE_OFFSETS = "share offsets"


def view_of(header: Header) -> View | None:
    """The view whose columns these are; None if they are no view's, or one is there twice."""
    columns = set(header.columns)
    if len(columns) < len(header.columns):
        return None
    return next((view for view, fits in _FITS.items() if fits(columns)), None)


_FITS: dict[View, Callable[[set[str]], bool]] = {
    View.OFFSETS: lambda columns: (
        columns >= {"TOPIC", "PARTITION", "CURRENT-OFFSET", "LAG", "CONSUMER-ID"}
    ),
    View.SHARE_OFFSETS: lambda columns: columns >= {"TOPIC", "PARTITION", "START-OFFSET"},
    View.MEMBERS: lambda columns: columns >= {"CONSUMER-ID", "#PARTITIONS"},
    View.STATE: lambda columns: columns >= {"COORDINATOR (ID)", "STATE", "#MEMBERS"},
    View.LIST: lambda columns: (
        "GROUP" in columns and columns <= {"GROUP", "TYPE", "STATE", "PROTOCOL"}
    ),
}
"""Columns of each view; the first that fits counts."""


def read_row(view: View, fields: Fields) -> tuple[Row, str | None]:
    """The row, and what of it could not be read."""
    return _READERS[view](fields)


def take_rows(group: CliGroup, view: View, rows: Sequence[Any]) -> None:
    """Give a group the rows that one table has of it."""
    if view is View.MEMBERS:
        group.take_members(rows)
    elif view is View.OFFSETS:
        group.take_offsets(rows)
    elif view is View.SHARE_OFFSETS:
        group.take_starts(rows)
    else:
        for row in rows:
            group.take_state(row)


def _member_row(fields: Fields) -> tuple[Row, str | None]:
    # KIP-848's target is where the group is going; what is owned is the current assignment
    column = "CURRENT-ASSIGNMENT" if "CURRENT-ASSIGNMENT" in fields else "ASSIGNMENT"
    member = CliMember(
        fields["CONSUMER-ID"],
        _text(fields.get("GROUP-INSTANCE-ID")),
        _text(fields.get("CLIENT-ID")),
        _text(fields.get("HOST")),
        _number(fields.get("CURRENT-EPOCH")),
    )
    count = int(fields["#PARTITIONS"])
    if column not in fields:
        return MemberRow(member, count, None), None
    try:
        owned = parse_ownership(fields[column])
    except ValueError as error:
        return MemberRow(member, None, None), f"{column}: {error}"
    if len(owned) != count:
        fault = f"#PARTITIONS is {count} and {column} has {len(owned)}: the line may be cut off"
        return MemberRow(member, None, None), fault
    nameless = any(topic == NAMELESS for topic, _ in owned)
    return MemberRow(member, count, None if nameless else owned), None


def _offset_row(fields: Fields) -> tuple[Row, str | None]:
    committed = _number(fields["CURRENT-OFFSET"])
    if committed is not None and committed < 0:  # what brokers answer for "no commit"
        committed = None
    offset = Offset(committed, _number(fields.get("LOG-END-OFFSET")), _number(fields["LAG"]))
    number = _number(fields["PARTITION"])
    partition = None if number is None else (fields["TOPIC"], number)
    return OffsetRow(partition, offset, _consumer(fields)), None


def _share_row(fields: Fields) -> tuple[Row, str | None]:
    """A partition that a share group reads: from where on, and how many records are left to do."""
    start, lag = _number(fields["START-OFFSET"]), _number(fields.get("LAG"))
    number = _number(fields["PARTITION"])
    partition = None if number is None else (fields["TOPIC"], number)
    return OffsetRow(partition, Offset(start, None, lag), None), None


def _consumer(fields: Fields) -> CliMember | None:
    member_id = _text(fields["CONSUMER-ID"])
    if member_id is None:
        return None
    client_id, host = _text(fields.get("CLIENT-ID")), _text(fields.get("HOST"))
    return CliMember(member_id, client_id=client_id, host=host)


def _state_row(fields: Fields) -> tuple[Row, str | None]:
    row = GroupStateRow(
        _state(fields),
        _text(fields.get("ASSIGNMENT-STRATEGY")),
        _number(fields.get("GROUP-EPOCH")),
        _number(fields.get("#MEMBERS")),
        _broker(fields["COORDINATOR (ID)"]),
        type=_type_by_columns(fields),
    )
    return row, None


def _type_by_columns(fields: Fields) -> str | None:
    """Type of a state view: only kafka-consumer-groups has strategies.

    kafka-share-groups and kafka-streams-groups tell themselves apart with --verbose.
    """
    if "ASSIGNMENT-STRATEGY" in fields:
        return None
    by_epoch = {"ASSIGNMENT-EPOCH": SHARE, "TARGET-ASSIGNMENT-EPOCH": STREAMS}
    return next((kind for column, kind in by_epoch.items() if column in fields), OTHER)


def _broker(cell: str) -> int | None:
    """The id in `host:9092 (1)`; None of a node that is none, which has -1 or nothing there."""
    found_text = re.search(r"\((\d{1,9})\)$", cell, re.ASCII)
    return int(found_text[1]) if found_text else None


def _list_row(fields: Fields) -> tuple[Row, str | None]:
    return GroupStateRow(_state(fields), type=_type(fields)), None


def _type(fields: Fields) -> str | None:
    """By TYPE, and for groups of the classic protocol by PROTOCOL, which kafka-groups prints."""
    listed = (_text(fields.get("TYPE")) or "").lower()
    if listed == CLASSIC and "PROTOCOL" in fields:
        return type_of_protocol(_text(fields["PROTOCOL"]) or "")
    return listed if listed in TYPES else None


def _state(fields: Fields) -> str | None:
    state = _text(fields.get("STATE"))
    return None if state == "Unknown" else state


_READERS: dict[View, Callable[[Fields], tuple[Row, str | None]]] = {
    View.MEMBERS: _member_row,
    View.OFFSETS: _offset_row,
    View.SHARE_OFFSETS: _share_row,
    View.STATE: _state_row,
    View.LIST: _list_row,
}


def _text(cell: str | None) -> str | None:
    return None if cell in (None, "", "-") else cell


def _number(cell: str | None) -> int | None:
    return None if cell in (None, "", "-", "unknown") else int(cell)


NAMELESS = ""
"""The topic's name where 3.8 and 3.9 leave it out (KAFKA-14589 rewrote the tool and lost it)."""

_NUMBERS = r"\d{1,9}(?:,\d{1,9})*"
_UNTIL_3_9 = re.compile(rf"({TOPIC_NAME})?\(({_NUMBERS})\)", re.ASCII)
_SINCE_4_0 = re.compile(rf"({TOPIC_NAME}):({_NUMBERS})", re.ASCII)


def parse_ownership(cell: str) -> list[TopicPartition]:
    """`a(0,1), b(2)` until 3.7, `(0,1), (2)` in 3.8 and 3.9, `a:0,1;b:2` since 4.0; `-` is nothing.

    Raises ValueError if the text is none of these, or names a partition twice.
    """
    if cell in ("", "-"):
        return []
    form, separator = (_UNTIL_3_9, ", ") if cell.endswith(")") else (_SINCE_4_0, ";")
    owned = []
    for part in cell.split(separator):
        match = form.fullmatch(part)
        if not match:
            raise ValueError(f"{part[:60]!r} is not a topic with its partitions")
        topic = match[1] or NAMELESS
        owned += [(topic, int(number)) for number in match[2].split(",")]
    if len(owned) != len(set(owned)) and NAMELESS not in dict(owned):
        raise ValueError("it names a partition twice")
    return owned
