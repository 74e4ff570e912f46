"""Sentences put together by Spark: each function gives the SQL text of an expression.

SQL text and no Columns: of these each call would be several messages to Spark's own process.
"""

from __future__ import annotations

import re

_BLANK = re.compile(r"\{(\w+)\}")


def sentence(template: str, **words: str) -> str:
    """The template with its {blanks} filled: by the expression in `words`, or else a column."""
    pieces = _BLANK.split(template)
    filled = [
        f"coalesce(cast({words.get(piece, f'`{piece}`')} as string), '?')"
        if at % 2
        else quoted(piece)
        for at, piece in enumerate(pieces)
        if piece
    ]
    return f"concat({', '.join(filled)})"


def quoted(text: str) -> str:
    """A literal."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def counted(number: str, noun: str) -> str:
    """`1 partition`, `2 partitions`."""
    return f"concat({number}, if({number} = 1, ' {noun}', ' {noun}s'))"


def decimal(number: str) -> str:
    """With one digit after the point."""
    return f"format_string('%.1f', cast({number} as double))"


def percent(share: str) -> str:
    """A share between 0 and 1 in per cent, rounded down: what isn't all never reads 100 %."""
    return f"concat(floor(100 * ({share})), ' %')"
