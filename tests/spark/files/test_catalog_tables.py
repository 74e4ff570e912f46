"""Tables of a catalog: the rows of one snapshot are replaced, and nothing else is touched."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import DataFrame, SparkSession, functions as F

from spark.errors import InputError
from spark.files import CatalogSchema, check_tables, source_of, table_in, write_tables
from tests.support.catalog import schema

ONE, OTHER = "20261121T060000Z", "20261121T070000Z"
OWNED = ("main", "beside")


@pytest.fixture
def out(spark: SparkSession) -> Iterator[CatalogSchema]:
    with schema(spark, "own_results") as name:
        yield CatalogSchema(name)


def numbers(spark: SparkSession, *wanted: int) -> DataFrame:
    return spark.createDataFrame([(item,) for item in wanted], "n int")


def found(spark: SparkSession, out: CatalogSchema, table: str) -> list[tuple[str, int]]:
    return sorted((row.snapshot, row.n) for row in spark.table(out.table(table)).collect())


def test_tables_are_made_and_only_the_rows_of_a_snapshot_replaced(
    spark: SparkSession, out: CatalogSchema
) -> None:
    write_tables(spark, out, ONE, {"main": numbers(spark, 1, 2)}, OWNED)
    write_tables(spark, out, OTHER, {"main": numbers(spark, 3)}, OWNED)
    write_tables(spark, out, ONE, {"main": numbers(spark, 4)}, OWNED)
    assert found(spark, out, "main") == [(ONE, 4), (OTHER, 3)]
    columns = spark.catalog.listColumns(out.table("main"))
    assert [column.name for column in columns if column.isPartition] == ["snapshot"]


def test_a_run_that_fails_leaves_what_was_there(spark: SparkSession, out: CatalogSchema) -> None:
    write_tables(spark, out, ONE, {"main": numbers(spark, 1)}, OWNED)
    broken = numbers(spark, 2).selectExpr("n + cast(raise_error('no more') as int) as n")
    with pytest.raises(Exception, match="no more"):
        write_tables(spark, out, ONE, {"main": broken}, OWNED)
    assert found(spark, out, "main") == [(ONE, 1)]


def test_the_first_table_comes_last(spark: SparkSession, out: CatalogSchema) -> None:
    """With it the result is there; what comes with it is there before."""
    broken = numbers(spark, 2).selectExpr("n + cast(raise_error('no more') as int) as n")
    with pytest.raises(Exception, match="no more"):
        write_tables(spark, out, ONE, {"main": numbers(spark, 1), "beside": broken}, OWNED)
    assert not spark.catalog.tableExists(out.table("main"))


def test_no_rows_take_the_place_of_some(spark: SparkSession, out: CatalogSchema) -> None:
    for snapshot in (ONE, OTHER):
        write_tables(spark, out, snapshot, {"main": numbers(spark, 1)}, OWNED)
    write_tables(spark, out, ONE, {"main": numbers(spark, 1).where("false")}, OWNED)
    assert found(spark, out, "main") == [(OTHER, 1)]


def test_tables_that_a_result_does_not_have_lose_its_rows(
    spark: SparkSession, out: CatalogSchema
) -> None:
    both = {"main": numbers(spark, 1), "beside": numbers(spark, 2)}
    write_tables(spark, out, ONE, both, OWNED)
    write_tables(spark, out, OTHER, both, OWNED)
    write_tables(spark, out, ONE, {"main": numbers(spark, 3)}, OWNED)
    assert found(spark, out, "beside") == [(OTHER, 2)]


def test_columns_go_by_name_and_further_ones_of_the_table_are_null(
    spark: SparkSession, out: CatalogSchema
) -> None:
    made = "CREATE TABLE own_results.main (note string, n bigint, snapshot string)"
    spark.sql(f"{made} PARTITIONED BY (snapshot)")
    write_tables(spark, out, ONE, {"main": numbers(spark, 7)})
    rows = [row.asDict() for row in spark.table("own_results.main").collect()]
    assert rows == [{"note": None, "n": 7, "snapshot": ONE}]


def test_a_table_without_one_of_the_columns_is_told(
    spark: SparkSession, out: CatalogSchema
) -> None:
    spark.sql("CREATE TABLE own_results.main (m int, snapshot string) PARTITIONED BY (snapshot)")
    report = "table own_results.main lacks the column n: add it with ALTER TABLE … ADD COLUMN"
    with pytest.raises(InputError) as refused:
        write_tables(spark, out, ONE, {"main": numbers(spark, 7)})
    assert str(refused.value) == report


@pytest.mark.parametrize(
    ("partitions", "columns"),
    [("", "n int, snapshot string"), ("PARTITIONED BY (snapshot, n)", "m int, n int")],
)
def test_a_table_that_is_partitioned_otherwise_is_told_before(
    spark: SparkSession, out: CatalogSchema, partitions: str, columns: str
) -> None:
    columns = columns if "snapshot" in columns else f"{columns}, snapshot string"
    spark.sql(f"CREATE TABLE own_results.main ({columns}) {partitions}")
    with pytest.raises(
        InputError, match=r"table own_results\.main has to be partitioned by snapshot"
    ):
        check_tables(spark, out, ["main"])


def test_a_view_is_no_table_to_write_to(spark: SparkSession, out: CatalogSchema) -> None:
    spark.sql(f"CREATE VIEW own_results.main AS SELECT 1 AS n, '{ONE}' AS snapshot")
    with pytest.raises(InputError, match=r"^table own_results\.main can't be written: [^\n]+$"):
        write_tables(spark, out, ONE, {"main": numbers(spark, 7)})


def test_a_schema_that_is_not_there_is_told(spark: SparkSession) -> None:
    with pytest.raises(InputError, match=r"^there is no schema nowhere: "):
        check_tables(spark, CatalogSchema("nowhere"), ["main"])


@pytest.mark.parametrize("name", ["", ".", "a.", ".a", "a b", "a`b", "a..b", "`a"])
def test_what_can_be_no_name_is_told(name: str) -> None:
    with pytest.raises(InputError, match="can't be the name of a schema"):
        CatalogSchema(name)


def test_names_are_quoted() -> None:
    assert CatalogSchema("lake.fleet-1").table("groups") == "`lake`.`fleet-1`.`groups`"
    assert CatalogSchema("`a.b`.c").table("groups") == "`a.b`.`c`.`groups`"
    assert table_in(CatalogSchema("lake.fleet"), "groups") == "lake.fleet.groups"
    assert table_in("out", "groups") == "out/groups"


def test_a_broken_file_hides_its_snapshot_alone_from_what_is_counted(
    spark: SparkSession, out: CatalogSchema
) -> None:
    for snapshot in (ONE, OTHER):
        write_tables(spark, out, snapshot, {"main": numbers(spark, 1)})
    (broken,) = (
        file.removeprefix("file://")
        for file in spark.table("own_results.main").where(F.col("snapshot") == ONE).inputFiles()
        if ONE in file
    )
    with open(broken, "wb") as file:  # noqa: PTH123
        file.write(b"PAR1 and nothing of Parquet")
    source = source_of(spark, out)
    statistics = source.tally(["main"], [ONE, OTHER])
    assert {part: rows.total() for part, rows in statistics.items()} == {("main", OTHER): 1}
