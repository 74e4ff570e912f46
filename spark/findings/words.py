"""Sentences put together by Spark."""

from __future__ import annotations

import re

from pyspark.sql import Column
from pyspark.sql import functions as F

_BLANK = re.compile(r"\{(\w+)\}")


def sentence(template: str, **words: Column) -> Column:
    """The template with its {blanks} filled from `words`, or else from columns of that name."""
    pieces = _BLANK.split(template)
    filled = [
        F.coalesce(words.get(piece, F.col(piece)).cast("string"), F.lit("?"))
        if at % 2
        else F.lit(piece)
        for at, piece in enumerate(pieces)
        if piece
    ]
    return F.concat(*filled)


def counted(number: Column | str, noun: str) -> Column:
    """`1 partition`, `2 partitions`."""
    count = F.col(number) if isinstance(number, str) else number
    return F.concat(count.cast("string"), F.when(count == 1, f" {noun}").otherwise(f" {noun}s"))


def decimal(number: Column) -> Column:
    """With one digit after the point."""
    return F.format_string("%.1f", number.cast("double"))


def percent(share: Column) -> Column:
    """A share between 0 and 1 in per cent, rounded down: what isn't all never reads 100 %."""
    return F.concat(F.floor(share * 100).cast("string"), F.lit(" %"))
