"""Fleets made by hand, as tables and as snapshots."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from optimizer import Group
from spark import FleetSnapshot
from spark.fleet.local_store import SCHEMAS, write_store
from spark.fleet.schemas import TABLES

SNAPSHOT = "20261121T060000Z"

Row = dict[str, Any]


class Fleet:
    """The tables of a fleet, filled topic by topic and group by group; each call gives it back."""

    def __init__(self) -> None:
        self.rows: dict[str, list[Row]] = {name: [] for name in TABLES}

    def topic(self, name: str, partitions: int | Iterable[int], cluster: str = "c") -> Fleet:
        """A topic of so many partitions, or of those numbers."""
        numbers = range(partitions) if isinstance(partitions, int) else partitions
        self.rows["partitions"] += [
            {"cluster": cluster, "topic": name, "partition": number} for number in numbers
        ]
        return self

    def group(
        self,
        name: str,
        members: Mapping[str, Sequence[str]],
        owned: Iterable[tuple[Any, ...]] = (),
        cluster: str = "c",
        generations: Mapping[str, int] | None = None,
        **facts: Any,
    ) -> Fleet:
        """A group: topics by member, claims (topic, partition, member, generation or nothing).

        `facts` are columns of the table of groups.
        """
        key = {"cluster": cluster, "group": name}
        self.rows["groups"].append(key | facts)
        for member, topics in members.items():
            generation = (generations or {}).get(member)
            self.rows["members"].append(key | {"member_id": member, "generation": generation})
            self.rows["subscriptions"] += [
                key | {"member_id": member, "topic": topic} for topic in topics
            ]
        columns = ("topic", "partition", "member_id", "generation")
        for claim in owned:
            self.rows["assignments"].append(key | dict(zip(columns, claim, strict=False)))
        return self

    def add(self, table: str, **cells: Any) -> Fleet:
        """One more row of a table."""
        self.rows[table].append({"cluster": "c"} | cells)
        return self

    def tables(self, *left_out: str) -> dict[str, pa.Table]:
        """As Arrow has them; optional tables only if they have rows."""
        return {
            name: table_from(rows, SCHEMAS[name])
            for name, rows in self.rows.items()
            if (rows or TABLES[name].required) and name not in left_out
        }

    def store(self, folder: Path, snapshot: str = SNAPSHOT) -> Path:
        """A store with all tables as that snapshot; gives its folder back."""
        write_store(self.tables(), folder, snapshot)
        return folder

    def snapshot(self, spark: SparkSession, *left_out: str) -> FleetSnapshot:
        return snapshot_of(spark, self.tables(*left_out))


def odd(raw: bytes) -> str:
    """A name of bytes that needn't be valid UTF-8; a `Fleet` has them as they are."""
    return raw.decode("utf-8", "surrogateescape")


def table_from(rows: Sequence[Row], schema: pa.Schema) -> pa.Table:
    """Rows as a table, in which nulls may be anywhere."""
    columns = [_column([row.get(field.name) for row in rows], field.type) for field in schema]
    return pa.Table.from_arrays(columns, schema=nullable(schema))


def _column(cells: Sequence[Any], kind: pa.DataType) -> pa.Array:
    if kind == pa.string():
        return pa.array([*map(_bytes, cells)], pa.binary()).cast(kind, safe=False)
    if kind == pa.list_(pa.string()):
        lists = [cell and [*map(_bytes, cell)] for cell in cells]
        return pa.array(lists, pa.list_(pa.binary())).cast(kind, safe=False)
    return pa.array(cells, kind)


def _bytes(name: str | None) -> bytes | None:
    return None if name is None else name.encode("utf-8", "surrogateescape")


def write_files(
    tables: Mapping[str, pa.Table], store: Path, snapshot: str = SNAPSHOT, **options: Any
) -> Path:
    """Write tables as another program does, a file each and no manifest; gives the store back."""
    for name, table in tables.items():
        folder = store / name / f"snapshot={snapshot}"
        folder.mkdir(parents=True)
        pq.write_table(table, folder / "part-0.parquet", **options)
    return store


def nullable(schema: pa.Schema) -> pa.Schema:
    """A schema that takes a null anywhere, as the tables of a caller may."""
    return pa.schema([field.with_nullable(True) for field in schema])


def snapshot_of(
    spark: SparkSession, tables: Mapping[str, pa.Table], snapshot: str = SNAPSHOT
) -> FleetSnapshot:
    return FleetSnapshot.of(
        snapshot=snapshot,
        **{name: spark.createDataFrame(table) for name, table in tables.items()},
    )


def fleet_of_groups(groups: Mapping[str, Group]) -> Fleet:
    """A fleet in which each group has a cluster of its own, called as the group is."""
    fleet = Fleet()
    for name, group in groups.items():
        facts: dict[str, Mapping[str, Sequence[Any]]] = {
            "leader_rack": group.leader_racks,
            "replica_racks": group.replica_racks,
            "weight": group.weights,
        }
        for topic, count in group.topics.items():
            of_topic = {column: of.get(topic) or [None] * count for column, of in facts.items()}
            for number in range(count):
                row = {column: values[number] for column, values in of_topic.items()}
                row |= {"topic_id": group.topic_ids.get(topic)}
                fleet.add("partitions", cluster=name, topic=topic, partition=number, **row)
        before = len(fleet.rows["members"])
        fleet.group(
            name,
            members={member.member_id: member.topics for member in group.members},
            owned=[(*claim, m.member_id, m.generation) for m in group.members for claim in m.owned],
            cluster=name,
            hidden_topics=[],  # what isn't there was deleted
        )
        for row, member in zip(fleet.rows["members"][before:], group.members, strict=True):
            row |= {column: getattr(member, column) for column in OF_MEMBERS}
    return fleet


OF_MEMBERS = ("instance_id", "rack", "generation", "capacity", "client_id", "host")


def damage_pages(path: Path, statistics: bool) -> None:
    """Break the last column's data in a Parquet file of members; its footer stays whole.

    Without statistics the keys have to be read to know that none is null.
    """
    keys = pq.read_schema(path).empty_table().select(["cluster", "group", "member_id"]).schema
    rows = [{name: f"{name}-{row}" for name in keys.names} for row in range(99)]
    pq.write_table(
        pa.Table.from_pylist(rows, keys),
        path,
        use_dictionary=False,
        compression="none",
        write_statistics=statistics,
    )
    column = pq.ParquetFile(path).metadata.row_group(0).column(len(keys) - 1)
    raw = bytearray(path.read_bytes())
    start, size = column.data_page_offset, column.total_compressed_size
    raw[start : start + size] = b"\xff" * size
    path.write_bytes(raw)
