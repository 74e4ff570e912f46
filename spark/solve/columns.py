"""Rows of Spark's as dataclasses: their fields are the columns, and tell the types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, get_type_hints

from numpy.typing import NDArray
from pyspark.sql import types as t

Text = Annotated[str | None, t.StringType()]
Flag = Annotated[bool | None, t.BooleanType()]
Int = Annotated[int | None, t.IntegerType()]
Long = Annotated[int | None, t.LongType()]
Real = Annotated[float | None, t.DoubleType()]
Bytes = Annotated[bytes | None, t.BinaryType()]
Texts = Annotated[Any, t.ArrayType(t.StringType())]
Ints = Annotated[NDArray[Any] | None, t.ArrayType(t.IntegerType())]
Tinies = Annotated[NDArray[Any] | None, t.ArrayType(t.ByteType())]


@dataclass(slots=True, kw_only=True)
class Row:
    """A row; its subclasses' fields have the types above."""

    def cells(self) -> tuple[Any, ...]:
        """The values, in the order of the columns."""
        return tuple([getattr(self, name) for name in self.__dataclass_fields__])


def columns_of(row: type[Row]) -> tuple[str, ...]:
    """The names of a row's columns, in their order."""
    return tuple(row.__dataclass_fields__)


def schema_of(row: type[Row]) -> t.StructType:
    """The schema of such rows; every column may be null."""
    hints = get_type_hints(row, include_extras=True)
    return t.StructType(
        [t.StructField(name, hints[name].__metadata__[0]) for name in columns_of(row)]
    )
