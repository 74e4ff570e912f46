"""Encoded groups become rows in Python workers, portion by portion, and no group stops another."""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, groupby, islice
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.types import StructType

from spark.groups.batches import portions, rows_of as rows_of_batch
from spark.groups.columns import Cells, Row, batch_of, schema_of
from spark.groups.outlive import outlived, outlived_in_time

ROWS = 1000
"""Of a batch that a worker hands back, where a group has many rows."""

Batches = Iterator[pa.RecordBatch]
CellsOf = Callable[[Any], Iterable[Cells]]
"""Makes rows, as tuples in the order of the columns, of a list of encoded rows."""

RowsOf = Callable[[Any], Iterable[Row]]
"""Makes rows of a list of encoded rows."""


def in_workers(encoded: DataFrame, row: type[Row], rows_of: RowsOf) -> DataFrame:
    """The rows that `rows_of` makes of `spark.groups.encode`'s, of some groups at a time."""
    return cells_in_workers(encoded, schema_of(row), _cells(rows_of))


def cells_in_workers(encoded: DataFrame, schema: StructType, cells_of: CellsOf) -> DataFrame:
    """The same where rows are tuples."""

    def work(batches: Batches) -> Batches:
        for groups in portions(map(rows_of_batch, batches)):
            if cells := outlived(groups, cells_of):
                yield batch_of(cells, schema)

    return encoded.mapInArrow(work, schema)


def in_workers_by_group(encoded: DataFrame, row: type[Row], rows_of: RowsOf) -> DataFrame:
    """The same for a group with several encoded rows, sorted: `rows_of` gets one group's rows.

    One batch is in memory at a time.
    """
    schema, cells_of = schema_of(row), _cells(rows_of)

    def work(batches: Batches) -> Batches:
        rows = chain.from_iterable(portions(map(rows_of_batch, batches)))
        groups = (group for _, group in groupby(rows, key=lambda row: (row.cluster, row.group)))
        cells = outlived_in_time(groups, cells_of)
        while items := [*islice(cells, ROWS)]:
            yield batch_of(items, schema)

    return encoded.mapInArrow(work, schema)


def _cells(rows_of: RowsOf) -> CellsOf:
    return lambda groups: (row.cells() for row in rows_of(groups))
