"""Delta Lake and Apache Iceberg as catalogs of `--tables` and `--out-tables`.

Their jars come from Maven, and are of some versions of Spark only:
`bin/test --with 'pyspark==4.0.*' tests/spark/test_lakes.py`.
"""

import os
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

import pyspark
import pytest

from spark.demo.history import HOURS, make_history
from spark.fleet.local_store import write_store
from spark.jobs.demo import SEED
from tests.paths import ROOT
from tests.support.locks import resolving

pytestmark = pytest.mark.ends

SPARK = ".".join(pyspark.__version__.split(".")[:2])
EARLIER, LATER = "20261121T050000Z", "20261121T060000Z"

FILL = """
import sys
from pathlib import Path
from pyspark.sql import SparkSession
store, schema = sys.argv[1:]
session = SparkSession.builder.getOrCreate()
for name in ("fleet", "plans"):
    session.sql(f"CREATE SCHEMA {schema}{name}")
for folder in sorted(Path(store).glob("[!.]*")):
    session.read.parquet(str(folder)).write.partitionBy("snapshot").saveAsTable(f"{schema}fleet.{folder.name}")
"""

TRAVEL = """
import sys
from pyspark.sql import SparkSession
history, version, time, table = sys.argv[1:]
session = SparkSession.builder.getOrCreate()
for (id,) in session.sql(history).orderBy(time).select(version).collect():
    rows = session.sql(f"SELECT DISTINCT snapshot, strategy FROM {table} VERSION AS OF {id}")
    print(sorted((row.snapshot, row.strategy) for row in rows.collect() if row.strategy))
"""


@dataclass(frozen=True)
class Lake:
    """A table format: its jar for each version of Spark, and the settings of its catalog."""

    name: str
    jars: dict[str, str]
    schema: str
    settings: dict[str, str]
    history: tuple[str, str, str]
    """The query for the versions of a plan, and its columns of ids and of times."""


DELTA = Lake(
    name="Delta Lake",
    jars={"4.0": "io.delta:delta-spark_2.13:4.0.0"},
    schema="",
    settings={
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.sources.default": "delta",
        "spark.sql.catalogImplementation": "hive",
        "spark.sql.warehouse.dir": "{home}/tables",
        "spark.hadoop.javax.jdo.option.ConnectionURL": (
            "jdbc:derby:;databaseName={home}/metastore;create=true"
        ),
    },
    history=("DESCRIBE HISTORY plans.groups", "version", "version"),
)

ICEBERG = Lake(
    name="Apache Iceberg",
    jars={"4.0": "org.apache.iceberg:iceberg-spark-runtime-4.0_2.13:1.10.0"},
    schema="lake.",
    settings={
        "spark.sql.extensions": (
            "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
        ),
        "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.lake.type": "hadoop",
        "spark.sql.catalog.lake.warehouse": "{home}/tables",
    },
    history=("SELECT * FROM lake.plans.groups.snapshots", "snapshot_id", "committed_at"),
)


class Submitter:
    """Runs programs by spark-submit with the settings of one lake, which lives in one folder."""

    def __init__(self, lake: Lake, home: Path) -> None:
        self.home = home
        settings = {
            "spark.jars.packages": lake.jars[SPARK],
            "spark.ui.enabled": "false",
            "spark.log.level": "OFF",
            "spark.sql.shuffle.partitions": "2",
            **lake.settings,
        }
        lines = [f"{key} {value.format(home=home)}" for key, value in settings.items()]
        (home / "lake.conf").write_text("\n".join(lines), encoding="utf-8")

    def run(self, program: Path, *words: str) -> subprocess.CompletedProcess[str]:
        """A program that ended well."""
        submit = Path(sysconfig.get_path("scripts"), "spark-submit")
        with resolving():  # each run asks Spark's resolver for the jar
            ran = subprocess.run(
                [submit, "--properties-file", self.home / "lake.conf", program, *words],
                cwd=self.home,
                env=os.environ | {"PYSPARK_PYTHON": sys.executable, "PYTHONPATH": str(ROOT)},
                capture_output=True,
                text=True,
                check=False,
            )
        if "unresolved dependency" in ran.stderr:
            pytest.skip("Spark can't resolve the lake's jar here")
        assert ran.returncode == 0, ran.stderr
        return ran

    def run_text(self, text: str, *words: str) -> list[str]:
        """The lines that it prints."""
        program = self.home / "program.py"
        program.write_text(text, encoding="utf-8")
        return self.run(program, *words).stdout.splitlines()

    def evenfleet(self, *words: str) -> str:
        """The sentences of a command."""
        return self.run(ROOT / "bin/spark_job.py", *words).stderr


@pytest.mark.parametrize("lake", [DELTA, ICEBERG], ids=lambda lake: lake.name)
def test_a_store_is_read_and_planned_twice_and_the_first_plan_is_still_there(
    lake: Lake, tmp_path: Path
) -> None:
    """Each run commits a version of the table: time travel finds the plan before."""
    if SPARK not in lake.jars:
        pytest.skip(f"{lake.name} is tried with Spark {' and '.join(lake.jars)}, this is {SPARK}")
    made = make_history(30, SEED)
    for hour, snapshot in ((HOURS - 2, EARLIER), (HOURS - 1, LATER)):
        write_store(made.tables(hour), tmp_path / "store", snapshot)
    submitter = Submitter(lake, tmp_path)
    fleet, plans = (f"{lake.schema}{name}" for name in ("fleet", "plans"))
    submitter.run_text(FILL, str(tmp_path / "store"), lake.schema)
    for words in (("--snapshot", "all"), ("--strategy", "range")):
        submitter.evenfleet("plan", "--tables", fleet, "--out-tables", plans, *words)
    verified = submitter.evenfleet("verify", "--tables", fleet, "--plan-tables", plans)
    assert "No fault" in verified
    versions = submitter.run_text(TRAVEL, *lake.history, f"{plans}.groups")
    assert str([(EARLIER, "optimal"), (LATER, "optimal")]) in versions
    assert str([(EARLIER, "optimal"), (LATER, "range")]) == versions[-1]
