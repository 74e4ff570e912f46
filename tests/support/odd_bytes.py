"""Parquet files with strings that aren't valid UTF-8, as a careless writer leaves them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from spark.fleet.local_store import SCHEMAS
from spark.fleet.schemas import TABLES
from tests.support.fleets import SNAPSHOT, Fleet


def odd(raw: bytes) -> str:
    """A name of these bytes, for a `Fleet` that `write_odd_store` writes."""
    return raw.decode("utf-8", "surrogateescape")


def write_odd_store(fleet: Fleet, store: Path) -> Path:
    """Write the fleet's tables with the bytes that its names stand for; gives the store back."""
    for name, rows in fleet.rows.items():
        if rows or TABLES[name].required:
            folder = store / name / f"snapshot={SNAPSHOT}"
            folder.mkdir(parents=True)
            columns = {
                field.name: _column([row.get(field.name) for row in rows], field.type)
                for field in SCHEMAS[name]
            }
            pq.write_table(pa.table(columns), folder / "part-0.parquet")
    return store


def _column(cells: Sequence[Any], kind: pa.DataType) -> pa.Array:
    if pa.types.is_string(kind):
        return _strings(cells)
    if pa.types.is_list(kind) and pa.types.is_string(kind.value_type):
        ends = [0]
        for cell in cells:
            ends.append(ends[-1] + len(cell or ()))
        return pa.ListArray.from_arrays(
            ends, _strings([item for cell in cells for item in cell or ()])
        )
    return pa.array(cells, kind)


def _strings(names: Sequence[str | None]) -> pa.Array:
    """The bytes as they are: Arrow looks at none of them."""
    raw = [None if name is None else name.encode("utf-8", "surrogateescape") for name in names]
    result = pa.array(raw, pa.binary())
    return pa.Array.from_buffers(pa.string(), len(result), result.buffers(), result.null_count)
