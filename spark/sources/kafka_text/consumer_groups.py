"""Read what kafka-consumer-groups prints: --describe in all its views, and --list.

Versions 0.9 to 4.3 and ConsumerOffsetChecker, views and versions mixed in any number of files and
within one file; and what kafka-groups lists.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from spark.errors import InputError
from spark.sources.kafka_text.captures import ConsumerGroup, StateRow
from spark.sources.kafka_text.lines import Line, UnreadableLine, is_noise, read_lines, shortened
from spark.sources.kafka_text.table import Header, parse_header
from spark.sources.kafka_text.views import Row, View, read_row, take_rows, view_of
from spark.text import named


@dataclass
class Oddities:
    """What was met while reading, beside the groups."""

    absent_groups: set[str] = field(default_factory=set)
    named_after_file: set[str] = field(default_factory=set)
    owner_columns: set[str] = field(default_factory=set)
    """files whose members go by OWNER"""
    errors: list[str] = field(default_factory=list)


def notes_on(groups: Iterable[ConsumerGroup], oddities: Oddities) -> Iterator[str]:
    """Sentences, each about all the groups or files that it holds for."""
    yield from oddities.errors
    if oddities.absent_groups:
        yield f"Kafka says that {named('group', oddities.absent_groups)} did not exist."
    if oddities.named_after_file:
        yield (
            f"{named('file', oddities.named_after_file)} without group names, as Kafka's are "
            "before 2.3: the group is named after the file."
        )
    if oddities.owner_columns:
        yield (
            f"{named('file', oddities.owner_columns)} of a Kafka before 0.10.2, which prints "
            "client id and host as OWNER and no member id: members that share both are taken for "
            "one."
        )
    yield from _notes_on_groups(list(groups))


def _notes_on_groups(groups: list[ConsumerGroup]) -> Iterator[str]:
    if not groups:
        yield "No consumer group was found."
    if result := [group.name for group in groups if group.captures_disagree()]:
        yield (
            f"The captures of {named('group', result)} do not agree about state, members or "
            "owners: they are of different moments, or lines are missing. The last value "
            "counts, and a group once seen rebalancing stays so. Take "
            "all views at one time for a sound plan."
        )
    if result := [group.name for group in groups if group.owners_missing()]:
        yield (
            f"Nothing says which partitions the members of {named('group', result)} own: the "
            "members view has them with --verbose only, and in 3.8 and 3.9 without the topics' "
            "names. Add the offsets view of these groups."
        )
    if result := [group.name for group in groups if group.members_missing()]:
        yield (
            f"The state view counts more members in {named('group', result)} than the other views "
            "show: members without partitions are in the members view alone. Add it."
        )
    if result := [group.name for group in groups if group.offsets_differ]:
        yield (
            f"The offsets of {named('group', result)} were given more than once, with other "
            "values: the last ones count."
        )


EXPECTED = "the text of kafka-consumer-groups --describe (--members, --offsets or --state)"

# What the tool says beside its tables, on standard error or output: quoted by ' or, until 0.10.1, `
_MESSAGE = re.compile(
    r"(?:Error: |Warning: )?(?:The c|C)onsumer group [`'](?P<group>.+)[`'] "
    r"(?P<fact>has no active members|does not exist|(?:does not exist or )?is rebalancing)\.?"
)
_STATE_IN_MESSAGE = {
    "has no active members": "Empty",
    "is rebalancing": "PreparingRebalance",
    "does not exist or is rebalancing": "PreparingRebalance",
}
_TYPED_GROUP = re.compile(r"kafka-consumer-groups.*\s--group[ =](['\"]?)(\S+?)\1(?:\s|$)")


class ConsumerGroups(NamedTuple):
    """All groups by name, and what their reader has to tell the files' owner."""

    groups: dict[str, ConsumerGroup]
    notes: list[str]
    unreadable_lines: list[UnreadableLine]


def read_consumer_groups(files: Sequence[Path]) -> ConsumerGroups:
    """Read the files in the order given: of captures that contradict, the later counts.

    Until 2.2 the tables have no GROUP column. The group is then the one of the last message or
    typed command (`--group g`) above the table, or else the file's name without its suffix (and
    without .members, .offsets or .state); a second table of the same view under the same name is
    another group's and can't be read.

    Raises InputError if a file is missing, is not text, or holds nothing of Kafka's output.
    """
    groups: dict[str, ConsumerGroup] = {}
    unreadable_lines: list[UnreadableLine] = []
    oddities = Oddities()
    for path in files:
        _FileReader(path, groups, unreadable_lines, oddities).read()
    return ConsumerGroups(groups, list(notes_on(groups.values(), oddities)), unreadable_lines)


class _Table(NamedTuple):
    """The table that is being read."""

    header: Header
    view: View
    rows: dict[str, list[Row]]
    """by group"""
    group: str | None
    """the only group of a table without a GROUP column"""


class _FileReader:
    def __init__(
        self,
        path: Path,
        groups: dict[str, ConsumerGroup],
        unreadable_lines: list[UnreadableLine],
        oddities: Oddities,
    ) -> None:
        self._path = path
        self._groups = groups
        self._unreadable_lines = unreadable_lines
        self._oddities = oddities
        self._table: _Table | None = None
        self._said_group: str | None = None
        """the group that a message or a typed command named last"""
        self._nameless: set[tuple[View, str]] = set()
        """tables without a GROUP column that were met, and the groups they were taken for"""
        self._has_content = False
        self._error: str | None = None

    def read(self) -> None:
        for line in read_lines(self._path, EXPECTED, self._unreadable_lines):
            self._read(line)
        self._close_table()
        if not self._has_content:
            text = f". It says: {self._error}" if self._error else ""
            raise InputError(
                f"{self._path}: nothing of Kafka's output is in it; expected {EXPECTED}{text}"
            )

    def _read(self, line: Line) -> None:
        text = line.text.strip()
        if header := parse_header(line.text):
            self._close_table()
            self._open_table(header, line)
        elif self._table and (fields := self._table.header.cells(line.text)) is not None:
            self._take_row(self._table, fields, line)
        elif message := _MESSAGE.fullmatch(text):
            self._take_message(message["group"], message["fact"])
        elif text.startswith("Error: "):
            self._error = shortened(text)
            self._oddities.errors.append(
                f"{line.file}, line {line.number}: Kafka says: {self._error}"
            )
        elif is_noise(line.text):
            typed = _TYPED_GROUP.search(text)
            self._said_group = typed[2] if typed else self._said_group
        else:
            where = "doesn't fit the columns of its table" if self._table else "is in no table"
            self._report(line, f"it {where}")

    def _open_table(self, header: Header, line: Line) -> None:
        view = view_of(header)
        if view is None:
            self._report(line, "its columns are those of no view of consumer groups")
            return
        self._has_content = True
        if "OWNER" in header.columns:
            self._oddities.owner_columns.add(line.file)
        if "GROUP" in header.columns:
            self._table = _Table(header, view, {}, None)
            return
        group = self._said_group or self._name_after_file()
        if (view, group) in self._nameless:
            why = f"no group is named here, and {group!r} had this view before"
            self._report(line, f"{why}: give each group a file of its own")
            return
        self._nameless.add((view, group))
        self._table = _Table(header, view, {group: []}, group)

    def _name_after_file(self) -> str:
        name = re.sub(r"\.(members|offsets|state)$", "", self._path.stem)
        self._oddities.named_after_file.add(f"{self._path} as {name!r}")
        return name

    def _take_row(self, table: _Table, fields: dict[str, str], line: Line) -> None:
        row, fault = read_row(table.view, fields)
        table.rows.setdefault(table.group or fields["GROUP"], []).append(row)
        if fault:
            self._report(line, fault)

    def _close_table(self) -> None:
        if self._table:
            for name, rows in self._table.rows.items():
                take_rows(self._group(name), self._table.view, rows)
        self._table = None

    def _take_message(self, name: str, fact: str) -> None:
        self._has_content = True
        self._said_group = name
        if state := _STATE_IN_MESSAGE.get(fact):
            self._group(name).take_state(StateRow(state, exact=False))
        else:
            self._oddities.absent_groups.add(name)

    def _group(self, name: str) -> ConsumerGroup:
        return self._groups.setdefault(name, ConsumerGroup(name))

    def _report(self, line: Line, why: str) -> None:
        self._unreadable_lines.append(line.fault(why))
