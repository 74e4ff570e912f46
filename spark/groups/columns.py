"""Rows of Spark's as dataclasses: their fields are the columns, and tell the types."""

from collections import namedtuple
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, get_type_hints

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import types as t
from pyspark.sql.pandas.types import to_arrow_schema

Text = Annotated[str | None, t.StringType()]
Flag = Annotated[bool | None, t.BooleanType()]
Int = Annotated[int | None, t.IntegerType()]
Long = Annotated[int | None, t.LongType()]
Real = Annotated[float | None, t.DoubleType()]
Bytes = Annotated[bytes | None, t.BinaryType()]
Texts = Annotated[Any, t.ArrayType(t.StringType())]
Ints = Annotated[NDArray[Any] | None, t.ArrayType(t.IntegerType())]
Tinies = Annotated[NDArray[Any] | None, t.ArrayType(t.ByteType())]

BY_NAME = {
    of.simpleString(): of for of in (t.BooleanType(), t.IntegerType(), t.LongType(), t.DoubleType())
}
"""Types as the optimizer's rows name them."""


def struct_of(**types: t.DataType) -> t.StructType:
    """The type of a cell with these columns."""
    return t.StructType([t.StructField(name, of) for name, of in types.items()])


Cells = tuple[Any, ...]
"""A row's values, in the order of the columns."""


@dataclass(slots=True, kw_only=True)
class Row:
    """A row; its subclasses' fields have the types above."""

    def cells(self) -> Cells:
        """The values, in the order of the columns."""
        return tuple([getattr(self, name) for name in self.__dataclass_fields__])


@dataclass(slots=True, kw_only=True)
class RowOfGroup(Row):
    """A row about one group."""

    cluster: Text
    group: Text


@dataclass(slots=True, kw_only=True)
class Outcome(RowOfGroup):
    """A row about what came of a group; `reason` says why there is nothing more."""

    status: Text
    reason: Text = None


def columns_of(row: type[Row]) -> tuple[str, ...]:
    """The names of a row's columns, in their order."""
    return tuple(row.__dataclass_fields__)


def schema_of(row: type[Row]) -> t.StructType:
    """The schema of such rows; every column may be null."""
    hints = get_type_hints(row, include_extras=True)
    types = {name: hints[name].__metadata__[0] for name in columns_of(row)}
    return struct_of(**{name: BY_NAME.get(of, of) for name, of in types.items()})


def batch_of(rows: Sequence[Cells], schema: t.StructType) -> pa.RecordBatch:
    """Rows, one at least, as a batch of Arrow's; `schema` is theirs. NaN becomes null."""
    of_arrow = to_arrow_schema(schema)
    columns = zip(*rows, strict=True)
    return pa.RecordBatch.from_arrays(list(map(_column, columns, of_arrow.types)), schema=of_arrow)


def rows_of(batch: pa.RecordBatch) -> Iterator[Any]:
    """The rows of a batch of Arrow's, as named tuples."""
    columns = (column.to_pylist() for column in batch.columns)
    return map(row_type(tuple(batch.schema.names)), *columns)


@cache
def row_type(names: tuple[str, ...]) -> Any:
    """A class of rows with these columns."""
    return namedtuple("EncodedRow", names)


def _column(cells: Sequence[Any], of: pa.DataType) -> pa.Array:
    """A column; lists of numbers become one array first, which Arrow takes fifty times faster."""
    are_numbers = pa.types.is_list(of) and pa.types.is_integer(of.value_type)
    if not are_numbers or any(cell is None for cell in cells):
        return pa.array(cells, of, from_pandas=True)
    offsets = pa.array(np.cumsum([0, *map(len, cells)]), pa.int32())
    numbers = np.concatenate(cells, dtype=of.value_type.to_pandas_dtype(), casting="same_kind")
    return pa.ListArray.from_arrays(offsets, pa.array(numbers, of.value_type), type=of)
