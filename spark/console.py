"""What a command prints: tables for people, JSON for programs."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from enum import StrEnum
from typing import Any

from rich.box import SIMPLE
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


def show(tables: Mapping[str, Rows], form: Format, columns: Sequence[str] = ()) -> None:
    """Print tables by name: as one JSON object, or for people, then only `columns` if stated."""
    if form is Format.JSON:
        print(json.dumps(tables, ensure_ascii=False, indent=2, default=str))
        return
    for name, rows in tables.items():
        OUT.print(_table(name, rows, columns or (list(rows[0]) if rows else [])))


def _table(name: str, rows: Rows, columns: Sequence[str]) -> Table:
    table = Table(title=name, title_justify="left", box=SIMPLE, padding=(0, 1))
    for column in columns:
        text = any(isinstance(row[column], str) for row in rows)
        table.add_column(
            column.replace("_", " "),
            justify="left" if text else "right",
            no_wrap=column == columns[0],
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
