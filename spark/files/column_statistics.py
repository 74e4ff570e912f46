"""How often values occur in a file, as its manifest tells, so that nobody opens it for that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import reduce
from operator import add

from spark.files.source import Cells

MOST = 500
"""So many combinations of values are told; who wants to know of more has to open the file."""

Columns = tuple[str, ...]
"""Columns of texts, of which combinations of values are counted."""

ColumnStatistics = Mapping[str, Collection[Columns]]
"""By table what a manifest is to tell of its files."""

NOTHING: ColumnStatistics = {}

ToldCells = Mapping[str, Sequence[Sequence[str | int | None]]]
"""By the names of columns, with commas between them: the values of each combination, and how often
it occurs."""


def column_statistics(counted: Mapping[Columns, Counter[Cells]]) -> ToldCells:
    """What a manifest says of what was counted in a file."""
    return {
        ",".join(columns): sorted(
            ([*map(_text, cells), count] for cells, count in of.items()), key=repr
        )
        for columns, of in counted.items()
        if len(of) <= MOST
    }


def cells_told(told: Collection[ToldCells], columns: Columns) -> Counter[Cells] | None:
    """The same again, of several files together; None unless all of them tell it."""
    key = ",".join(columns)
    if any(key not in item for item in told):
        return None
    return reduce(add, (_counter(item[key]) for item in told), Counter())


def _counter(rows: Sequence[Sequence[str | int | None]]) -> Counter[Cells]:
    return Counter({tuple(map(_bytes, cells)): int(count or 0) for *cells, count in rows})


def _text(value: bytes | None) -> str | None:
    """Bytes that are no UTF-8 are kept as well: JSON escapes what stands for them."""
    return None if value is None else value.decode("utf-8", "surrogateescape")


def _bytes(text: str | int | None) -> bytes | None:
    return None if text is None else str(text).encode("utf-8", "surrogateescape")
