"""Files of snapshots to DataFrames."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from spark.errors import UnreadableError, first_line
from spark.files.literal import LITERAL, is_not_there

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
