"""Files of snapshots to DataFrames, and what Parquet files say of themselves in their footers."""

import json
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from spark.errors import UnreadableError, first_line

LITERAL = {"__globPaths__": "false"}
"""Option of Spark's readers of files that takes paths for names."""


def is_not_there(error: Exception) -> bool:
    """Whether Spark says that it found no such path."""
    return isinstance(error, AnalysisException) and error.getCondition() == "PATH_NOT_FOUND"


CHECKED = LITERAL | {"parquet.page.verify-checksum.enabled": "true"}
"""Options of a reader that takes no page whose bytes aren't those that were written."""


class Parts(NamedTuple):
    """What one table of a snapshot is read from: folders or files, all of the same columns.

    `notes` tell of files that another program has changed since they were written.
    """

    paths: tuple[str, ...]
    notes: tuple[str, ...] = ()


def read_parts(
    session: SparkSession,
    table: str,
    parts: Parts,
    schema: StructType | None = None,
    options: Mapping[str, str] = MappingProxyType({}),
) -> DataFrame | None:
    """The rows of a table; None when it isn't there any more, UnreadableError if it is broken.

    Where the `schema` isn't known, Spark reads a file for it; `options` are further ones of its.
    """
    reader = session.read.options(**CHECKED | dict(options))
    try:
        rows = (reader.schema(schema) if schema else reader).parquet(*parts.paths)
        _ = rows.schema  # Spark Connect reads nothing before it is asked for something
        return rows
    except Exception as error:  # what Java throws about a broken file has no class in PySpark
        if is_not_there(error):
            return None
        raise UnreadableError(
            f"table {table} can't be read from {parts.paths[0]}: {first_line(error)}"
        ) from None


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
