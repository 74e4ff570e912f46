"""Subscriptions, which Kafka's tools don't print: they are inferred, or told by a CSV file.

What is inferred comes from ownership alone. A topic of which the group has committed offsets and
owns nothing is most likely one that it read once: it does not count.
"""

import csv
import re
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from spark.errors import InputError
from spark.sources.kafka_text.captures import CliGroup
from spark.sources.kafka_text.lines import TOPIC_NAME, Line, TextReader
from spark.text import list_of

Infer = Literal["union", "owned"]
Subscription = tuple[str, str]
"""member id, topic"""

EXPECTED = "CSV with a header: group, member_id or client_id, topic"


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


class CsvSubscriptions(TextReader):
    """True subscriptions of some `groups`, from a CSV file; groups that aren't in it are absent.

    A row names the member by its id, or by a client id, which means every member of the group that
    has it; with both columns the member's id counts where it is not blank. Further columns are
    passed over. A row of no known group or member is unreadable. InputError for a header that
    lacks a column.
    """

    expected = EXPECTED

    def __init__(self, groups: Mapping[str, CliGroup]) -> None:
        super().__init__()
        self.by_group: dict[str, set[Subscription]] = {}
        self._groups, self._columns = groups, list[str]()
        self._ids: dict[str, dict[tuple[str, str | None], list[str]]] = {}

    def take(self, line: Line) -> None:
        if not self._columns:
            self._columns = _header(line)
            return
        try:
            row = dict(zip(self._columns, _cells(line.text, len(self._columns)), strict=True))
            subscribers = self._members(row)
            if not row["topic"]:
                raise ValueError("its topic is blank")
            if not re.fullmatch(TOPIC_NAME, row["topic"]):
                raise ValueError(f"{row['topic']!r} is no topic's name")
            of_group = self.by_group.setdefault(row["group"], set())
            of_group.update((id_, row["topic"]) for id_ in subscribers)
        except ValueError as error:
            self.report(line, str(error))

    def finish(self, path: Path) -> None:
        self._columns = self._columns or _header(Line(str(path), 0, ""))

    def _members(self, row: Mapping[str, str]) -> list[str]:
        """The members that a row means."""
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

    @property
    def notes(self) -> list[str]:
        silent = [
            name
            for name, subscriptions in self.by_group.items()
            if not self._groups[name].members.keys()
            <= {member_id for member_id, _ in subscriptions}
        ]
        if not silent:
            return []
        return [
            f"{self.files} has no row for some members of {list_of('group', silent)}: they are "
            "taken to subscribe to nothing."
        ]


def _header(line: Line) -> list[str]:
    try:
        columns = [name.lower() for name in _split(line.text)]
    except ValueError as error:
        raise InputError(f"{line.file}: {error}; expected {EXPECTED}") from error
    missing = [name for name in ("group", "topic") if name not in columns]
    if not {"member_id", "client_id"} & set(columns):
        missing.append("member_id or client_id")
    if missing and ";" in line.text:
        raise InputError(f"{line.file}: its fields are separated by ';': separate them by commas")
    if missing:
        raise InputError(f"{line.file}: the header lacks {', '.join(missing)}; expected {EXPECTED}")
    if len(set(columns)) < len(columns):
        raise InputError(f"{line.file}: the header has a column twice; expected {EXPECTED}")
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
