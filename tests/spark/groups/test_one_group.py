"""One group read without Spark is the group that Spark encodes, field by field."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from spark import FleetFiles, FleetSnapshot, InputError, explain_group
from spark.fleet.local_store import write_store
from spark.groups import coordinators, encode, one_row, row_of_group, seat_of_group
from spark.groups.group import FleetGroup, read_or_failed
from spark.groups.seats import CoordinatorLocation
from tests.support.fleets import SNAPSHOT, Fleet, nullable
from tests.support.odd_bytes import write_odd_store
from tests.support.odd_groups import odd_groups

Key = tuple[str, str]


def facts(value: Any) -> Any:
    """What two values have to agree in: arrays as lists, dataclasses by field."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if is_dataclass(value):
        return {item.name: facts(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, tuple | list):
        return [facts(item) for item in value]
    return value


def told(group: FleetGroup) -> Any:
    """All that there is of a group; claims on what doesn't exist are in no order."""
    result = facts(group)
    if group.problem and result["problem"]["kafka"]["beyond"]:
        result["problem"]["kafka"]["beyond"] = sorted(
            zip(*result["problem"]["kafka"]["beyond"], strict=True)
        )
    return result


def by_spark(fleet: FleetSnapshot, racks: bool) -> dict[Key, Any]:
    rows: Any = encode(fleet.validate(), racks).toPandas()
    return {(row.cluster, row.group): row for row in rows.itertuples(index=False)}


def seats_by_spark(fleet: FleetSnapshot, keys: list[Key]) -> dict[Key, CoordinatorLocation]:
    session = fleet.tables["members"].sparkSession
    groups = session.createDataFrame(keys, "cluster string, group string")
    return {
        (row.cluster, row.group): CoordinatorLocation(
            *(row[name] for name in CoordinatorLocation._fields)
        )
        for row in coordinators(groups, fleet.tables).collect()
    }


def check_alike(spark: SparkSession, store: Path, racks: bool) -> dict[Key, FleetGroup]:
    """Hold all groups of a store against each other; as they are."""
    files, snapshot = FleetFiles.read(str(store)), FleetSnapshot.read(spark, str(store))
    assert (files.id, files.notes, files.changes) == (snapshot.id, snapshot.notes, snapshot.changes)
    assert files.clusters() == snapshot.clusters()
    rows = by_spark(snapshot, racks)
    seats = seats_by_spark(snapshot, [*rows])
    result = {}
    for (cluster, group), row in rows.items():
        mine = row_of_group(files, group, cluster, racks)
        result[cluster, group] = read_or_failed(mine)
        assert told(result[cluster, group]) == told(read_or_failed(row)), group
        assert (mine.cluster, mine.group) == (cluster, group)
        assert seat_of_group(files, cluster, group) == seats[cluster, group], group
    return result


@pytest.mark.parametrize("racks", [False, True])
def test_odd_groups(spark: SparkSession, tmp_path: Path, racks: bool) -> None:
    result = check_alike(spark, write_odd_store(odd_groups(), tmp_path), racks)
    assert {group.status for group in result.values()} == {
        *("ok", "inferred", "empty", "rebalancing", "unsupported", "invalid")
    }
    racked = result["c", "own-rack"].problem
    assert racked is not None and bool(racked.replica_racks) == racks


def test_groups_of_a_fleet(
    spark: SparkSession, tmp_path: Path, demo_tables: dict[str, pa.Table]
) -> None:
    write_store(demo_tables, tmp_path, SNAPSHOT)
    assert len(check_alike(spark, tmp_path, racks=True)) >= 60


def test_tables_as_others_write_them(spark: SparkSession, tmp_path: Path) -> None:
    """Rows in any order, in small row groups of several files, in other types and encodings."""
    for name, table in odd_groups_of_utf8().tables().items():
        folder = tmp_path / name / f"snapshot={SNAPSHOT}"
        folder.mkdir(parents=True)
        shuffled = table.take(np.random.default_rng(3).permutation(len(table)))
        shuffled = shuffled.cast(nullable(pa.schema([_widened(item) for item in table.schema])))
        half = len(table) // 2
        for part, rows in enumerate((shuffled.slice(0, half), shuffled.slice(half))):
            pq.write_table(
                rows, folder / f"{part}.parquet", row_group_size=7, store_schema=part > 0
            )
    assert check_alike(spark, tmp_path, racks=True)


def odd_groups_of_utf8() -> Fleet:
    """Without the rows that have a byte of no character."""
    fleet = odd_groups()
    for name, rows in fleet.rows.items():
        fleet.rows[name] = [row for row in rows if r"\udc" not in repr(row)]
    return fleet


def _widened(field: pa.Field) -> pa.Field:
    kinds = {pa.int32(): pa.int64(), pa.string(): pa.large_string()}
    if field.name in ("state", "member_id"):
        return field.with_type(pa.dictionary(pa.int32(), pa.string()))
    return field.with_type(kinds.get(field.type, field.type))


def test_optional_tables_and_columns_that_are_missing(spark: SparkSession, tmp_path: Path) -> None:
    fleet = Fleet().topic("t", 2).group("g", {"a": ["t"]}, [("t", 0, "a")])
    required = {
        name: table.select([c for c in table.column_names if table[c].null_count < len(table)])
        for name, table in fleet.tables("groups").items()
    }
    for name, table in required.items():
        folder = tmp_path / name / f"snapshot={SNAPSHOT}"
        folder.mkdir(parents=True)
        pq.write_table(table.append_column("more", table[0]), folder / "x.parquet")
    assert check_alike(spark, tmp_path, racks=True)["c", "g"].status == "ok"


def test_clusters_of_several_snapshots(spark: SparkSession, tmp_path: Path) -> None:
    """Each group is of its cluster's own instant."""
    earlier, later = "20261121T050000Z", SNAPSHOT
    for snapshot, members in ((earlier, {"a": ["t"]}), (later, {"a": ["t"], "b": ["t"]})):
        fleet = Fleet()
        for cluster in ("old", "new") if snapshot == earlier else ("new",):
            fleet.topic("t", 3, cluster=cluster).group("g", members, cluster=cluster)
        write_store(fleet.tables(), tmp_path, snapshot)
    result = check_alike(spark, tmp_path, racks=False)
    assert {key: len(fleet_group.names) for key, fleet_group in result.items()} == {
        ("old", "g"): 1,
        ("new", "g"): 2,
    }
    with pytest.raises(
        InputError, match="several clusters have a group 'g': choose its cluster of"
    ):
        row_of_group(FleetFiles.read(str(tmp_path)), "g")


NULLS = {
    "members": {"member_id": None},
    "subscriptions": {"member_id": "a", "topic": None},
    "assignments": {"topic": "t", "partition": None, "member_id": "a"},
    "offsets": {"topic": None, "partition": 0},
}


@pytest.mark.parametrize("table", [*NULLS, "partitions", "brokers"])
def test_null_keys_are_told_alike(spark: SparkSession, tmp_path: Path, table: str) -> None:
    fleet = Fleet().topic("t", 2).group("g", {"a": ["t"]}).group("other", {"a": ["t"]})
    if table in NULLS:
        fleet.add(table, group="g", **NULLS[table])
        fleet.add("members", group="other", member_id=None)  # is nobody's business
    elif table == "brokers":
        fleet.add("brokers", broker=None)
    else:
        fleet.add("partitions", topic="t", partition=None)
        fleet.add("partitions", topic="unread", partition=None)
    write_store(fleet.tables(), tmp_path, SNAPSHOT)
    output = []
    for read in (FleetFiles.read(str(tmp_path)), FleetSnapshot.read(spark, str(tmp_path))):
        with pytest.raises(InputError) as error:
            explain_group(read, "g")
        output.append(str(error.value))
    assert output[0] == output[1]
    assert f"({table}." in output[0] and ": 1 rows)" in output[0]


def test_only_the_row_groups_of_the_group_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As far as a store is in some order."""
    fleet = Fleet()
    for number in range(40):
        topic = f"t-{number:02}"
        fleet.topic(topic, 5).group(f"g-{number:02}", {"a": [topic]}, [(topic, 0, "a")])
    for name, table in fleet.tables().items():
        folder = tmp_path / name / f"snapshot={SNAPSHOT}"
        folder.mkdir(parents=True)
        pq.write_table(table, folder / "x.parquet", row_group_size=max(1, len(table) // 40))
    read: list[int] = []
    whole = pq.ParquetFile.read_row_group

    def counted(file: pq.ParquetFile, number: int, columns: list[str]) -> pa.Table:
        read.append(number)
        return whole(file, number, columns)

    files = FleetFiles.read(str(tmp_path))
    files.clusters()
    monkeypatch.setattr(pq.ParquetFile, "read_row_group", counted)
    row = row_of_group(files, "g-17")
    assert row.topic_sizes.tolist() == [5]
    assert {*read} == {17}


def test_a_row_has_arrays_also_where_spark_hands_out_lists(spark: SparkSession) -> None:
    """As Spark 4.0 does by default."""
    fleet = Fleet().topic("t", 2).group("g", {"a": ["t"]}, [("t", 0, "a")])
    arrow = "spark.sql.execution.arrow.pyspark.enabled"
    before = spark.conf.get(arrow)
    spark.conf.set(arrow, "false")
    try:
        row = one_row(fleet.snapshot(spark), "g", None)
    finally:
        spark.conf.set(arrow, before)
    assert isinstance(row.member_ids, np.ndarray)
    assert explain_group(fleet.snapshot(spark), "g")
