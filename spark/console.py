"""What a command prints: tables for people, JSON for programs."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from enum import StrEnum
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

OUT = Console(highlight=False)
ERR = Console(stderr=True, highlight=False)


class Format(StrEnum):
    """How a command prints its tables."""

    TABLE = "table"
    JSON = "json"


Rows = Sequence[dict[str, Any]]


def show(tables: Mapping[str, Rows], form: Format, hide: Collection[str] = ()) -> None:
    """Print tables by name: as one JSON object, or for people, then without the columns `hide`."""
    if form is Format.JSON:
        print(json.dumps(tables, ensure_ascii=False, indent=2, default=str))
        return
    for name, rows in tables.items():
        if not rows:
            OUT.print(f"{name}: none")
            continue
        OUT.print(_table(name, rows, [column for column in rows[0] if column not in hide]))


def _table(name: str, rows: Rows, columns: Sequence[str]) -> Table:
    """A table that fits a terminal of 80 columns: headers break between words, cells anywhere."""
    table = Table(title=name, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        header = column.replace("_", " ")
        table.add_column(
            header,
            justify="left" if any(isinstance(row[column], str) for row in rows) else "right",
            min_width=max(map(len, header.split())),
            overflow="fold",
        )
    for row in rows:
        table.add_row(*(Text(_cell(row[column])) for column in columns))
    return table


def say(sentence: str = "") -> None:
    """Tell a person what is going on, on standard error."""
    ERR.print(Text(plain(sentence)), soft_wrap=True)


def busy(doing: str) -> AbstractContextManager[Any]:
    """Show on a terminal that something takes its time."""
    return ERR.status(doing)


def plain(text: str) -> str:
    """Text without control characters: a name must not move the cursor or start a new line."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}".replace(",", " ")
    if isinstance(value, float):
        return "-" if math.isnan(value) else f"{value:.2f}"
    return plain(str(value))


def as_rows(rows: Iterable[Any]) -> list[dict[str, Any]]:
    """Spark rows as dictionaries."""
    return [row.asDict(recursive=True) for row in rows]
