"""Tables of many snapshots, written as each one's."""

from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from spark.errors import UnreadableError
from spark.store import CatalogSchema, folder_of, write_by_snapshot
from tests.support.catalog import schema

A, B, C = "20261121T000000Z", "20261121T010000Z", "20261121T020000Z"
ALL = [(A, 1), (A, 2), (C, 3)]


@pytest.fixture
def rows(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(ALL, "snapshot string, n int")


def found(spark: SparkSession, folder: Path) -> list[tuple[str, int]]:
    return sorted((row.snapshot, row.n) for row in spark.read.parquet(str(folder)).collect())


def test_each_snapshot_has_its_rows_and_a_manifest(
    spark: SparkSession, rows: DataFrame, tmp_path: Path
) -> None:
    """A run that fails leaves them, and one that replaces them has what was asked for."""
    every = dict.fromkeys((A, B, C), ("t", "u"))
    write_by_snapshot(spark, str(tmp_path), {"t": rows, "u": rows.where("n = 1")}, every)
    assert found(spark, tmp_path / "t") == ALL
    place = folder_of(spark, str(tmp_path))
    assert place.ids("t") == [A, C]
    assert place.ids("u") == [A, C]  # of the last there is a file, without rows
    assert found(spark, tmp_path / "u") == [(A, 1)]
    manifest = place.manifest(A)
    assert manifest is not None
    counts = {name: sum(file.rows for file in files) for name, files in manifest.tables.items()}
    assert counts == {"t": 2, "u": 1}
    wrong = rows.selectExpr("snapshot", "if(n > 2, raise_error('no'), n) as n")
    with pytest.raises(Exception, match="no"):
        write_by_snapshot(spark, str(tmp_path), {"t": wrong}, dict.fromkeys((A, C), ("t",)))
    assert found(spark, tmp_path / "t") == ALL
    none = rows.where("n > 3")
    write_by_snapshot(spark, str(tmp_path), {"t": none}, {A: [], B: ["t"], C: ["t"]})
    assert found(spark, tmp_path / "t") == [(A, 1), (A, 2)]
    write_by_snapshot(spark, str(tmp_path), {"t": none}, {A: ["t"], C: ["t"]})
    assert found(spark, tmp_path / "t") == []
    assert not list((tmp_path / ".evenfleet").glob("runs/*"))


def test_tables_of_a_catalog_have_them_by_their_column(
    spark: SparkSession, rows: DataFrame
) -> None:
    with schema(spark, "by_snapshot") as name:
        where = CatalogSchema(name)
        write_by_snapshot(spark, where, {"t": rows}, dict.fromkeys((A, B, C), ("t",)))
        assert sorted((row.snapshot, row.n) for row in spark.table(f"{name}.t").collect()) == ALL


def test_one_table_of_many_snapshots_is_read_at_once(
    spark: SparkSession, rows: DataFrame, tmp_path: Path
) -> None:
    """Those of other columns come apart, and ids that look like numbers stay texts."""
    write_by_snapshot(spark, str(tmp_path), {"t": rows}, dict.fromkeys((A, C), ("t",)))
    more = spark.createDataFrame([("007", 4, "x")], "snapshot string, n int, word string")
    write_by_snapshot(spark, str(tmp_path), {"t": more}, {"007": ["t"]})
    place = folder_of(spark, str(tmp_path))
    for wanted, expected in (
        ([A, B, C], [ALL]),
        ([C], [[(C, 3)]]),
        (["007", A], [[("007", 4)], ALL[:2]]),
    ):
        items = [item.rows.collect() for item in place.read_several(spark, "t", wanted)]
        result = [sorted((row.snapshot, row.n) for row in item) for item in items]
        assert sorted(result) == expected
    for file in (tmp_path / "t" / f"snapshot={A}").glob("*.parquet"):
        file.unlink()
    with pytest.raises(UnreadableError, match="is missing"):
        folder_of(spark, str(tmp_path)).read_several(spark, "t", [A, C])
