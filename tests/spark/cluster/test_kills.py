"""Plans of a standalone cluster on which something is killed: the same, or what was there before.

What the commands write is read back by another Spark, the one of the tests.
"""

import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

from spark import FleetSnapshot, audit_fleet, plan_fleet
from spark.fleet import read_result
from spark.fleet.local_store import write_store
from tests.spark.cluster.standalone import StandaloneCluster, Started, wait_for
from tests.support.deadly import DEADLY, EXPECTED, STRATEGY
from tests.support.fleets import SNAPSHOT
from tests.support.said import Run

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="which process is whose is told by Linux's /proc"
)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StandaloneCluster]:
    with StandaloneCluster(tmp_path_factory.mktemp("cluster")) as started:
        yield started


@pytest.fixture
def whole_cluster(cluster: StandaloneCluster) -> StandaloneCluster:
    """With as many machines as there should be, whatever a test has killed."""
    cluster.complete()
    return cluster


@pytest.fixture(scope="module")
def fleet_store(demo_tables: dict[str, pa.Table], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Without lags and brokers: an audit of those takes long, and nothing else needs them."""
    store = tmp_path_factory.mktemp("fleet") / "store"
    tables = {name: demo_tables[name] for name in demo_tables if name not in ("offsets", "brokers")}
    write_store(tables, store, SNAPSHOT)
    return store


@pytest.fixture(scope="module")
def fleet(spark: SparkSession, fleet_store: Path) -> FleetSnapshot:
    return FleetSnapshot.read(spark, str(fleet_store))


def rows_of(table: DataFrame) -> list[str]:
    """All columns but how long it took, row for row; in order, for a table has none."""
    return sorted(map(repr, table.drop("seconds", "snapshot").collect()))


def written(spark: SparkSession, out: Path, table: str) -> list[str]:
    return rows_of(read_result(spark, str(out), table, SNAPSHOT).rows)


def went_well(submission: Started) -> None:
    assert submission.end() == 0, submission.printed()[-2000:]


def test_a_killed_machine_changes_no_audit(
    spark: SparkSession,
    whole_cluster: StandaloneCluster,
    fleet: FleetSnapshot,
    fleet_store: Path,
    tmp_path: Path,
) -> None:
    running = whole_cluster.submit("audit", fleet_store, "--out", tmp_path)
    whole_cluster.kill_machine()
    went_well(running)
    assert running.losses() == {"tasks", "executors"}
    with audit_fleet(fleet) as audit:
        assert written(spark, tmp_path, "findings") == rows_of(audit.findings)


def test_a_killed_driver_leaves_the_plan_that_was_there(
    spark: SparkSession,
    whole_cluster: StandaloneCluster,
    fleet: FleetSnapshot,
    fleet_store: Path,
    tmp_path: Path,
    run: Run,
) -> None:
    out = tmp_path / "plan"
    with plan_fleet(fleet) as plan:
        expected = {"assignments": rows_of(plan.assignments), "groups": rows_of(plan.groups)}
        plan.write(str(out))
    before = {*out.rglob("*.parquet")}
    running = whole_cluster.submit("plan", fleet_store, "--out", out, "--strategy", "range")
    # as soon as there is a new file in the folder that it writes to, in its place or aside
    wait_for(lambda: {*out.rglob("*.parquet")} - before or running.ended(), "anything written")
    running.kill()
    assert running.end() < 0
    assert run("verify", fleet_store, out).code == 0
    assert {table: written(spark, out, table) for table in expected} == expected


def test_groups_that_end_their_worker_fail_alone_also_in_a_python_that_is_shipped(
    spark: SparkSession, whole_cluster: StandaloneCluster, tmp_path: Path
) -> None:
    """More such groups than a task has tries; the archive's Python is a link to this one."""
    DEADLY.store(tmp_path / "store")
    shipped = tmp_path / "python"
    shipped.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    shipped.chmod(0o755)
    archive = tmp_path / "env.tar.gz"
    with tarfile.open(archive, "w:gz") as packed:
        packed.add(shipped, "bin/python")
    settings = tmp_path / "settings.toml"
    settings.write_text("strategy_seconds = 0.1\n")
    words = ("plan", tmp_path / "store", "--out", tmp_path / "plan", "--strategy", STRATEGY)
    went_well(whole_cluster.submit(*words, "--config", settings, archive=archive))
    groups = read_result(spark, str(tmp_path / "plan"), "groups", SNAPSHOT).rows.collect()
    assert {row.group: (row.status, row.reason) for row in groups} == EXPECTED
