"""What a command prints: tables for people, JSON for programs."""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from io import StringIO
from textwrap import wrap
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

from spark.meanings import legend_of
from spark.wording import shortened_in

OUT = Console(highlight=False)
ERR = Console(stderr=True, highlight=False)


class Format(StrEnum):
    """How a command prints its tables."""

    TABLE = "table"
    JSON = "json"


TOLD = 50
"""So many sentences are printed for people."""

WIDE = 10_000
"""Columns of a terminal on which any table fits."""

WIDE_OUT = Console(highlight=False, width=WIDE)

NARROWEST = 4
"""Characters of a column of text, at the least."""

GAP = 2
"""Columns between two columns of a narrow table, and at its sides together."""

FORMULA = ("=", "+", "-", "@")
"""What a spreadsheet's formulas begin with; tabs and returns, which do as well, are escaped."""

NAMES = (72, 56, 40, 32, 24)
"""Characters of a name in one line where a table has to be narrow: the first that fits."""

Rows = Sequence[dict[str, Any]]


def show(tables: Mapping[str, Rows], form: Format, hide: Collection[str] = ()) -> None:
    """Print tables by name: as one JSON object, or for people, then without the columns `hide`.

    As CSV, and where people want them wide, they have all columns. Below tables for people stands
    what their words mean.
    """
    if form is Format.JSON:
        print(_harmless(json.dumps(tables, ensure_ascii=False, indent=2, default=str)))
        return
    if _layout is Layout.CSV:
        print("\n".join(_csv(rows) for rows in tables.values() if rows), end="")
        return
    titles: list[str] = []
    for name, rows in tables.items():
        if not rows:
            OUT.print(f"{name}: none")
            continue
        columns = [one for one in rows[0] if one not in hide or _layout is Layout.WIDE]
        titles += columns
        (WIDE_OUT if _layout is Layout.WIDE else OUT).print(_table(name, rows, columns))
    for word, meaning in legend_of(titles).items():
        OUT.print(Padding(Text(f"{word}: {meaning}.", style="dim"), (0, 0, 0, 2)))


class Layout(StrEnum):
    """How tables for people are laid out."""

    FITTING = "fitting"
    WIDE = "wide"
    CSV = "csv"


_layout = Layout.FITTING


@contextmanager
def laid_out(layout: Layout) -> Iterator[None]:
    """Print tables so for this time."""
    global _layout  # noqa: PLW0603 - the screen is the process's
    before, _layout = _layout, layout
    try:
        yield
    finally:
        _layout = before


def at_most(rows: int) -> int | None:
    """So many rows are printed for people; as CSV, which programs read, all: None."""
    return None if _layout is Layout.CSV else rows


def _csv(rows: Rows) -> str:
    """The rows as RFC 4180 has it, names in full; what could move the cursor is escaped.

    A text that a spreadsheet would take for a formula gets an apostrophe before it.
    """
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(rows[0])
    for row in rows:
        writer.writerow(_inert(one) if isinstance(one, str) else one for one in row.values())
    return text.getvalue()


def _inert(text: str) -> str:
    return f"'{plain(text)}" if text.startswith(FORMULA) else plain(text)


def _table(name: str, rows: Rows, columns: Sequence[str]) -> Table:
    """A table that fits the terminal, if need be with headers as narrow as their cells, and closer.

    Names break after a `-`, `.` or `_` then, and anywhere only if that isn't enough.
    """
    wide = OUT.options.update(width=WIDE)
    for longest in (None, *NAMES):
        table = _laid_out(name, rows, columns, longest)
        if _layout is Layout.WIDE or OUT.measure(table, options=wide).maximum <= OUT.width:
            return table
    _squeeze(table)
    return table


def _squeeze(table: Table) -> None:
    """Fit a table into the terminal whose names have no more places to break at."""
    widths = [_widest(column) for column in table.columns]
    texts = [at for at, column in enumerate(table.columns) if column.justify == "left"]
    while sum(widths) + GAP * len(widths) > OUT.width:
        most = max(texts or range(len(widths)), key=widths.__getitem__)
        widths[most] -= 1
        if widths[most] <= NARROWEST:
            return  # Rich does what can be done
    for column, width in zip(table.columns, widths, strict=True):
        column.width = column.min_width = width


def _widest(column: Column) -> int:
    lines = [line for cell in (column.header, *column.cells) for line in str(cell).split("\n")]
    return max(map(len, lines))


def _laid_out(name: str, rows: Rows, columns: Sequence[str], longest: int | None) -> Table:
    """The table, narrow if names have a line of at most so many characters."""
    narrow = longest is not None
    table = Table(
        title=name,
        title_justify="left",
        box=SIMPLE_HEAD,
        pad_edge=False,
        collapse_padding=narrow,
    )
    shown = {column: [_cell(row[column]) for row in rows] for column in columns}
    for column, cells in shown.items():
        header = column.replace("_", " ")
        texts = any(isinstance(row[column], str) for row in rows)
        if longest and texts:
            cells[:] = [_broken(cell, longest) for cell in cells]
        words = [len(word) for cell in [header, *cells] for word in cell.split()]
        widest = max((len(line) for cell in cells for line in cell.split("\n")), default=0)
        least = max(words) if texts and narrow else max(map(len, header.split()))
        table.add_column(
            "\n".join(wrap(header, max(least, widest))) if narrow else header,
            justify="left" if texts else "right",
            min_width=least,
            overflow="fold",
        )
    for row in zip(*shown.values(), strict=True):
        table.add_row(*map(Text, row))
    return table


def _broken(cell: str, longest: int) -> str:
    """A cell whose long names have a break after a separator where one line would be too long."""
    return " ".join(_broken_name(word, longest) for word in cell.split(" "))


def _broken_name(name: str, longest: int) -> str:
    lines, line = [], ""
    for piece in re.findall(r"[^-._]*[-._]?", name):
        if line and len(line) + len(piece) > longest:
            lines.append(line)
            line = ""
        line += piece
    return "\n".join([*lines, line])


def tell(title: str, sentences: Sequence[str]) -> None:
    """Print sentences below a title, wrapped beside their dashes: the first `TOLD` of them.

    Beside CSV they aren't printed.
    """
    if _layout is Layout.CSV:
        return
    OUT.print(Text(title, style="italic"))
    listed = Table.grid(padding=(0, 1))
    for sentence in sentences[:TOLD]:
        listed.add_row("-", Text(shown(sentence), overflow="fold"))
    if len(sentences) > TOLD:
        listed.add_row("", f"and {len(sentences) - TOLD} more: --format json has all")
    OUT.print(listed)


def say(sentence: str = "") -> None:
    """Tell a person what is going on, on standard error, unless nobody wants to know."""
    if not _silent:
        ERR.print(Text(shown(sentence)), soft_wrap=True)


_silent = False


@contextmanager
def silence(wanted: bool) -> Iterator[None]:
    """Let `say` say nothing for this time, if that is wanted."""
    global _silent  # noqa: PLW0603 - the screen is the process's
    before, _silent = _silent, wanted
    try:
        yield
    finally:
        _silent = before


def plain(text: str) -> str:
    """Text without control characters: a name must not move the cursor or start a new line."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)


def shown(text: str) -> str:
    """A cell or sentence for people: nobody reads a name of a hundred thousand letters."""
    return plain(shortened_in(text))


def _harmless(printed: str) -> str:
    """The same JSON, with what could move the cursor or turn the text around as escapes."""
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in printed)


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}".replace(",", " ")
    if isinstance(value, float):
        return "-" if math.isnan(value) else f"{value:.2f}"
    return shown(str(value))


def as_rows(rows: Iterable[Any]) -> list[dict[str, Any]]:
    """Spark rows as dictionaries."""
    return [row.asDict(recursive=True) for row in rows]
