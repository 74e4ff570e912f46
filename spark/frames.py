"""Polars in Spark's workers: one thread each, and what comes and goes as batches of Arrow.

A process that has used polars can't be copied any more: whoever uses it in the copy waits for
threads that the copy lacks, for ever. So the driver may import it and use none of it, and what runs
in a copy of a worker (`optimizer.process_copy`) keeps away from it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from spark.fleet import spell

ONE_THREAD = ("POLARS_MAX_THREADS", "1")
"""An environment variable: Spark has a worker for each core."""


def by_polars(rows: DataFrame, function: str, schema: str, *options: Any) -> DataFrame:
    """Rows that a function makes of those of each task that has any: a frame of one.

    `function` is `module:name`, so that the driver needs no polars; it gets the rows and these
    options. `schema` is SQL text on the columns that it makes. Texts come as categories, spelled
    as `escape` does.
    """
    columns = StructType.fromDDL(schema)
    assert isinstance(columns, StructType)
    of_arrow = to_arrow_schema(columns)

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        if filled := [batch for batch in batches if batch.num_rows]:
            frame = call(function, _with_categories(pa.Table.from_batches(filled)), *options)
            polars = import_module("polars")
            # without views, which Spark can't read
            oldest = polars.CompatLevel.oldest()
            yield from frame.to_arrow(compat_level=oldest).cast(of_arrow).to_batches()

    return rows.mapInArrow(work, schema)


def _with_categories(rows: pa.Table) -> pa.Table:
    """Few texts are those of many rows: each is looked at once, whether it is valid UTF-8."""
    for place, column in enumerate(rows.columns):
        if pa.types.is_string(column.type):
            coded = column.cast(pa.binary()).combine_chunks().dictionary_encode()
            names = pa.array(map(spell, coded.dictionary.to_pylist()), pa.string())
            categories = pa.DictionaryArray.from_arrays(coded.indices, names)
            rows = rows.set_column(place, rows.field(place).name, categories)
    return rows


def call(function: str, rows: pa.Table, *options: Any) -> Any:
    """Call a function on a table, which it gets as a frame, in this process."""
    os.environ.setdefault(*ONE_THREAD)
    polars = import_module("polars")
    module, _, name = function.partition(":")
    return getattr(import_module(module), name)(polars.from_arrow(rows), *options)
