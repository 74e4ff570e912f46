"""Subscriptions, which Kafka's tools don't print: they are inferred, or told by a CSV file.

What is inferred comes from ownership alone. A topic of which the group has committed offsets and
owns nothing is most likely one that it read once: it does not count.
"""

import csv
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from spark.errors import InputError
from spark.sources.kafka_text.captures import CliGroup
from spark.sources.kafka_text.lines import TOPIC_NAME, Line, UnreadableLines, read_lines
from spark.text import list_of

Infer = Literal["union", "owned"]
Subscription = tuple[str, str]
"""member id, topic"""

EXPECTED = "CSV with a header: group, member_id or client_id, topic"


class CsvSubscriptions(NamedTuple):
    """Subscriptions of a CSV file, by group; groups that aren't in it are absent."""

    by_group: dict[str, set[Subscription]]
    notes: list[str]
    unreadable_lines: UnreadableLines


def infer_subscriptions(group: CliGroup, infer: Infer) -> set[Subscription]:
    """Guess a group's subscriptions from what its members own.

    `union`: each member subscribes to each topic of which any member owns a partition. `owned`:
    each member subscribes to the topics of which it owns a partition itself.
    """
    if group.tasks:  # every worker may run any task
        return {(member_id, connector) for member_id in group.members for connector in group.tasks}
    if infer == "owned":
        return {(member_id, topic) for topic, _, member_id in group.claims}
    topics = group.topics
    return {(member_id, topic) for member_id in group.members for topic in topics}


def read_subscriptions(path: Path, groups: Mapping[str, CliGroup]) -> CsvSubscriptions:
    """Read a CSV file of the true subscriptions of some groups.

    A row names the member by its id, or by a client id, which means every member of the group that
    has it; with both columns the member's id counts where it is not blank. Further columns are
    passed over. A row of no known group or member is unreadable.

    Raises InputError if the file is missing, is not text, or its header lacks a column.
    """
    unreadable_lines = UnreadableLines()
    lines = read_lines(path, EXPECTED, unreadable_lines)
    columns = _header(path, next(lines, None))
    members = _MemberIndex(groups)
    by_group: dict[str, set[Subscription]] = {}
    for line in lines:
        try:
            row = dict(zip(columns, _cells(line.text, len(columns)), strict=True))
            subscribers = members.named_by(row)
            if not row["topic"]:
                raise ValueError("its topic is blank")
            if not re.fullmatch(TOPIC_NAME, row["topic"]):
                raise ValueError(f"{row['topic']!r} is no topic's name")
            by_group.setdefault(row["group"], set()).update(
                (id_, row["topic"]) for id_ in subscribers
            )
        except ValueError as error:
            unreadable_lines.append(line.fault(str(error)))
    return CsvSubscriptions(by_group, list(_notes(path, by_group, groups)), unreadable_lines)


class _MemberIndex:
    """Finds the members that a row means."""

    def __init__(self, groups: Mapping[str, CliGroup]) -> None:
        self._groups = groups
        self._ids: dict[str, dict[tuple[str, str | None], list[str]]] = {}

    def named_by(self, row: Mapping[str, str]) -> list[str]:
        group = row["group"]
        if group not in self._groups:
            raise ValueError(f"no capture shows a group {group!r}")
        column = "member_id" if row.get("member_id") else "client_id"
        if not (name := row.get(column)):
            raise ValueError("it names no member")
        if group not in self._ids:
            ids = self._ids[group] = defaultdict(list)
            for id_, member in self._groups[group].members.items():
                ids["member_id", id_].append(id_)
                ids["client_id", member.client_id].append(id_)
        if not (members := self._ids[group].get((column, name))):
            raise ValueError(f"group {group!r} has no member with {column} {name!r}")
        return members


def _header(path: Path, line: Line | None) -> list[str]:
    try:
        columns = [name.lower() for name in _split(line.text)] if line else []
    except ValueError as error:
        raise InputError(f"{path}: {error}; expected {EXPECTED}") from error
    missing = [name for name in ("group", "topic") if name not in columns]
    if not {"member_id", "client_id"} & set(columns):
        missing.append("member_id or client_id")
    if missing and line and ";" in line.text:
        raise InputError(f"{path}: its fields are separated by ';': separate them by commas")
    if missing:
        raise InputError(f"{path}: the header lacks {', '.join(missing)}; expected {EXPECTED}")
    if len(set(columns)) < len(columns):
        raise InputError(f"{path}: the header has a column twice; expected {EXPECTED}")
    return columns


def _cells(text: str, expected: int) -> list[str]:
    cells = _split(text)
    if len(cells) != expected:
        raise ValueError(f"it has {len(cells)} fields and the header {expected}")
    return cells


def _split(text: str) -> list[str]:
    try:
        return [
            cell.strip() for cell in next(csv.reader([text], skipinitialspace=True, strict=True))
        ]
    except csv.Error as error:
        raise ValueError(f"it is not CSV: {error}") from error


def _notes(
    path: Path, by_group: Mapping[str, set[Subscription]], groups: Mapping[str, CliGroup]
) -> Iterator[str]:
    silent = []
    for name, subscriptions in by_group.items():
        subscribed = {member_id for member_id, _ in subscriptions}
        if not groups[name].members.keys() <= subscribed:
            silent.append(name)
    if silent:
        yield (
            f"{path} has no row for some members of {list_of('group', silent)}: they are taken to "
            "subscribe to nothing."
        )
