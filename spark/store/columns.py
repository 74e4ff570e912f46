"""Columns of Arrow as numbers and bytes.

Of all that Arrow can do only what doesn't load pandas, which takes longer than a small store.
"""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

INT = np.iinfo(np.int32)

NULL = np.iinfo(np.int64).min
"""Stands for a null among whole numbers, and for what an int can't hold."""


TEXTS = {
    *(pa.string(), pa.large_string(), pa.string_view()),
    *(pa.binary(), pa.large_binary(), pa.null()),
}
"""Types of columns of texts; names needn't be valid UTF-8."""


def texts(column: pa.ChunkedArray) -> pa.Array:
    """A column of strings as their bytes, valid or not; TypeError if it has none."""
    array = as_one(column)
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if array.type not in TEXTS:
        raise TypeError(f"{array.type} instead of string")
    return array.cast(pa.binary())


def codes_of(array: pa.Array) -> tuple[NDArray[np.int64], list[Any]]:
    """The different values of an array, a null among them, and which of them each value is."""
    encoded = array.dictionary_encode(null_encoding="encode")
    return numbers_in(encoded.indices).astype(np.int64), encoded.dictionary.to_pylist()


def whole_numbers(column: pa.ChunkedArray) -> NDArray[np.int64]:
    """A column of ints; TypeError if it has none."""
    array = as_one(column)
    if pa.types.is_null(array.type):
        return np.full(len(array), NULL)
    if not pa.types.is_integer(array.type):
        raise TypeError(f"{array.type} instead of int")
    numbers = numbers_in(array)
    held = is_there(array) & (numbers >= INT.min) & (numbers <= INT.max)
    return np.where(held, numbers.astype(np.int64), NULL)


def is_there(array: pa.Array) -> NDArray[np.bool_]:
    """Values of an array that aren't null, as a mask."""
    valid = array.buffers()[0]
    if pa.types.is_null(array.type) or valid is None:
        return np.full(len(array), not pa.types.is_null(array.type))
    bits = np.unpackbits(np.frombuffer(valid, np.uint8), bitorder="little")
    return bits[array.offset : array.offset + len(array)].astype(np.bool_)


def take(table: pa.Table, rows: NDArray[Any]) -> pa.Table:
    """The rows of a table that a mask chooses, or that are numbered so."""
    numbers = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
    indices = np.ascontiguousarray(numbers, np.int64)
    return table.take(
        pa.Array.from_buffers(pa.int64(), len(indices), [None, pa.py_buffer(indices)])
    )


def as_one(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    if isinstance(column, pa.Array):
        return column
    whole = column.combine_chunks()
    return whole if isinstance(whole, pa.Array) else pa.concat_arrays(whole.chunks)


def numbers_in(array: pa.Array) -> NDArray[Any]:
    """The values of an array of whole numbers; where it has nulls they are anything."""
    kind = f"{'u' if str(array.type).startswith('u') else ''}int{array.type.bit_width}"
    buffer = array.buffers()[1]
    numbers = np.frombuffer(buffer, kind) if buffer else np.empty(0, kind)
    return numbers[array.offset : array.offset + len(array)]
