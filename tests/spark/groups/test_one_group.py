"""One group read without Spark is the group that Spark encodes, field by field."""

from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from spark import FleetFiles, FleetSnapshot, InputError, explain_group
from spark.groups import (
    COLUMN,
    coordinators,
    encode,
    groups_of,
    one_row,
    parts_in,
    parts_of,
    rows_of_named,
    seat_of,
    weight_tables,
)
from spark.groups.coordinators import CoordinatorLocation
from spark.groups.group import FleetGroup, read_or_failed
from tests.spark.groups.test_group import BASE64, DASHES, HEX, OTHER
from tests.support.fleets import SNAPSHOT, Fleet, fleet_of_groups, nullable, write_files
from tests.support.groups import tiny_group
from tests.support.odd_groups import odd_groups
from tests.support.rows import files_of
from tests.support.small import EARLIER

Key = tuple[str, str]

IDS: dict[str, tuple[list[str | None], str | None]] = {
    "in some rows": ([None, HEX], OTHER),
    "in three spellings": ([HEX, BASE64, DASHES], None),
    "of another topic, in another spelling": ([HEX, HEX], BASE64),
    "too short": ([HEX[:-1], HEX[:-1]], None),
    "of no characters": ([""], None),
    "bad, among good ones": ([HEX, "?" * 22], None),
}
"""What topic t's partitions say of its id, and what topic u's do; a cluster each."""


def every_group() -> Fleet:
    """Odd groups, others with such ids, tiny ones with claims of all kinds, hosts and clients."""
    fleet = odd_groups()
    tiny = fleet_of_groups({f"tiny {seed}": tiny_group(seed) for seed in range(20)})
    for table, rows in tiny.rows.items():
        fleet.rows[table] += rows
    for name, (ids, other) in IDS.items():
        for number, topic_id in enumerate(ids):
            fleet.add("partitions", cluster=name, topic="t", partition=number, topic_id=topic_id)
        fleet.add("partitions", cluster=name, topic="u", partition=0, topic_id=other)
        fleet.group(name, {"a": ["t"]}, cluster=name, coordinator=0)
    for number, row in enumerate(fleet.rows["partitions"]):
        if number % 3:
            row["weight"] = number / 4
    for number, row in enumerate(fleet.rows["members"]):
        if number % 3:
            row |= {"host": f"/h{number % 4}", "client_id": f"client-{number}"}
    return fleet


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
    if group.problem and (beyond := result["problem"]["kafka"]["beyond"]):
        result["problem"]["kafka"]["beyond"] = sorted(zip(*beyond, strict=True))
    return result


def weights_in(row: Any) -> Any:
    names = ("column_partitions", "column_partitions_counts", "column_values")
    return facts([getattr(row, name) for name in names])


def encoded(snapshot: FleetSnapshot) -> dict[Key, Any]:
    weights = weight_tables(snapshot, [COLUMN])
    rows = encode(snapshot, racks=True, weights=weights)
    groups = groups_of(parts_in(rows.toArrow(), parts_of(rows)))
    return {(row.cluster, row.group): row for row in groups}


def check_alike(spark: SparkSession, store: Path) -> dict[Key, FleetGroup]:
    """Hold all groups of a store against each other; as they are."""
    files, snapshot = FleetFiles.read(str(store)), FleetSnapshot.read(spark, str(store))
    assert (files.id, files.notes, files.changes) == (snapshot.id, snapshot.notes, snapshot.changes)
    assert files.clusters() == snapshot.clusters()
    rows = encoded(snapshot.validate())
    by_sql = encoded(replace(snapshot, tables=dict(snapshot.tables)))
    assert by_sql.keys() == rows.keys()
    assert not encode(snapshot).inputFiles(), "Spark doesn't read what this process reads"
    keys = spark.createDataFrame([(*map(str, of),) for of in rows], "cluster string, group string")
    seats = {
        (row.cluster, row.group): tuple(row[name] for name in CoordinatorLocation._fields)
        for row in coordinators(keys, snapshot.tables).collect()
    }
    result = {}
    for (cluster, group), row in rows.items():
        mine = one_row(files, group, cluster, racks=True, weights=[COLUMN])
        result[cluster, group] = read_or_failed(mine)
        for other in (row, by_sql[cluster, group]):
            assert told(result[cluster, group]) == told(read_or_failed(other)), group
            assert mine._fields == other._fields
            assert weights_in(mine) == weights_in(other)
        assert (mine.cluster, mine.group) == (cluster, group)
        assert seat_of(files, mine) == seats[cluster, group], group
    return result


def test_groups_of_every_kind(spark: SparkSession, tmp_path: Path) -> None:
    result = check_alike(spark, write_files(every_group().tables(), tmp_path))
    assert {group.status for group in result.values()} == {
        *("ok", "inferred", "empty", "rebalancing", "unsupported", "invalid")
    }
    racked = result["c", "own-rack"].problem
    assert racked is not None and racked.replica_racks


def test_racks_come_only_if_they_are_asked_for(spark: SparkSession) -> None:
    encoded = encode(Fleet().topic("t", 1).snapshot(spark))
    assert "place" not in parts_of(encoded)


def test_tables_as_others_write_them(spark: SparkSession, tmp_path: Path) -> None:
    """Rows in any order, in small row groups of several files, in other types and encodings.

    The cluster `old` is only in an earlier snapshot, in which optional tables and columns are
    missing: each group is of its cluster's own instant.
    """
    earlier = Fleet()
    for cluster in ("c", "old"):
        earlier.topic("t", 3, cluster).group("plain", {"m": ["t"]}, [("t", 0, "m")], cluster)
    for name, table in earlier.tables("groups").items():
        required = [item for item in table.column_names if table[item].null_count < len(table)]
        more = table.select(required).append_column("more", table[0])
        write_files({name: more}, tmp_path, EARLIER)
    for name, table in odd_groups_of_utf8().tables().items():
        shuffled = table.take(np.random.default_rng(3).permutation(len(table)))
        shuffled = shuffled.cast(nullable(pa.schema([_widened(item) for item in table.schema])))
        half = len(table) // 2
        folder = tmp_path / name / f"snapshot={SNAPSHOT}"
        folder.mkdir(parents=True)
        for part, rows in enumerate((shuffled.slice(0, half), shuffled.slice(half))):
            pq.write_table(
                rows, folder / f"{part}.parquet", row_group_size=7, store_schema=part > 0
            )
    result = check_alike(spark, tmp_path)
    assert {key: group.names for key, group in result.items() if key[1] == "plain"} == {
        ("c", "plain"): ["a", "b"],
        ("d", "plain"): ["z"],
        ("old", "plain"): ["m"],
    }
    several = "several clusters have a group 'plain': choose its cluster of c, d, old"
    with pytest.raises(InputError, match=several):
        one_row(FleetFiles.read(str(tmp_path)), "plain")


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


def test_null_keys_are_told_alike(spark: SparkSession, tmp_path: Path) -> None:
    """Those of another group and of topics that the group doesn't read are nobody's business."""
    fleet = Fleet().topic("t", 2).group("g", {"a": ["t"]}).group("other", {"a": ["t"]})
    fleet.add("members", group="g", member_id=None).add("members", group="other", member_id=None)
    fleet.add("subscriptions", group="g", member_id="a", topic=None)
    fleet.add("assignments", group="g", topic="t", partition=None, member_id="a")
    fleet.add("offsets", group="g", topic=None, partition=0).add("brokers", broker=None)
    fleet.add("partitions", topic="t", partition=None)
    fleet.add("partitions", topic="unread", partition=None)
    fleet.store(tmp_path)
    for read in (FleetFiles.read(str(tmp_path)), FleetSnapshot.read(spark, str(tmp_path))):
        with pytest.raises(InputError) as error:
            explain_group(read, "g")
        assert str(error.value) == (
            f"snapshot {SNAPSHOT} has keys that are null or beyond an int (assignments.partition: "
            "1 rows; brokers.broker: 1 rows; members.member_id: 1 rows; offsets.topic: 1 rows; "
            "partitions.partition: 1 rows; subscriptions.topic: 1 rows): remove those rows or fill "
            "them in"
        )


def test_keys_of_topics_that_a_cluster_doesnt_read_are_nobodys_business() -> None:
    """Also where a group of that name in another cluster reads a topic of that name."""
    fleet = Fleet()
    for cluster, topic in (("c", "t"), ("d", "u")):
        fleet.topic(topic, 1, cluster).group("g", {"a": [topic]}, cluster=cluster)
    fleet.add("partitions", cluster="c", topic="u", partition=None)
    assert [row.cluster for row in rows_of_named(files_of(fleet), ["g"])] == ["c", "d"]


def test_only_the_row_groups_of_the_group_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As far as a store is in some order."""
    fleet = Fleet()
    for number in range(40):
        topic = f"t-{number:02}"
        fleet.topic(topic, 5).group(f"g-{number:02}", {"a": [topic]}, [(topic, 0, "a")])
    for name, table in fleet.tables().items():
        write_files({name: table}, tmp_path, row_group_size=max(1, len(table) // 40))
    read: list[int] = []
    whole = pq.ParquetFile.read_row_group

    def counted(file: pq.ParquetFile, number: int, columns: list[str]) -> pa.Table:
        read.append(number)
        return whole(file, number, columns)

    files = FleetFiles.read(str(tmp_path))
    files.clusters()
    monkeypatch.setattr(pq.ParquetFile, "read_row_group", counted)
    row = one_row(files, "g-17")
    assert row.topic_sizes.tolist() == [5]
    assert {*read} == {17}
