"""Sentences put together by Spark: each function gives the SQL text of an expression.

SQL text and no Columns: of these each call would be several messages to Spark's own process.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from spark.text import shortened_in_sql

_BLANK = re.compile(r"\{(\w+)\}")


def sentence(template: str, **words: str) -> str:
    """The template with its {blanks} filled: by the expression in `words`, or else a column.

    Long names are shortened.
    """
    run = ", ".join(_pieces(template, words))
    short = f"transform(array({run}), piece -> {shortened_in_sql('piece')})"
    return f"array_join({short}, '')"


def filled(template: str, **words: str) -> str:
    """The same with all names in full, as data has them."""
    return f"concat({', '.join(_pieces(template, words))})"


def _pieces(template: str, words: dict[str, str]) -> Iterator[str]:
    """The SQL text of each piece of a template."""
    for at, piece in enumerate(_BLANK.split(template)):
        if at % 2:
            text = words.get(piece, f"`{piece}`")
            yield f"coalesce(cast({text} as string), '?')"
        elif piece:
            yield quoted(piece)


def quoted(text: str) -> str:
    """A literal."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def counted(number: str, noun: str) -> str:
    """`1 partition`, `2 partitions`."""
    return f"concat(format_number({number}, 0), if({number} = 1, ' {noun}', ' {noun}s'))"


def decimal(number: str) -> str:
    """With one digit after the point."""
    return f"format_string('%.1f', cast({number} as double))"


def percent(share: str) -> str:
    """A share between 0 and 1 in per cent, rounded down: what isn't all never reads 100 %."""
    return f"concat(floor(100 * ({share})), ' %')"
