"""Read what kafka-consumer-groups prints: --describe in all its views, and --list.

Versions 2.4 to 4.3, views and versions mixed in any number of files and within one file; and what
kafka-groups lists.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Self

from spark.errors import InputError
from spark.fleet import STREAMS
from spark.sources.kafka_text.captures import CliGroup, GroupStateRow
from spark.sources.kafka_text.lines import (
    Header,
    Line,
    TextReader,
    is_noise,
    parse_header,
    shorten,
)
from spark.sources.kafka_text.views import Row, View, read_row, take_rows, view_of
from spark.text import list_of

_NOTES: dict[str, Callable[[CliGroup], bool]] = {
    "{} of Kafka Streams, by client id or strategy: no plan.": lambda group: group.type == STREAMS,
    "The captures of {} do not agree about state, members or owners: they are of several moments, "
    "or lines are missing. The last value counts, and a group once seen rebalancing stays so. Take "
    "all views at one time for a sound plan.": CliGroup.captures_disagree,
    "Nothing says which partitions the members of {} own: the members view has them with --verbose "
    "only, and in 3.8 and 3.9 without the topics' names. Add the offsets view of these groups."
    "": CliGroup.owners_missing,
    "The state view counts more members in {} than the other views show: members without "
    "partitions are in the members view alone. Add it.": CliGroup.members_missing,
    "The offsets of {} were given more than once, with other values: the last ones count."
    "": lambda group: group.offsets_differ,
}
"""Sentences on groups, and which groups each is about."""

EXPECTED = "the text of kafka-consumer-groups --describe (--members, --offsets or --state)"

OLD_TOOL = (
    "its tables name no group, as those of Kafka's tools before 2.4: use kafka-consumer-groups of "
    "2.4 or later, which can ask older brokers too"
)

WRAPPED = (
    "its lines are wrapped, at the width of a terminal: write what the tool prints to a file "
    "(kafka-consumer-groups … > groups.txt)"
)
_REST_OF_HEADER = re.compile(r"(?=.*[A-Z])[-A-Z#()\s]+")

# What a tool says of a cluster without groups; Kafka's own prints nothing
_NO_GROUPS = re.compile(
    r"(?i)(?:\w+: )?(?:there are )?no (?:active )?(?:consumer )?groups?\b.{0,60}"
)

# What the tool says beside its tables, on standard error or output
_MESSAGE = re.compile(
    r"(?:Error: |Warning: )?(?:The c|C)onsumer group '(?P<group>.+)' "
    r"(?P<fact>has no active members|does not exist|is rebalancing)\.?"
)
_STATE_IN_MESSAGE = {"has no active members": "Empty", "is rebalancing": "PreparingRebalance"}


class _Table(NamedTuple):
    """The table that is being read."""

    header: Header
    view: View
    rows: dict[str, list[Row]]
    """by group"""


class ConsumerGroups(TextReader):
    """All groups by name: of captures that contradict, the later counts."""

    expected, nothing = EXPECTED, "nothing of Kafka's output is in it"

    def __init__(self) -> None:
        super().__init__()
        self.groups: dict[str, CliGroup] = {}
        self._absent_groups: set[str] = set()
        self._errors: list[str] = []
        self._lost_members: Counter[str] = Counter()
        """by what stands where its group should: rows of members that could not be read"""
        self._table: _Table | None = None
        self._begin()

    def _begin(self) -> None:
        self._is_old = False
        """whether the lines are of a tool before 2.4"""
        self._is_blank = True
        self._header_at = -1
        """the number of the last line that was a header"""

    def read(self, paths: Sequence[Path]) -> Self:
        super().read(paths)
        for name, group in self.groups.items():
            group.lost_members = self._lost_members[name]
        return self

    def finish(self, path: Path) -> None:
        self._close_table()
        if self._is_old and not self.has_content:
            raise InputError(f"{path}: {OLD_TOOL}")
        if not self._is_blank:
            super().finish(path)
        self._begin()

    @property
    def notes(self) -> list[str]:
        return [*self._notes()]

    def _notes(self) -> Iterator[str]:
        """Sentences, each about all the groups or files that it holds for."""
        yield from self._errors
        if self._absent_groups:
            yield f"Kafka says that {list_of('group', self._absent_groups)} did not exist."
        if not self.groups:
            yield "No consumer group was found."
        for text, fits in _NOTES.items():
            if names := [name for name, group in self.groups.items() if fits(group)]:
                yield text.format(list_of("group", names))

    def take(self, line: Line) -> None:
        text = line.text.strip()
        header = parse_header(line.text)
        if self._is_rest_of_header(header, line):
            raise InputError(f"{line.file}: {WRAPPED}")
        if header:
            self._header_at = line.number
            self._close_table()
            self._open_table(header, line)
        elif self._table and (fields := self._table.header.cells(line.text)) is not None:
            self._take_row(self._table, fields, line)
        elif message := _MESSAGE.fullmatch(text):
            self._take_message(message["group"], message["fact"])
        elif text.startswith("Error: "):
            self.error = shorten(text)
            self._errors.append(f"{line.file}, line {line.number}: Kafka says: {self.error}")
        elif is_noise(line.text) or _NO_GROUPS.fullmatch(text):
            return
        elif not self._is_old:
            where = "doesn't fit the columns of its table" if self._table else "is in no table"
            self.report(line, f"it {where}")
            if self._table:
                self._lose_row(self._table, line)
        self._is_blank = False

    def _is_rest_of_header(self, header: Header | None, line: Line) -> bool:
        if line.number != self._header_at + 1 or (header and not header.is_old):
            return False
        is_row = self._table is not None and self._table.header.cells(line.text) is not None
        return not is_row and _REST_OF_HEADER.fullmatch(line.text) is not None

    def _lose_row(self, table: _Table, line: Line) -> None:
        self._lost[table.view.value] += 1
        if table.view is View.MEMBERS:
            cut = line.text[: table.header.starts[1]]
            name = cut.strip() if cut[-1:].isspace() else line.text.split()[0]
            self._lost_members[name] += 1

    def _open_table(self, header: Header, line: Line) -> None:
        self._is_old = header.is_old
        if self._is_old:
            self.report(line, OLD_TOOL)
            return
        view = view_of(header)
        if view is None:
            self.report(line, "its columns are those of no view of consumer groups")
            self._lost[" ".join(header.columns)] += 1
            return
        self.has_content = True
        self._table = _Table(header, view, {})

    def _take_row(self, table: _Table, fields: dict[str, str], line: Line) -> None:
        row, fault = read_row(table.view, fields)
        self._read[table.view.value] += 1
        table.rows.setdefault(fields["GROUP"], []).append(row)
        if fault:
            self.report(line, fault)

    def _close_table(self) -> None:
        if self._table:
            for name, rows in self._table.rows.items():
                take_rows(self._group(name), self._table.view, rows)
        self._table = None

    def _take_message(self, name: str, fact: str) -> None:
        self.has_content = True
        if state := _STATE_IN_MESSAGE.get(fact):
            self._group(name).take_state(GroupStateRow(state, exact=False))
        else:
            self._absent_groups.add(name)

    def _group(self, name: str) -> CliGroup:
        return self.groups.setdefault(name, CliGroup(name))
