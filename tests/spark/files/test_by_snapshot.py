"""Tables of many snapshots, written as each one's."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from spark.errors import UnreadableError
from spark.files import CatalogSchema, table_store_of, write_by_snapshot
from tests.support.catalog import schema

A, B, C = "20261121T000000Z", "20261121T010000Z", "20261121T020000Z"


@pytest.fixture
def rows(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame([(A, 1), (A, 2), (C, 3)], "snapshot string, n int")


def found(spark: SparkSession, folder: Path) -> list[tuple[str, int]]:
    return sorted((row.snapshot, row.n) for row in spark.read.parquet(str(folder)).collect())


def test_each_snapshot_has_its_rows_and_a_manifest(
    spark: SparkSession, rows: DataFrame, tmp_path: Path
) -> None:
    every = dict.fromkeys((A, B, C), ("t", "u"))
    write_by_snapshot(spark, str(tmp_path), {"t": rows, "u": rows.where("n = 1")}, every)
    assert found(spark, tmp_path / "t") == [(A, 1), (A, 2), (C, 3)]
    place = table_store_of(spark, str(tmp_path))
    assert place.ids("t") == [A, C]
    assert place.ids("u") == [A, C]  # of the last there is a file, without rows
    assert found(spark, tmp_path / "u") == [(A, 1)]
    manifest = place.manifest(A)
    assert manifest is not None
    assert {name: sum(f.rows for f in files) for name, files in manifest.tables.items()} == {
        "t": 2,
        "u": 1,
    }
    assert not list((tmp_path / ".evenfleet").glob("runs/*"))


def test_what_is_replaced_is_what_was_asked_for(
    spark: SparkSession, rows: DataFrame, tmp_path: Path
) -> None:
    write_by_snapshot(spark, str(tmp_path), {"t": rows}, dict.fromkeys((A, C), ("t",)))
    none = rows.where("n > 3")
    write_by_snapshot(spark, str(tmp_path), {"t": none}, {A: [], B: ["t"], C: ["t"]})
    assert found(spark, tmp_path / "t") == [(A, 1), (A, 2)]
    write_by_snapshot(spark, str(tmp_path), {"t": none}, {A: ["t"], C: ["t"]})
    assert found(spark, tmp_path / "t") == []


def test_a_run_that_fails_leaves_what_was_there(
    spark: SparkSession, rows: DataFrame, tmp_path: Path
) -> None:
    every = dict.fromkeys((A, C), ("t",))
    write_by_snapshot(spark, str(tmp_path), {"t": rows}, every)
    wrong = rows.selectExpr("snapshot", "if(n > 2, raise_error('no'), n) as n")
    with pytest.raises(Exception, match="no"):
        write_by_snapshot(spark, str(tmp_path), {"t": wrong}, every)
    assert found(spark, tmp_path / "t") == [(A, 1), (A, 2), (C, 3)]
    assert not list((tmp_path / ".evenfleet").glob("runs/*"))


def test_tables_of_a_catalog_have_them_by_their_column(
    spark: SparkSession, rows: DataFrame
) -> None:
    with schema(spark, "by_snapshot") as name:
        where = CatalogSchema(name)
        write_by_snapshot(spark, where, {"t": rows}, dict.fromkeys((A, B, C), ("t",)))
        table = spark.table(f"{name}.t")
        assert sorted((row.snapshot, row.n) for row in table.collect()) == [(A, 1), (A, 2), (C, 3)]


class TestReadSeveral:
    """One table of many snapshots at once."""

    def test_rows_say_of_which_snapshot_they_are(
        self, spark: SparkSession, rows: DataFrame, tmp_path: Path
    ) -> None:
        write_by_snapshot(spark, str(tmp_path), {"t": rows}, dict.fromkeys((A, C), ("t",)))
        (values,) = table_store_of(spark, str(tmp_path)).read_several(spark, "t", [A, B, C])
        assert sorted((row.snapshot, row.n) for row in values.rows.collect()) == found(
            spark, tmp_path / "t"
        )
        (items,) = table_store_of(spark, str(tmp_path)).read_several(spark, "t", [C])
        assert [tuple(row) for row in items.rows.select("snapshot", "n").collect()] == [(C, 3)]

    def test_ids_that_look_like_numbers_stay_texts(
        self, spark: SparkSession, tmp_path: Path
    ) -> None:
        rows = spark.createDataFrame([("007", 1)], "snapshot string, n int")
        write_by_snapshot(spark, str(tmp_path), {"t": rows}, {"007": ["t"]})
        (values,) = table_store_of(spark, str(tmp_path)).read_several(spark, "t", ["007"])
        assert [row.snapshot for row in values.rows.collect()] == ["007"]

    def test_those_of_other_columns_come_apart(
        self, spark: SparkSession, rows: DataFrame, tmp_path: Path
    ) -> None:
        write_by_snapshot(spark, str(tmp_path), {"t": rows}, dict.fromkeys((A, C), ("t",)))
        more = spark.createDataFrame([(B, 4, "x")], "snapshot string, n int, word string")
        write_by_snapshot(spark, str(tmp_path), {"t": more}, {B: ["t"]})
        values = table_store_of(spark, str(tmp_path)).read_several(spark, "t", [A, B, C])
        assert sorted(sorted(item.rows.columns) for item in values) == [
            ["n", "snapshot"],
            ["n", "snapshot", "word"],
        ]
        assert sum(item.rows.count() for item in values) == 4

    def test_a_file_that_is_missing_is_told(
        self, spark: SparkSession, rows: DataFrame, tmp_path: Path
    ) -> None:
        write_by_snapshot(spark, str(tmp_path), {"t": rows}, dict.fromkeys((A, C), ("t",)))
        for file in (tmp_path / "t" / f"snapshot={A}").glob("*.parquet"):
            file.unlink()
        with pytest.raises(UnreadableError, match="is missing"):
            table_store_of(spark, str(tmp_path)).read_several(spark, "t", [A, C])
