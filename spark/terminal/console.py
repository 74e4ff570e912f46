"""What a command prints: tables for people, JSON for programs."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from textwrap import wrap
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

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

Rows = Sequence[dict[str, Any]]


def show(tables: Mapping[str, Rows], form: Format, hide: Collection[str] = ()) -> None:
    """Print tables by name: as one JSON object, or for people, then without the columns `hide`."""
    if form is Format.JSON:
        print(_harmless(json.dumps(tables, ensure_ascii=False, indent=2, default=str)))
        return
    for name, rows in tables.items():
        if not rows:
            OUT.print(f"{name}: none")
            continue
        OUT.print(_table(name, rows, [column for column in rows[0] if column not in hide]))


def _table(name: str, rows: Rows, columns: Sequence[str]) -> Table:
    """A table that fits the terminal, if need be with headers as narrow as their cells, and closer.

    If that isn't enough, cells break anywhere.
    """
    table = _laid_out(name, rows, columns, narrow=False)
    if OUT.measure(table, options=OUT.options.update(width=WIDE)).maximum <= OUT.width:
        return table
    return _laid_out(name, rows, columns, narrow=True)


def _laid_out(name: str, rows: Rows, columns: Sequence[str], narrow: bool) -> Table:
    table = Table(
        title=name,
        title_justify="left",
        box=SIMPLE_HEAD,
        pad_edge=False,
        collapse_padding=narrow,
    )
    for column in columns:
        header = column.replace("_", " ")
        least = max(map(len, header.split()))
        cells = max((len(_cell(row[column])) for row in rows), default=0)
        table.add_column(
            "\n".join(wrap(header, max(least, cells))) if narrow else header,
            justify="left" if any(isinstance(row[column], str) for row in rows) else "right",
            min_width=least,
            overflow="fold",
        )
    for row in rows:
        table.add_row(*(Text(_cell(row[column])) for column in columns))
    return table


def tell(title: str, sentences: Sequence[str]) -> None:
    """Print sentences below a title, wrapped beside their dashes: the first `TOLD` of them."""
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
