"""One table of rows that groups are made of, and the encoded row that workers cut of it.

The table has rows of all tables of a fleet, told apart by part. Spark unites a fleet's tables to it
(`spark.groups.encode`), of one group files have the same parts (`spark.groups.one_group`), and
workers cut either into groups (`spark.groups.cut`).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial, reduce
from itertools import chain
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame, SparkSession, functions as F, types as t
from pyspark.sql.pandas.types import from_arrow_schema

from optimizer.model import IntArray
from spark.fleet import GROUP_KEYS
from spark.store import as_one, is_there, numbers_in, take

ABSENT = -1
"""Size of a topic that the cluster lacks, generation of a claim that states none; no number."""


class Fault:
    """Sizes of topics of which something is wrong: first their partitions, then their ids."""

    NEGATIVE, TWICE, GAPS = -2, -3, -4
    NO_ID, TWO_IDS, SHARED_ID = -5, -6, -7


GROUP, MEMBER, TOPIC = "group", "member", "topic"
SUBSCRIPTION, CLAIM, PLACE = "subscription", "claim", "place"

BASE = (GROUP, MEMBER, TOPIC, SUBSCRIPTION, CLAIM)
"""The parts that every fleet has; groups that none of these names are left out."""

SPAN = "span"
"""The part of a history: from where to where in time a group's facts were the same."""

PARTS = "parts"
"""Key in the metadata of column `part`: the parts that it numbers, and where their columns are."""

COLUMN, RATE, LAG = "column", "rate", "lag"
"""Where weights come from: see `optimizer.model.goals.WEIGHTS`."""

COMMON = (*GROUP_KEYS, "member_id", "topic", "partition")
"""Names of columns that mean the same in all parts."""

Columns = Mapping[str, Mapping[str, str]]
"""The columns of each part, and which column of the united table has each."""

Parts = Mapping[str, Mapping[str, Any]]
"""The rows of each part by column: cluster, group, some of member_id, topic and partition, and
values by names that no other part has. Names and other texts are bytes, valid UTF-8 or not; a
number that isn't known is ABSENT or NaN."""


class Lists(NamedTuple):
    """A column of lists: all their values, and how many are of each row."""

    values: Any
    counts: IntArray

    @staticmethod
    def of(rows: Iterable[Any]) -> Lists:
        lists = list(rows)
        return Lists([*chain(*lists)], np.array([*map(len, lists)], np.int64))

    def as_numbers(self) -> Lists:
        return self._replace(values=np.array(self.values, np.int64))


class AtHand(NamedTuple):
    """Parts that the driver has read, as one table; no other parts may be numbered as these are."""

    rows: DataFrame
    columns: Columns


def united(
    parts: Mapping[str, DataFrame], tasks: int, by: Sequence[str], at_hand: AtHand | None = None
) -> DataFrame:
    """All parts as one table, whose column `part` says what they are; each group is in one task.

    `by` is SQL text on what rows that belong together have in common: `key` is its hash, by which
    they are sorted.
    """
    tables, columns = ([at_hand.rows], {**at_hand.columns}) if at_hand else ([], {})
    for part, table in parts.items():
        slots = _slots(table.schema)
        cells = (f"cast(`{name}` as {kind}) as `{slot}`" for name, slot, kind in slots)
        tables.append(table.selectExpr(f"{len(columns)}Y as part", *cells))
        columns[part] = {name: slot for name, slot, _ in slots}
    rows = reduce(partial(DataFrame.unionByName, allowMissingColumns=True), tables)
    nothing = {field.name: NOTHING.get(_kind(field.dataType), "null") for field in rows.schema}
    cells = (f"ifnull(`{slot}`, {none}) as `{slot}`" for slot, none in nothing.items())
    keyed = rows.selectExpr(*cells).withColumn("key", F.xxhash64(*map(F.expr, by)))
    # A number of partitions that is stated is kept by adaptive execution, which would otherwise
    # put hundreds of groups, small in bytes and dear to solve, into one task.
    spread = keyed.repartition(tasks, "key").sortWithinPartitions("key")
    return spread.withMetadata("part", {PARTS: json.dumps(columns)})


def in_one_table(session: SparkSession, parts: Parts) -> AtHand:
    """Parts that the driver has as a single table: to plan a union takes Spark longer."""
    tables, columns = [], {}
    for number, (part, rows) in enumerate(parts.items()):
        arrays = {name: _as_arrow(cells) for name, cells in rows.items()}
        slots = _slots(from_arrow_schema(pa.table(arrays).schema))
        columns[part] = {name: slot for name, slot, _ in slots}
        numbers = np.full(len(arrays["cluster"]), number, np.int8)
        tables.append(pa.table({"part": numbers} | {slot: arrays[of] for of, slot, _ in slots}))
    table = pa.concat_tables(tables, promote_options="default")
    return AtHand(session.createDataFrame(table), columns)


def _as_arrow(cells: Any) -> pa.Array:
    if isinstance(cells, Lists):
        offsets = np.append(0, cells.counts.cumsum()).astype(np.int32)
        return pa.ListArray.from_arrays(pa.array(offsets), _as_arrow(cells.values))
    if isinstance(cells, np.ndarray):
        small = {np.dtype(np.int64): np.int32, np.dtype(np.bool_): np.int8}
        return pa.array(cells.astype(small.get(cells.dtype, cells.dtype)))
    return cells if isinstance(cells, pa.Array) else pa.array(cells, pa.binary())


NOTHING = {"tinyint": "0Y", "double": "double('NaN')", "int": f"{ABSENT}", "bigint": f"{ABSENT}L"}
"""By type SQL text on a number that isn't known: pandas makes objects of numbers with nulls."""


def _slots(schema: t.StructType) -> list[tuple[str, str, str]]:
    """The columns of a part, the column of the united table that has each, and their type there.

    Columns that aren't `COMMON` share those of their type with other parts': each cell of a row
    costs time on its way, whether it says something or not.
    """
    columns, of_kind = [], Counter[str]()
    for field in schema:
        slot, kind = field.name, _kind(field.dataType)
        if slot not in COMMON:
            slot, of_kind[kind] = f"{kind} {of_kind[kind]}", of_kind[kind] + 1
        columns.append((field.name, slot, kind))
    return columns


def _kind(data_type: t.DataType) -> str:
    """The type in which values are sent to workers, as SQL has it."""
    if isinstance(data_type, t.ArrayType):
        is_text = isinstance(data_type.elementType, t.StringType)
        return "array<binary>" if is_text else data_type.simpleString()
    if isinstance(data_type, t.StringType | t.BinaryType):
        return "binary"
    if isinstance(data_type, t.BooleanType | t.ByteType):
        return "tinyint"
    whole = "int" if isinstance(data_type, t.IntegerType) else "bigint"
    return "double" if isinstance(data_type, t.FractionalType) else whole


def parts_of(rows: DataFrame) -> Columns:
    """The parts of such a table."""
    columns: Columns = json.loads(rows.schema["part"].metadata[PARTS])
    return columns


Split = dict[str, pa.Table]
"""The rows of each part of such a table, with the part's own columns."""


def by_part(table: pa.Table, columns: Columns) -> Split:
    part = numbers_in(as_one(table["part"]))
    return {
        name: take(table.select([*slots.values()]).rename_columns([*slots]), part == number)
        for number, (name, slots) in enumerate(columns.items())
    }


def joined(splits: Sequence[Split], columns: Columns) -> Parts:
    """The rows of each part of several tables, which are taken out: few copies are in memory."""
    parts = {}
    for name in columns:
        rows = pa.concat_tables([split.pop(name) for split in splits])
        parts[name] = {column: _values(as_one(rows[column])) for column in rows.column_names}
    return parts


def parts_in(table: pa.Table, columns: Columns) -> Parts:
    """The rows of each part of such a table, as a worker gets it."""
    return joined([by_part(table, columns)], columns)


def _values(array: pa.Array) -> Any:
    """Texts as they are, numbers as numpy's; pandas makes nulls of what is no number."""
    if pa.types.is_list(array.type):
        ends = numbers_in(array.offsets).astype(np.int64)
        return Lists(_values(array.values), np.diff(ends))
    if pa.types.is_binary(array.type):
        return array
    numbers = numbers_in(array)
    if pa.types.is_floating(array.type):
        return np.where(is_there(array), numbers.view(np.float64), np.nan)
    return numbers


def start_of_last(table: pa.Table) -> int:
    """Where the rows of the last key of a sorted table begin."""
    keys = numbers_in(as_one(table["key"]))
    return int((keys == keys[-1]).argmax())


Numbers = NDArray[Any]
"""Of whole numbers, mostly."""

Names = NDArray[np.object_]
"""Texts; None where one is null."""


class Trouble(NamedTuple):
    """Why nothing can be made of a group: the status that it has, and a sentence."""

    status: str
    sentence: str


class EncodedRow(Protocol):
    """One group, cut of a table of rows (`spark.groups.cut`).

    Columns of one kind are aligned. Names are sorted, and stand in other columns as their places
    among all of the kind; claims are in no order. A part that wasn't asked for has no columns.
    """

    cluster: str
    group: str
    is_there: bool
    """Whether one of the fleet's own tables names it, and not only a further part."""
    trouble: Trouble | None

    # the group as a whole; None where no table says it
    listed: int
    state: str | None
    group_strategy: str | None
    inferred: bool
    type: str | None
    cluster_has_claims: bool
    """Whether any group of the cluster claims anything."""
    coordinator: int | None
    """The broker that the source named."""
    hidden: Names | None
    """Topics that it names and who collected may not describe."""

    # its members; behind them in `all_members` are all others that any row names
    member_ids: Names
    all_members: Names
    instance_ids: Names
    racks: Names
    client_ids: Names
    hosts: Names
    generations: Numbers
    capacities: Numbers
    """NaN: not known."""

    # the topics that somebody subscribes to; behind them in `all_topics` are all others
    topics: Names
    all_topics: Names
    topic_sizes: Numbers
    """Partitions, or a sign of what is wrong (`spark.groups.encode`)."""
    topic_ids: Names
    """In 32 hex digits."""
    subscriber_counts: Numbers
    subscription_topics: Numbers
    subscription_members: Numbers

    # only with racks: a row for each topic, rack of leaders and set of racks of replicas
    place_topics: Numbers
    place_partitions: Numbers
    """`place_partitions_counts` of them are of each row."""
    place_partitions_counts: Numbers
    place_racks: Names
    """The leader's, then those of replicas; `place_racks_counts` are of each row."""
    place_racks_counts: Numbers

    # what members own; -1: a claim of no generation
    claim_topics: Numbers
    claim_partitions: Numbers
    claim_members: Numbers
    claim_generations: Numbers

    def _replace(self, **columns: Any) -> Any:
        """The row with other values in these columns."""
