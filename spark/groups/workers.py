"""A fleet's rows become groups in Python workers, then results; no group stops another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from spark.groups.columns import Cells, Row, batch_of, schema_of
from spark.groups.cut import groups_of
from spark.groups.encoded_row import EncodedRow
from spark.groups.memory import portions
from spark.groups.outlive import outlived
from spark.groups.rows import SPAN, Columns, parts_in, parts_of, start_of_last

if TYPE_CHECKING:
    import pandas as pd

TABLE_ROWS = 50_000
"""Of a table that is cut into groups at once, unless a single group has more."""

ROWS = 1000
"""Of a frame that a worker hands back, where a group has many rows."""

RowsOf = Callable[[Any], Iterable[Any]]
"""Makes rows of a list of encoded rows."""


def in_workers(
    encoded: DataFrame,
    row: type[Row] | StructType,
    rows_of: RowsOf,
    only_fleet: bool = True,
    in_frames: bool = False,
) -> DataFrame:
    """The rows that `rows_of` makes of `spark.groups.encode`'s groups, of some at a time.

    They are of a class, or tuples in the order of columns. Without `only_fleet` they are also of
    groups of further parts alone; of a history they are made of one group at a time, of all of its
    rows in order of time. Workers get batches of Arrow's, or with `in_frames` frames of pandas.
    """
    schema = row if isinstance(row, StructType) else schema_of(row)

    def cells_of(groups: Any) -> Iterable[Cells]:
        return (made.cells() if isinstance(made, Row) else made for made in rows_of(groups))

    parts = parts_of(encoded)
    # pandas makes nulls of what is no number, also where Spark knows of none
    shape = pa.schema([field.with_nullable(True) for field in to_arrow_schema(encoded.schema)])

    def work(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for rows in _in_tables(parts, batches):
            wanted = [row for row in rows if row.is_there or not only_fleet]
            groups = [[*of] for _, of in groupby(wanted, lambda row: (row.cluster, row.group))]
            for portion in ([group] for group in groups) if SPAN in parts else portions(groups):
                cells = iter(outlived(portion, cells_of))
                while chunk := [*islice(cells, ROWS)]:
                    yield batch_of(chunk, schema)

    def work_in_frames(frames: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        batches = (pa.RecordBatch.from_pandas(frame, shape) for frame in frames)
        return map(_frame, work(batches))

    if in_frames:
        return encoded.mapInPandas(work_in_frames, schema)
    return encoded.mapInArrow(work, schema)


def _in_tables(parts: Columns, batches: Iterable[pa.RecordBatch]) -> Iterator[list[EncodedRow]]:
    """The groups of a task's rows, some at a time.

    A table that is cut has all rows of each of its groups; one is in memory at once.
    """
    waiting: list[pa.Table] = []
    for batch in batches:
        waiting.append(pa.Table.from_batches([batch]))
        if sum(table.num_rows for table in waiting) >= TABLE_ROWS:
            whole = pa.concat_tables(waiting)
            end = start_of_last(whole)
            waiting = [whole.slice(end)]
            if end:
                yield groups_of(parts_in(whole.slice(0, end), parts))
    if waiting:
        yield groups_of(parts_in(pa.concat_tables(waiting), parts))


def _frame(batch: pa.RecordBatch) -> pd.DataFrame:
    """The same columns of Arrow's in a frame, which copies none."""
    import pandas as pd  # noqa: PLC0415 - only workers have frames, and it loads slowly

    return batch.to_pandas(types_mapper=pd.ArrowDtype)
