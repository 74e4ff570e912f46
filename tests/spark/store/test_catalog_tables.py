"""Tables of a catalog: the rows of one snapshot are replaced, and nothing else is touched."""

from collections.abc import Iterator

import pytest
from pyspark.sql import DataFrame, SparkSession, functions as F

from spark.errors import InputError
from spark.store import CatalogSchema, check_tables, source_of, write_tables
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


def test_only_the_rows_of_a_snapshot_are_replaced(spark: SparkSession, out: CatalogSchema) -> None:
    """In tables that a result doesn't have it loses its rows, and so it does where it has none."""
    both = {"main": numbers(spark, 1, 2), "beside": numbers(spark, 3)}
    for snapshot in (ONE, OTHER):
        write_tables(spark, out, snapshot, both, OWNED)
    write_tables(spark, out, ONE, {"main": numbers(spark, 4)}, OWNED)
    assert found(spark, out, "main") == [(ONE, 4), (OTHER, 1), (OTHER, 2)]
    assert found(spark, out, "beside") == [(OTHER, 3)]
    columns = spark.catalog.listColumns(out.table("main"))
    assert [column.name for column in columns if column.isPartition] == ["snapshot"]
    write_tables(spark, out, ONE, {"main": numbers(spark, 1).where("false")}, OWNED)
    assert found(spark, out, "main") == [(OTHER, 1), (OTHER, 2)]


def test_a_run_that_fails_leaves_what_was_there(spark: SparkSession, out: CatalogSchema) -> None:
    """The first table comes last: with it the result is there."""
    write_tables(spark, out, ONE, {"main": numbers(spark, 1)}, OWNED)
    broken = numbers(spark, 2).selectExpr("n + cast(raise_error('no more') as int) as n")
    for tables in ({"main": broken}, {"main": numbers(spark, 3), "beside": broken}):
        with pytest.raises(Exception, match="no more"):
            write_tables(spark, out, ONE, tables, OWNED)
        assert found(spark, out, "main") == [(ONE, 1)]


def test_columns_go_by_name_and_further_ones_of_the_table_are_null(
    spark: SparkSession, out: CatalogSchema
) -> None:
    made = "CREATE TABLE own_results.main (note string, n bigint, snapshot string)"
    spark.sql(f"{made} PARTITIONED BY (snapshot)")
    write_tables(spark, out, ONE, {"main": numbers(spark, 7)})
    rows = [row.asDict() for row in spark.table("own_results.main").collect()]
    assert rows == [{"note": None, "n": 7, "snapshot": ONE}]


BY_SNAPSHOT = r"has to be partitioned by snapshot"


@pytest.mark.parametrize(
    ("made", "report"),
    [
        (
            "TABLE own_results.main (m int, snapshot string) PARTITIONED BY (snapshot)",
            "lacks the column n: add it with ALTER TABLE … ADD COLUMN$",
        ),
        ("TABLE own_results.main (n int, snapshot string)", BY_SNAPSHOT),
        (
            "TABLE own_results.main (m int, n int, snapshot string) PARTITIONED BY (snapshot, n)",
            BY_SNAPSHOT,
        ),
        ("VIEW own_results.main AS SELECT 1 AS n, 'x' AS snapshot", r"can't be written: [^\n]+$"),
    ],
)
def test_a_table_that_can_not_have_the_rows_is_told(
    spark: SparkSession, out: CatalogSchema, made: str, report: str
) -> None:
    spark.sql(f"CREATE {made}")
    with pytest.raises(InputError, match=rf"^table own_results\.main {report}"):
        if report == BY_SNAPSHOT:
            check_tables(spark, out, ["main"])
        write_tables(spark, out, ONE, {"main": numbers(spark, 7)})


@pytest.mark.parametrize("name", ["nowhere", "no_catalog.fleet"])
def test_a_schema_that_is_not_there_is_told(spark: SparkSession, name: str) -> None:
    with pytest.raises(InputError, match=f"^there is no schema {name}: "):
        check_tables(spark, CatalogSchema(name), ["main"])


@pytest.mark.parametrize("name", ["", ".", "a.", ".a", "a b", "a`b", "a..b", "`a"])
def test_what_can_be_no_name_is_told(name: str) -> None:
    with pytest.raises(InputError, match="can't be the name of a schema"):
        CatalogSchema(name)


def test_names_are_quoted() -> None:
    assert CatalogSchema("lake.fleet-1").table("groups") == "`lake`.`fleet-1`.`groups`"
    assert CatalogSchema("`a.b`.c").table("groups") == "`a.b`.`c`.`groups`"


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
