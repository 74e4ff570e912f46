"""A plan depends on the snapshot alone, in its rows and in the bytes of its files."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from chispa import assert_df_equality
from pyspark.sql import DataFrame, SparkSession

from spark import compare_fleet
from spark.plan import fleet_plan as plan
from tests.spark.conftest import Settings
from tests.support.fleets import snapshot_of

Tables = dict[str, pa.Table]


class Written(NamedTuple):
    """What a plan's files hold, in the order of their names."""

    assignments: list[bytes]
    groups: pa.Table


def written(spark: SparkSession, tables: Tables, out: Path) -> Written:
    with plan.plan_fleet(snapshot_of(spark, tables)) as made:
        made.write(str(out))
    (groups,) = parts(out / "groups")
    return Written(
        [part.read_bytes() for part in parts(out / "assignments")],
        pq.ParquetFile(groups).read().drop_columns("seconds"),
    )


def parts(table: Path) -> list[Path]:
    (folder,) = table.iterdir()
    return sorted(folder.glob("*.parquet"))


@pytest.fixture(scope="module")
def first(
    spark: SparkSession, demo_tables: Tables, tmp_path_factory: pytest.TempPathFactory
) -> Written:
    """Two tasks, and several files of assignments."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan, "ROWS_PER_FILE", 500)
        made = written(spark, demo_tables, tmp_path_factory.mktemp("first"))
    assert len(made.assignments) > 2
    return made


OTHER_SETTINGS = {
    "spark.sql.shuffle.partitions": "8",
    "spark.sql.ansi.enabled": "false",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "3",
}


def test_the_same_files_whatever_spark_does_and_the_order_of_rows(
    spark: SparkSession,
    spark_defaults: None,
    settings: Settings,
    demo_tables: Tables,
    first: Written,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With Spark's generated code and plans that change while they run, and without."""
    monkeypatch.setattr(plan, "ROWS_PER_FILE", 500)
    draw = np.random.default_rng(1)
    shuffled = {name: rows.take(draw.permutation(len(rows))) for name, rows in demo_tables.items()}
    with settings(OTHER_SETTINGS):
        assert written(spark, shuffled, tmp_path) == first


@pytest.mark.wide
def test_the_same_comparison(spark: SparkSession, settings: Settings, demo_tables: Tables) -> None:
    def measured() -> DataFrame:
        """What is measured at once, and doesn't change with the settings any more."""
        table = compare_fleet(snapshot_of(spark, demo_tables), ["current", "sticky", "uniform"])
        return spark.createDataFrame(table.drop("seconds").toArrow())

    once = measured()
    with settings({"spark.sql.shuffle.partitions": "5", "spark.sql.adaptive.enabled": "true"}):
        again = measured()
    assert_df_equality(again, once, ignore_row_order=True)
