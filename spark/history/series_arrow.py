"""Columns of Arrow as arrays of numpy and back, and whole tables as bytes that Spark keeps.

Of all that Arrow can do only what doesn't load pandas, which takes a worker longer than its rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from optimizer.model import IntArray

Mask = NDArray[np.bool_]


UNKNOWN = -1
"""Stands for an offset, a lag, a name or a row that isn't known: none of these is negative."""


class Coded(NamedTuple):
    """A column of texts: which of `names` each row has, or UNKNOWN."""

    codes: IntArray
    names: pa.Array

    def at(self, rows: NDArray[Any]) -> Coded:
        """Those rows."""
        return Coded(self.codes[rows], self.names)

    def array(self) -> pa.Array:
        """The column; null where a text isn't known."""
        return self.names.take(array_of(self.codes, pa.int64(), self.codes >= 0))


def coded_column(table: pa.Table, name: str) -> Coded:
    """A column of texts, or of such that are told by their places among others."""
    column = table[name]
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    whole = column.unify_dictionaries().combine_chunks()
    array = whole if isinstance(whole, pa.Array) else whole.chunk(0)
    return Coded(_filled(array.indices).astype(np.int64), array.dictionary)


def number_column(table: pa.Table, name: str) -> IntArray:
    """A column of whole numbers; what is null is UNKNOWN."""
    return np.concatenate(
        [np.empty(0, np.int64), *(_filled(chunk) for chunk in table[name].chunks)],
        dtype=np.int64,
        casting="unsafe",
    )


def array_of(values: NDArray[Any], kind: pa.DataType, is_known: Mask | None = None) -> pa.Array:
    """Numbers or truths as an array of Arrow's; null where they aren't known."""
    bits = None if is_known is None else _bits(is_known)
    data = _bits(values) if pa.types.is_boolean(kind) else pa.py_buffer(_typed(values, kind))
    return pa.Array.from_buffers(kind, len(values), [bits, data])


def bytes_column(values: Sequence[bytes]) -> pa.Array:
    """A column of bytes."""
    offsets = np.cumsum([0, *map(len, values)], dtype=np.int32)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(values))]
    return pa.Array.from_buffers(pa.binary(), len(values), buffers)


def text_column(values: Sequence[str]) -> pa.Array:
    """A column of texts."""
    return bytes_column([value.encode("utf-8", "surrogateescape") for value in values]).cast(
        pa.string(), safe=False
    )


def list_column(counts: IntArray, children: Mapping[str, pa.Array]) -> pa.Array:
    """A column of lists, each of that number of structs, which follow each other."""
    offsets = np.append(0, counts.cumsum()).astype(np.int32)
    structs = pa.StructArray.from_arrays([*children.values()], names=[*children])
    return pa.ListArray.from_arrays(array_of(offsets, pa.int32()), structs)


def packed(columns: Mapping[str, Coded | IntArray]) -> bytes:
    """A table of texts and whole numbers as bytes; UNKNOWN texts are null then."""
    arrays = {name: _stored(column) for name, column in columns.items()}
    table = pa.Table.from_arrays([*arrays.values()], names=[*arrays])
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def unpacked(batches: Iterator[pa.RecordBatch]) -> Iterator[list[pa.Table]]:
    """Of each row, the tables that its columns of bytes are."""
    for batch in batches:
        for row in range(batch.num_rows):
            cells = (column[row].as_buffer() for column in batch.columns)
            yield [pa.ipc.open_stream(cell).read_all() for cell in cells]


def _stored(column: Coded | IntArray) -> pa.Array:
    if not isinstance(column, Coded):
        return array_of(column, pa.int64())
    codes = array_of(column.codes, pa.int32(), column.codes >= 0)
    return pa.DictionaryArray.from_arrays(codes, column.names)


def _filled(array: pa.Array) -> NDArray[Any]:
    """The values of an array of whole numbers, UNKNOWN in place of nulls."""
    kind = f"int{array.type.bit_width}"
    valid, data = array.buffers()
    values = np.frombuffer(data, kind) if data else np.zeros(0, kind)
    values = values[array.offset : array.offset + len(array)]
    if valid is None or not array.null_count:
        return values
    bits = np.unpackbits(np.frombuffer(valid, np.uint8), bitorder="little")
    is_known = bits[array.offset : array.offset + len(array)].astype(np.bool_)
    return np.where(is_known, values, UNKNOWN)


def _typed(values: NDArray[Any], kind: pa.DataType) -> NDArray[Any]:
    name = {"double": "float64"}.get(str(kind), str(kind))
    return np.ascontiguousarray(values, name)


def _bits(mask: Mask) -> pa.Buffer:
    return pa.py_buffer(np.packbits(mask, bitorder="little"))
