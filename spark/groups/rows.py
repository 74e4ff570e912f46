"""The one table that groups are made of: narrow rows of all tables of a fleet, told apart by part.

Spark projects a fleet's tables to it (`spark.groups.encode`), files of one group are read as it
(`spark.groups.one_group`), and workers cut it into groups (`spark.groups.cut`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import reduce
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, functions as F, types as t

from spark.fleet import GROUP_KEYS

ABSENT = -1
"""Size of a topic that the cluster lacks, generation of a claim that states none; no number."""

SHAPE = pa.schema(
    [
        *((name, pa.binary()) for name in GROUP_KEYS),
        ("part", pa.int8()),
        *((name, pa.binary()) for name in ("member_id", "topic")),
        ("partition", pa.int32()),
        ("number", pa.int64()),
        ("longs", pa.list_(pa.int64())),
        ("reals", pa.list_(pa.float64())),
        ("texts", pa.list_(pa.binary())),
        ("key", pa.int64()),
    ]
)
"""Columns of the rows. Names are bytes, valid UTF-8 or not. `part` is an index into the parts.

`number` has the value of a part with one whole number a row; `longs`, `reals` and `texts` have the
others of each kind, value after value. A list that no part has is left out. Rows are sorted by
`key`, which all rows of a group have.
"""

PARTS = "parts"
"""Key in the metadata of column `part`: the parts that it numbers."""

NAMES = ("member_id", "topic")


def _long(value: str) -> str:
    return f"ifnull(bigint({value}), {ABSENT}L)"


SLOTS: Mapping[str, Any] = {
    "longs": ("bigint", _long),
    "reals": ("double", lambda value: f"ifnull(double({value}), double('NaN'))"),
    "texts": ("binary", lambda value: f"cast(string({value}) as binary)"),
}
"""Columns of values: the SQL type of each, and what a value of it is where it isn't known."""


@dataclass(frozen=True)
class Part:
    """One kind of rows: which of the shared columns they have, and the names of their values.

    A row has one value of each name, or, with `lists`, equally long lists of each kind; whole
    numbers that are `single` stand in `number`.
    """

    name: str
    keys: Sequence[str] = ()
    single: str | None = None
    longs: Sequence[str] = ()
    reals: Sequence[str] = ()
    texts: Sequence[str] = ()
    lists: Sequence[str] = ()

    @staticmethod
    def of(name: str, rows: DataFrame) -> Part:
        """The part that further rows are, by the types of their columns."""
        values: dict[str, list[str]] = {"longs": [], "reals": [], "texts": []}
        lists, keys = set(), []
        for column in rows.schema:
            kind: t.DataType = column.dataType
            if column.name in ("member_id", "topic", "partition"):
                keys.append(column.name)
            elif column.name not in GROUP_KEYS:
                if isinstance(kind, t.ArrayType):
                    kind = kind.elementType
                    lists.add(_slot(kind))
                values[_slot(kind)].append(column.name)
        longs, reals, texts = map(tuple, values.values())
        return Part(name, tuple(keys), None, longs, reals, texts, tuple(sorted(lists)))

    def rows(self, table: DataFrame, number: int, slots: Sequence[str]) -> DataFrame:
        """The table's rows in the one shape; `number` is that of this part."""
        columns = {
            "part": f"{number}Y",
            **{name: f"cast({name if name in self.keys else 'null'} as binary)" for name in NAMES},
            "partition": "partition" if "partition" in self.keys else f"{ABSENT}",
            "number": _long(self.single) if self.single else f"{ABSENT}L",
            **{slot: self._values(slot) for slot in slots},
        }
        keys = (f"cast(`{key}` as binary) as `{key}`" for key in GROUP_KEYS)
        return table.selectExpr(*keys, *(f"{text} as {name}" for name, text in columns.items()))

    def _values(self, slot: str) -> str:
        kind, value = SLOTS[slot]
        names = getattr(self, slot)
        if not names:
            return f"cast(null as array<{kind}>)"
        if slot in self.lists:
            return f"cast(flatten(array({', '.join(names)})) as array<{kind}>)"
        return f"cast(array({', '.join(map(value, names))}) as array<{kind}>)"


def _slot(kind: t.DataType) -> str:
    if isinstance(kind, t.StringType | t.BinaryType):
        return "texts"
    return "reals" if isinstance(kind, t.FractionalType) else "longs"


GROUP = Part("group", texts=("group_texts",), lists=("texts",))
"""What is known of a group as a whole.

State, strategy, type, `true` if subscriptions are inferred, if the cluster has claims and if it is
known what is hidden, the coordinator, and the topics that are hidden.
"""

MEMBER = Part(
    "member",
    ("member_id",),
    "generations",
    texts=("instance_ids", "racks", "client_ids", "hosts", "capacities"),
)
TOPIC = Part("topic", ("topic",), "topic_sizes", texts=("topic_ids",))
SUBSCRIPTION = Part("subscription", NAMES)
CLAIM = Part("claim", (*NAMES, "partition"), "claim_generations")
SPAN = "span"
"""The part of a history: from where to where in time a group's facts were the same."""

BASE = (GROUP, MEMBER, TOPIC, SUBSCRIPTION, CLAIM)
"""The parts that every fleet has; groups that none of these names are left out."""


def united(
    base: Mapping[Part, DataFrame], more: Mapping[str, DataFrame], tasks: int, by: Sequence[str]
) -> DataFrame:
    """All parts as one table, whose column `part` says what they are; each group is in one task.

    `by` is SQL text on what rows that belong together have in common: `key` is its hash.
    """
    tables = {**base, **{Part.of(name, rows): rows for name, rows in more.items()}}
    slots = [slot for slot in SLOTS if any(getattr(part, slot) for part in tables)]
    rows = reduce(
        DataFrame.unionAll,
        (part.rows(table, number, slots) for number, (part, table) in enumerate(tables.items())),
    )
    keyed = rows.withColumn("key", F.xxhash64(*map(F.expr, by)))
    # A number of partitions that is stated is kept by adaptive execution, which would otherwise
    # put hundreds of groups, small in bytes and dear to solve, into one task.
    spread = keyed.repartition(tasks, "key").sortWithinPartitions("key")
    return spread.withMetadata("part", {PARTS: [asdict(part) for part in tables]})


def parts_of(rows: DataFrame) -> list[Part]:
    """The parts of such a table."""
    return [Part(**part) for part in rows.schema["part"].metadata[PARTS]]


def table_of(number: int, rows: int, columns: Mapping[str, Any]) -> pa.Table:
    """A number of rows of a part, of columns of the shape; a name of all rows is one, not a column.

    Arrow's own ways to make an array load pandas, which takes longer than a group.
    """
    given: dict[str, Any] = {"part": [number] * rows, **columns}
    arrays = [_array(given.get(field.name), field.type, rows) for field in SHAPE]
    return pa.Table.from_arrays(arrays, schema=SHAPE)


def _array(cells: Any, kind: pa.DataType, rows: int) -> pa.Array:
    if isinstance(cells, pa.Array):
        return cells
    if pa.types.is_list(kind):
        lists = [()] * rows if cells is None else list(cells)
        flat = [item for items in lists for item in items]
        ends = pa.py_buffer(np.cumsum([0, *map(len, lists)], dtype=np.int32))
        inner = _array(flat, kind.value_type, len(flat))
        return pa.Array.from_buffers(kind, rows, [None, ends], children=[inner])
    if pa.types.is_binary(kind):
        return _names([cells] * rows if cells is None or isinstance(cells, bytes) else cells)
    values = np.full(rows, ABSENT) if cells is None else np.asarray(cells)
    numbers = pa.py_buffer(values.astype(_NUMPY[kind]))
    return pa.Array.from_buffers(kind, rows, [None, numbers])


_NUMPY = {pa.int8(): np.int8, pa.int32(): np.int32, pa.int64(): np.int64, pa.float64(): np.float64}


def _names(texts: Sequence[bytes | None]) -> pa.Array:
    present = np.array([text is not None for text in texts], np.bool_)
    valid = np.packbits(present, bitorder="little")
    raw = [text or b"" for text in texts]
    ends = np.cumsum([0, *map(len, raw)], dtype=np.int32)
    buffers = [pa.py_buffer(item) for item in (valid, ends, b"".join(raw))]
    return pa.Array.from_buffers(pa.binary(), len(raw), buffers)


def selection_of(texts: pa.Array, mask: Any) -> pa.Array:
    """The texts that a mask chooses."""
    rows = np.flatnonzero(mask)
    return texts if len(rows) == len(texts) else texts.take(_array(rows, pa.int64(), len(rows)))
