"""What Parquet files say of themselves, in their footers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.errors import PySparkException
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

OF_SPARK = b"org.apache.spark.sql.parquet.row.metadata"
"""Where Spark keeps the schema of the rows that it writes."""


class Footers(NamedTuple):
    """The schema of the first of some files, and the columns that have no null in any of them."""

    schema: StructType
    without_nulls: frozenset[str]


def footers_of(paths: Sequence[str]) -> Footers | None:
    """What these files say; None where Spark has to look, since that can't be told here."""
    try:
        result = [pq.read_metadata(path) for path in paths]
        if not result:
            return None
        complete = frozenset.intersection(*(frozenset(without_nulls(item)) for item in result))
        return Footers(_schema(result[0]), complete)
    except (OSError, ValueError, pa.ArrowException, PySparkException):
        return None


def _schema(footer: pq.FileMetaData) -> StructType:
    kept = (footer.metadata or {}).get(OF_SPARK)
    if kept:
        return StructType.fromJson(json.loads(kept))
    return from_arrow_schema(footer.schema.to_arrow_schema())


def without_nulls(footer: pq.FileMetaData) -> Iterator[str]:
    """The columns of a file whose statistics count no null."""
    groups = [footer.row_group(at) for at in range(footer.num_row_groups)]
    for at in range(footer.num_columns):
        name = footer.schema.column(at).path
        statistics = [group.column(at).statistics for group in groups]
        if all(
            statistic and statistic.has_null_count and statistic.null_count == 0
            for statistic in statistics
        ):
            yield name
