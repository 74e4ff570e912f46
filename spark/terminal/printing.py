"""The tables of a command: for people, and all of their rows for programs, as JSON or CSV."""

import csv
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from io import StringIO
from typing import Any

from optimizer.figures import did_you_mean, plural
from spark.errors import InputError
from spark.fleet import CONNECT, CONSUMER, FleetFiles, FleetSnapshot
from spark.glossary import legend_of
from spark.store import Where
from spark.terminal.console import (
    WIDE,
    Rows,
    draw,
    harmless,
    holdable,
    keep_answer,
    lines_of,
    list_sentences,
    room_on_screen,
    say,
    say_all,
)
from spark.text import list_of, plain


class Format(StrEnum):
    """How a command prints its tables, as `--format` says it."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


FORMULA = ("=", "+", "-", "@")
"""Letters with which a spreadsheet's formulas begin; tabs and returns are escaped anyway."""

ROWS_SHOWN = 10
"""Rows of a table, and sentences of a list, that people see at the most unless they ask for all."""

LEAST_OF_LIST = 5
"""Lines from which on one more list is begun: a title, a sentence and its cure."""

LEAST_OF_TABLE = 5
"""Lines from which on one more table is begun: a title, two of headers, a rule and a row."""


FORM = 1
"""Version of the JSON that commands print, which docs/output.schema.json describes."""

SAME = object()


@dataclass(frozen=True)
class Table:
    """All rows of a table for programs, and what people see of them."""

    rows: Rows | Sequence[str]
    """Rows, or sentences: these are a list to people."""
    people: Rows | None = None
    """The rows as people read them; None: as they are."""
    is_shown: bool = True
    """Whether people see it."""
    is_detail: bool = False
    """Whether people see it only where they ask for all."""
    title: str | None = None
    """The table's name for people; None: as programs have it."""
    most: int | None = None
    """Rows that people see unless they ask for all; None: all."""
    is_whole: bool = False
    """Whether people see all rows, also those for which a screen has no room."""
    as_json: Any = SAME
    """Stands in JSON in place of the rows; None: nothing does."""

    def for_people(self, wide: bool) -> Any:
        """Rows, or sentences, as people read them: `wide` rows have all columns."""
        return self.rows if wide or self.people is None else self.people


Tables = Mapping[str, Table | Rows | Sequence[str]]
"""By the name that JSON and `--table` have for it."""


@dataclass
class Printing:
    """How the tables of one command are printed, and which of them were."""

    form: Format = Format.TABLE
    wide: bool = False
    """Whether people see all columns, at full width."""
    everything: bool = False
    """Whether people see all rows."""
    table: str | None = None
    """The one that is printed as CSV; None is the command's first."""
    hint: str = "--all shows them"
    """Where the rows are that people don't see."""
    command: str = ""
    tables: dict[str, Any] = field(default_factory=dict)
    """The tables that the command has, as JSON has them."""
    verdict: list[str] = field(default_factory=list)
    snapshots: list[str] = field(default_factory=list)
    next: str | None = None
    is_done: bool = False
    """Whether the one table is printed that CSV has."""
    room: int = field(default_factory=room_on_screen)
    """Lines of the screen that are left for tables and lists."""

    def show(self, tables: Mapping[str, Table], hide: Collection[str]) -> None:
        """Print tables in the form that was asked for, and keep them for JSON."""
        of_json = {k: t.rows if t.as_json is SAME else t.as_json for k, t in tables.items()}
        self.tables |= {_alike(k): rows for k, rows in of_json.items() if rows is not None}
        if self.form is Format.CSV:
            self._show_csv(tables)
        elif self.is_for_people:
            self._show_people(tables, hide)

    @property
    def is_for_people(self) -> bool:
        """Whether tables are for people, and not for programs."""
        return self.form is Format.TABLE

    @property
    def whole(self) -> bool:
        """Whether people see all there is."""
        return self.everything or self.wide

    def end(self) -> None:
        """Print what waits for the end of a command: JSON has all in one object."""
        if self.form is Format.JSON and self.tables:
            of = dict.fromkeys(self.snapshots)
            output = {
                "command": self.command,
                "version": FORM,
                "snapshot": next(iter(of)) if len(of) == 1 else None,
                "verdict": " ".join(self.verdict) or None,
                "next": self.next,
                "tables": self.tables,
            }
            print(harmless(json.dumps(output, ensure_ascii=False, indent=2, default=str)))

    def _show_csv(self, tables: Mapping[str, Table]) -> None:
        asked = [
            table for table in tables if self.table is None or _alike(table) == _alike(self.table)
        ]
        if asked and not self.is_done:
            print(csv_of(tables[asked[0]].rows), end="")
            self.is_done = True

    def _show_people(self, tables: Mapping[str, Table], hide: Collection[str]) -> None:
        left: list[str] = []
        titles: list[str] = []
        seen = {n: t for n, t in tables.items() if t.is_shown and (self.whole or not t.is_detail)}
        tables_left = sum(not _is_list(table.for_people(self.wide)) for table in seen.values())
        for name, table in seen.items():
            title = name if self.wide or table.title is None else table.title
            title, rows = title.replace("_", " "), table.for_people(self.wide)
            if _is_list(rows):
                self.lists([(title, rows, "")], title, table.most)
                continue
            room = WIDE if table.is_whole else self.left() // tables_left
            tables_left -= 1
            count = 0
            if room >= LEAST_OF_TABLE or not titles:
                count, lines = draw(title, self._first(rows, table.most), hide, room, self.wide)
                self.room -= lines
                titles += rows[0] if rows else ()
            if count < len(rows):
                left.append(f"{plural(len(rows) - count, 'row')} of {title}")
        if self.whole and (legend := legend_of(titles)):
            say(legend)
        if left:
            say(f"Not shown: {', '.join(left)} ({self.hint}).")

    def lists(
        self, lists: Iterable[tuple[str, Sequence[str], str]], what: str, most: int | None = None
    ) -> None:
        """Print lists of title, sentences and advice as far as they have room."""
        left, begun = 0, self.room
        for title, sentences, advice in lists:
            count = 0
            if self.whole or self.room == begun or self.room >= LEAST_OF_LIST:
                shown = self._first(sentences, most or ROWS_SHOWN)
                around = 1 + 2 * bool(advice)
                count, lines = list_sentences(title, shown, self.left() - around, advice)
                self.room -= lines + around
            left += len(sentences) - count
        if left:
            say(f"Not shown: {left} of {what} ({self.hint}).")

    def left(self) -> int:
        """Lines of the screen for what comes next: all where people want to see everything."""
        return WIDE if self.whole else max(self.room, 2)

    def _first(self, rows: Sequence[Any], most: int | None) -> Sequence[Any]:
        """The first rows or sentences, which people see."""
        return rows if self.whole else rows[:most]

    def check(self) -> None:
        """Raise InputError if the table that was asked for isn't one of the command's."""
        if self.table is not None and not self.is_done and self.tables:
            listed = ", ".join(self.tables)
            hint = did_you_mean(self.table, self.tables)
            raise InputError(f"--table {self.table}: no such table{hint}; there is {listed}")


_printing = Printing()


@contextmanager
def printing_as(printing: Printing) -> Iterator[None]:
    """Print tables so for this time; InputError if what is asked for isn't there."""
    global _printing  # noqa: PLW0603 - the screen is the process's
    before, _printing = _printing, printing
    try:
        yield
        printing.check()
    finally:
        _printing = before
        printing.end()


def programs_only(tables: Tables) -> dict[str, Table]:
    """Tables that people don't see."""
    return {name: replace(table, is_shown=False) for name, table in _whole(tables).items()}


def _is_list(rows: Any) -> bool:
    """Whether these are sentences, which people see as a list."""
    return bool(rows) and isinstance(rows[0], str)


@holdable
def show(tables: Tables, hide: Collection[str] = ()) -> None:
    """Print tables by name: as JSON at the end, as CSV the first or the one that is asked for.

    For people those that aren't details, without the columns `hide`.
    """
    _printing.show(_whole(tables), hide)


def _whole(tables: Tables) -> dict[str, Table]:
    return {k: table if isinstance(table, Table) else Table(table) for k, table in tables.items()}


@holdable
def print_lists(lists: Iterable[tuple[str, Sequence[str], str]], what: str) -> None:
    """Print lists of title, sentences and what to do for people, as many as a screen has room for.

    `what` all of them list.
    """
    if is_for_people():
        _printing.lists(lists, what)


def print_list(
    title: str, sentences: Sequence[str], advice: str = "", is_detail: bool = False
) -> None:
    """Print one such list, unless it is empty; a detail only where people ask for all."""
    if sentences and (_printing.whole or not is_detail):
        print_lists([(title, sentences, advice)], title)


def say_answer(answer: str) -> None:
    """Say what a command answers, before all else; JSON has it as `verdict`."""
    keep_answer(answer)
    _printing.verdict.append(answer)
    _printing.room -= lines_of(answer)
    say(answer)


def say_details(sentences: Iterable[str]) -> None:
    """Say what people read only where they ask for all."""
    if _printing.whole:
        say_all(sentences)


def say_written(out: Where | None, *tables: str) -> None:
    """Say which tables of a result are where, if they were written."""
    if out:
        say(f"Written to {out}: {', '.join(tables)}.")


def say_next(line: str) -> None:
    """Say which command follows, to paste; JSON has it as `next`."""
    _printing.next = line
    if is_for_people():
        say(f"Next: {line}", to_paste=True)


def by_kind(
    name: str, rows: Rows, people: Callable[[dict[str, Any]], dict[str, Any]] = dict
) -> dict[str, Table]:
    """A whole table for each kind of groups that has rows: `name` of consumers, one of Connect.

    `people` makes of a row what people read of it.
    """
    of_kind = [[row for row in rows if row["kind"] == kind] for kind in (CONSUMER, CONNECT)]
    consumers, workers = (Table(of, [*map(people, of)], is_whole=True) for of in of_kind)
    if consumers.rows:
        workers = replace(workers, is_detail=True)
    tables = {name: consumers, f"connect_{name}": workers}
    return {title: table for title, table in tables.items() if table.rows} or {name: Table([])}


def is_for_people() -> bool:
    """Whether tables are for people, and not for programs."""
    return _printing.is_for_people


def at_most(rows: int) -> int | None:
    """Rows printed for people; None where all are, as for programs."""
    return rows if is_for_people() and not _printing.whole else None


def csv_of(rows: Rows | Sequence[str]) -> str:
    """The rows as RFC 4180 has it, names in full; what could move the cursor is escaped.

    A text that a spreadsheet would take for a formula gets an apostrophe before it. Lists are JSON.
    """
    cells: list[dict[str, Any]] = [
        {"sentence": row} if isinstance(row, str) else row for row in rows
    ]
    columns = dict.fromkeys(column for row in cells for column in row)
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if columns:
        writer.writerow(columns)
    for row in cells:
        writer.writerow(_csv_cell(row.get(column)) for column in columns)
    return text.getvalue()


def _csv_cell(value: Any) -> Any:
    if isinstance(value, (list, tuple, dict)):
        value = json.dumps(value, ensure_ascii=False, default=str)
    if not isinstance(value, str):
        return value
    return f"'{plain(value)}" if value.startswith(FORMULA) else plain(value)


def _alike(name: str) -> str:
    """A table's name in JSON, however its words are joined."""
    return name.replace(" ", "_").replace("-", "_").lower()


def say_clusters(fleet: FleetSnapshot | FleetFiles, changes: Sequence[str] = ()) -> None:
    """Say which clusters were taken from which snapshots, the newest first, and how they changed.

    That is for the end: where a command fails, why is all that it says.
    """
    _printing.snapshots.append(fleet.id)
    of: dict[str, list[str]] = {}
    for cluster, snapshot in sorted(fleet.instants.items(), key=lambda pair: pair[1], reverse=True):
        of.setdefault(snapshot, []).append(cluster)
    newest = plural(len(of.pop(fleet.id, ())), "cluster")
    older = (f"; {snapshot} of {list_of('cluster', clusters)}" for snapshot, clusters in of.items())
    say(f"Snapshot {fleet.id} of {newest}{''.join(older)}.")
    say_all(f"{change}." for change in (*fleet.changes, *changes))


def clusters_read(*fleets: FleetSnapshot | FleetFiles) -> dict[str, Table]:
    """For programs: a row a cluster, and of which snapshot it is; `say_clusters` tells people."""
    rows = [
        {"cluster": cluster, "snapshot": snapshot}
        for fleet in fleets
        for cluster, snapshot in fleet.instants.items()
    ]
    return {"clusters": Table(rows, is_shown=False)}


def say_snapshots(held: Mapping[str, Sequence[str]]) -> None:
    """Say which snapshots of which clusters were read; those of the same ones in one breath."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for cluster, snapshots in held.items():
        alike.setdefault(tuple(snapshots), []).append(cluster)
    for snapshots, clusters in alike.items():
        span = f"{len(snapshots)} snapshots from {snapshots[0]} to {snapshots[-1]}"
        read = f"snapshot {snapshots[0]}" if len(snapshots) == 1 else span
        say(f"Read {read}: {list_of('cluster', clusters)}.")
