"""Parquet files: what their footers tell, their values counted, and written with a checksum."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from pyarrow import fs
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import DataFrame, SparkSession, types as t
from pyspark.sql.pandas.types import from_arrow_type

from spark.errors import UnreadableError, first_line
from spark.store.columns import codes_of, texts
from spark.store.manifest import Columns, File, column_statistics
from spark.store.source import Cells

UNREADABLE = (OSError, pa.ArrowException, TypeError, KeyError)
"""Errors of Arrow's about a file that is broken, or that has something else in it."""

ROWS_A_FILE = 250_000
"""Small enough that a large table comes as several files, which Spark reads in parallel."""

NAMES = ("cluster", "group", "topic", "member_id", "previous_member_id")
"""Columns whose dictionaries outgrow their limit: looking each value up in one takes a third of the
time of writing. Sorted as they are, the compressor finds what repeats by itself."""

CHECKED = {"__globPaths__": "false", "parquet.page.verify-checksum.enabled": "true"}
"""Options of a reader that takes paths for names, and no page whose bytes aren't those written."""


def read_files(
    session: SparkSession,
    table: str,
    paths: Sequence[str],
    schema: t.StructType | None = None,
    options: Mapping[str, str] = MappingProxyType({}),
) -> DataFrame:
    """The rows of a table's files; UnreadableError if one is broken, or Spark doesn't see it.

    Where the `schema` isn't known, Spark reads a file for it; `options` are further ones of its.
    """
    reader = session.read.options(**CHECKED | dict(options))
    try:
        rows = (reader.schema(schema) if schema else reader).parquet(*paths)
        _ = rows.schema  # Spark Connect reads nothing before it is asked for something
        return rows
    except Exception as error:  # what Java throws about a broken file has no class in PySpark
        is_missing = isinstance(error, AnalysisException) and (
            error.getCondition() == "PATH_NOT_FOUND"
        )
        why = "it is gone, or Spark doesn't see that folder" if is_missing else first_line(error)
        raise UnreadableError(f"table {table} can't be read from {paths[0]}: {why}") from None


OF_SPARK = b"org.apache.spark.sql.parquet.row.metadata"
"""Where Spark keeps the schema of the rows that it writes."""


_UNSIGNED: dict[str, t.DataType] = {
    **{"uint8": t.ShortType(), "uint16": t.IntegerType()},
    **{"uint32": t.LongType(), "uint64": t.DecimalType(20, 0)},
}
"""Types that Spark reads unsigned numbers as."""


class Footers(NamedTuple):
    """The schema of the first of some files, the columns without a null in any, and their rows.

    A type that Spark doesn't have is a `UserDefinedType`.
    """

    schema: t.StructType
    without_nulls: frozenset[str]
    rows: int = 0

    @staticmethod
    def of(metadata: Sequence[pq.FileMetaData]) -> Footers:
        """Read these footers, of which there is one at least."""
        complete = frozenset.intersection(*(frozenset(_without_nulls(of)) for of in metadata))
        return Footers(_schema(metadata[0]), complete, sum(of.num_rows for of in metadata))

    @property
    def is_known(self) -> bool:
        """Whether Spark has all these types."""
        return not any(isinstance(_element(of.dataType), t.UserDefinedType) for of in self.schema)


def _schema(footer: pq.FileMetaData) -> t.StructType:
    with suppress(KeyError, ValueError, PySparkException):  # written by others, or not for Spark
        return t.StructType.fromJson(json.loads((footer.metadata or {})[OF_SPARK]))
    return t.StructType(
        [t.StructField(of.name, _type(of.type)) for of in footer.schema.to_arrow_schema()]
    )


def _type(kind: pa.DataType) -> t.DataType:
    if pa.types.is_dictionary(kind):
        return _type(kind.value_type)
    if pa.types.is_list(kind):
        return t.ArrayType(_type(kind.value_type))
    if str(kind) in _UNSIGNED:
        return _UNSIGNED[str(kind)]
    try:
        return from_arrow_type(kind)
    except PySparkException:
        return t.UserDefinedType()


def _element(kind: t.DataType) -> t.DataType:
    return _element(kind.elementType) if isinstance(kind, t.ArrayType) else kind


def _without_nulls(footer: pq.FileMetaData) -> Iterator[str]:
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


# Values.


@dataclass(frozen=True)
class ValueFilter:
    """Values of a column of texts: these bytes, what else `also` knows, and nulls if `null`."""

    names: frozenset[bytes]
    also: Callable[[bytes], bool] | None = None
    null: bool = False

    def has(self, value: bytes | None) -> bool:
        if value is None:
            return self.null
        return value in self.names or (self.also is not None and self.also(value))

    def may_be_in(self, statistics: Any) -> bool:
        """Whether a column may have such a value, by what its file tells of it."""
        if self.also or statistics is None or not statistics.has_min_max:
            return True
        if self.null and statistics.null_count != 0:
            return True
        return any(statistics.min_raw <= name <= statistics.max_raw for name in self.names)


def _statistics(group: Any) -> dict[str, Any]:
    """The statistics of each column of a row group."""
    columns = map(group.column, range(group.num_columns))
    return {column.path_in_schema: column.statistics for column in columns}


def may_have(group: Any, wanted: Mapping[str, ValueFilter]) -> bool:
    statistics = _statistics(group)
    return all(
        values_wanted.may_be_in(statistics.get(name)) for name, values_wanted in wanted.items()
    )


def matching_rows(keys: pa.Table, wanted: Mapping[str, ValueFilter]) -> NDArray[np.bool_]:
    """Rows that have wanted values in all of these columns."""
    fits = np.ones(len(keys), np.bool_)
    for name, wanted_values in wanted.items():
        if name not in keys.column_names:
            fits &= wanted_values.null
            continue
        codes, names = codes_of(texts(keys[name]))
        fits &= np.array([wanted_values.has(value) for value in names], np.bool_)[codes]
    return fits


def cells_of(file: pq.ParquetFile, columns: Columns) -> Counter[Cells]:
    """How often each combination of values of these columns of texts is in a file."""
    counts: Counter[Cells] = Counter()
    for number in range(file.num_row_groups):
        counts.update(_cells_of(file, number, columns))
    return counts


def _cells_of(file: pq.ParquetFile, number: int, columns: Columns) -> Counter[Cells]:
    """How often each combination of values of these columns is in a row group."""
    group = file.metadata.row_group(number)
    statistics = _statistics(group)
    rows = group.num_rows
    combined, cells = np.zeros(rows, np.int64), [Cells()]
    names: list[bytes | None]
    for name in columns:
        if name not in file.schema_arrow.names:
            codes, names = np.zeros(rows, np.int64), [None]
        elif (only_value := _only_value(statistics.get(name))) is not None:
            codes, names = np.zeros(rows, np.int64), [only_value]
        else:
            codes, names = codes_of(texts(file.read_row_group(number, [name])[name]))
        pairs, combined = np.unique(combined * len(names) + codes, return_inverse=True)
        cells = [(*cells[p // len(names)], names[p % len(names)]) for p in pairs.tolist()]
    return (
        Counter(dict(zip(cells, np.bincount(combined).tolist(), strict=True)))
        if rows
        else Counter()
    )


def _only_value(statistics: Any) -> bytes | None:
    """The one text that a column has throughout, if its file tells so."""
    if statistics is None or not (statistics.has_min_max and statistics.has_null_count):
        return None
    low = statistics.min_raw
    same = statistics.null_count == 0 and low == statistics.max_raw
    return low if same and isinstance(low, bytes) else None


# Writing.


def write_file(
    path: str,
    run: str,
    tables: Iterable[pa.Table],
    schema: pa.Schema,
    statistics: Iterable[Columns] = (),
    system: fs.FileSystem | None = None,
) -> File:
    """Write tables as one file of a run, and tell what it is; it is on the disk when this returns.

    The checksum is that of the bytes as they were made, not as a disk has them.
    """
    sink = pa.BufferOutputStream()
    dictionaries = [name for name in schema.names if name not in NAMES]
    with pq.ParquetWriter(
        sink,
        schema,
        compression="zstd",
        compression_level=1,
        use_dictionary=dictionaries,
        write_page_checksum=True,
    ) as writer:
        for table in tables:
            writer.write_table(table)
    content = sink.getvalue()
    if system:
        system.create_dir(path.rpartition("/")[0])
        with system.open_output_stream(path) as remote:
            remote.write(content)
    else:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        with Path(path).open("xb") as local:
            local.write(content)
            local.flush()
            os.fsync(local.fileno())
    with pq.ParquetFile(content) as file:
        rows = file.metadata.num_rows
        cells = column_statistics({columns: cells_of(file, columns) for columns in statistics})
    name = path.rpartition("/")[2]
    return File(name, run, content.size, rows, f"{crc32(content):08x}", cells)
