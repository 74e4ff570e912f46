"""What a command prints: tables for people, and all of their rows for programs, as JSON or CSV."""

import csv
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from io import StringIO
from typing import Any

from optimizer.figures import counted, did_you_mean
from spark.errors import InputError
from spark.fleet import CONNECT, CONSUMER, FleetFiles, FleetSnapshot
from spark.terminal.console import (
    Rows,
    draw,
    harmless,
    holdable,
    list_sentences,
    plain,
    print_advice,
    say,
    say_all,
)
from spark.text import named


class Format(StrEnum):
    """How a command prints its tables, as `--format` says it."""

    TABLE = "table"
    JSON = "json"


class Layout(StrEnum):
    """How tables are laid out."""

    FITTING = "fitting"
    WIDE = "wide"
    CSV = "csv"
    JSON = "json"


FORMULA = ("=", "+", "-", "@")
"""What a spreadsheet's formulas begin with; tabs and returns, which do as well, are escaped."""

ROWS_SHOWN = 10
"""Rows of a table, and sentences of a list, that people see unless they ask for all."""


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
    title: str | None = None
    """Its name for people; None: the same."""
    most: int | None = None
    """Rows that people see unless they ask for all; None: all."""
    as_json: Any = SAME
    """What JSON has in place of the rows; None: nothing."""


Tables = Mapping[str, Table | Rows | Sequence[str]]
"""By the name that JSON and `--table` have for it."""


@dataclass
class Printing:
    """How the tables of one command are printed, and which of them were."""

    layout: Layout = Layout.FITTING
    everything: bool = False
    """Whether people see all rows."""
    table: str | None = None
    """The one that is printed as CSV; None is the command's first."""
    hint: str = "--all shows them"
    """Where the rows are that people don't see."""
    names: list[str] = field(default_factory=list)
    """The tables that the command has."""
    is_done: bool = False
    """Whether the one table is printed that CSV has."""

    def show(self, tables: Mapping[str, Table], hide: Collection[str]) -> None:
        """Print tables; `show` says how."""
        self.names += tables
        if self.layout is Layout.JSON:
            settings = {k: t.rows if t.as_json is SAME else t.as_json for k, t in tables.items()}
            rows = {name: item for name, item in settings.items() if item is not None}
            print(harmless(json.dumps(rows, ensure_ascii=False, indent=2, default=str)))
        elif self.layout is Layout.CSV:
            self._show_csv(tables)
        else:
            self._show_people(tables, hide)

    def _show_csv(self, tables: Mapping[str, Table]) -> None:
        asked = [
            table for table in tables if self.table is None or _alike(table) == _alike(self.table)
        ]
        if asked and not self.is_done:
            print(csv_of(tables[asked[0]].rows), end="")
            self.is_done = True

    def _show_people(self, tables: Mapping[str, Table], hide: Collection[str]) -> None:
        drawn: dict[str, Rows] = {}
        left: dict[str, int] = {}
        lists: dict[str, tuple[Sequence[str], int | None]] = {}
        for name, table in tables.items():
            title = table.title or name
            if table.rows and isinstance(table.rows[0], str):
                lists[title] = [str(row) for row in table.rows], table.most
            elif table.is_shown:
                rows: Any = table.rows if table.people is None else table.people
                drawn[title] = self._first(rows, table.most)
                left[title] = len(rows) - len(drawn[title])
        if drawn:
            draw(drawn, hide, self.layout is Layout.WIDE)
        for title, (sentences, most) in lists.items():
            self.list(title, sentences, most)
        if more := [
            f"{counted(count, 'row')} of {title}" for title, count in left.items() if count
        ]:
            say(f"Not shown: {', '.join(more)} ({self.hint}).")

    def list(self, title: str, sentences: Sequence[str], most: int | None = None) -> None:
        """Print sentences for people: the first `most`."""
        shown = self._first(sentences, most or ROWS_SHOWN)
        left = len(sentences) - len(shown)
        list_sentences(title, [*shown, *([f"and {left} more: {self.hint}"] if left else [])])

    def _first(self, rows: Sequence[Any], most: int | None) -> Sequence[Any]:
        """What people see of rows or sentences."""
        return rows if self.everything else rows[:most]

    def check(self) -> None:
        """Raise InputError if the table that was asked for isn't one of the command's."""
        if self.table is not None and not self.is_done and self.names:
            listed = ", ".join(dict.fromkeys(self.names))
            hint = did_you_mean(self.table, self.names)
            raise InputError(f"--table {self.table}: no such table{hint}; there is {listed}")


_printing = Printing()


@contextmanager
def printed(printing: Printing) -> Iterator[None]:
    """Print tables so for this time; InputError if what is asked for isn't there."""
    global _printing  # noqa: PLW0603 - the screen is the process's
    before, _printing = _printing, printing
    try:
        yield
        printing.check()
    finally:
        _printing = before


def programs_only(tables: Tables) -> dict[str, Table]:
    """Tables that people don't see."""
    settings = {
        k: table if isinstance(table, Table) else Table(table) for k, table in tables.items()
    }
    return {name: replace(item, is_shown=False) for name, item in settings.items()}


@holdable
def show(tables: Tables, hide: Collection[str] = ()) -> None:
    """Print tables by name: as one JSON object, as CSV the first or the one that is asked for.

    For people all of them, without the columns `hide`.
    """
    settings = {
        k: table if isinstance(table, Table) else Table(table) for k, table in tables.items()
    }
    _printing.show(settings, hide)


@holdable
def print_list(title: str, sentences: Sequence[str], advice: str = "") -> None:
    """Print sentences below a title for people alone: the first of them, unless all are wanted.

    Below them stands what to do about it, if there is any `advice`.
    """
    if is_for_people():
        _printing.list(title, sentences)
        if advice:
            print_advice(advice)


def by_kind(name: str, rows: Rows) -> dict[str, Rows]:
    """A table for each kind of groups that has rows: `name` of consumers, and one of Connect."""
    tables = {
        title: [row for row in rows if row["kind"] == kind]
        for title, kind in ((name, CONSUMER), (f"connect {name}", CONNECT))
    }
    return {title: table for title, table in tables.items() if table} or {name: []}


def is_for_people() -> bool:
    """Whether tables are for people, and not for programs."""
    return _printing.layout in (Layout.FITTING, Layout.WIDE)


def at_most(rows: int) -> int | None:
    """Rows printed for people; None where all are, as for programs."""
    return rows if is_for_people() and not _printing.everything else None


def csv_of(rows: Rows | Sequence[str]) -> str:
    """The rows as RFC 4180 has it, names in full; what could move the cursor is escaped.

    A text that a spreadsheet would take for a formula gets an apostrophe before it. Lists are JSON.
    """
    cells: list[dict[str, Any]] = [
        {"sentence": item} if isinstance(item, str) else item for item in rows
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
    """A table's name, however its words are joined."""
    return name.replace("_", " ").replace("-", " ").lower()


def say_clusters(fleet: FleetSnapshot | FleetFiles, changes: Sequence[str] = ()) -> None:
    """Say which clusters were taken from which snapshots, the newest first, and how they changed.

    That is for the end: where a command fails, why is all that it says.
    """
    of: dict[str, list[str]] = {fleet.id: []}
    for cluster, snapshot in sorted(fleet.instants.items(), key=lambda item: item[1], reverse=True):
        of.setdefault(snapshot, []).append(cluster)
    taken = (
        f"snapshot {item}: {named('cluster', clusters) if clusters else 'no cluster'}"
        for item, clusters in of.items()
    )
    say(f"Read {'; '.join(taken)}.")
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
        say(f"Read {read}: {named('cluster', clusters)}.")
