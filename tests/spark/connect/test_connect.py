"""The DataFrame API on Spark Connect: as in a classic session, sentences included.

All is done once, by a program with a session and a server of its own (`notebook.py`).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from spark import FleetSnapshot
from spark.fleet.local_store import write_store
from tests.paths import ROOT
from tests.spark.connect import notebook
from tests.support.fleets import SNAPSHOT, Fleet

pytestmark = pytest.mark.skipif(
    find_spec("grpc") is None, reason="Spark Connect's client needs what pyspark[connect] brings"
)

WITHIN = 600.0  # seconds, on a machine that does many other things


def fleet_of_some() -> Fleet:
    """A group with a move, one with a fault of its own, and one without members."""
    fleet = Fleet().topic("t", 4).topic("u", 1)
    fleet.group("g", {"a": ["t"], "b": ["t", "u"]}, [("t", 0, "a"), ("t", 1, "a"), ("t", 2, "a")])
    fleet.group("claimed", {"a": ["u"], "b": ["u"]}, [("u", 0, "a"), ("u", 0, "b")])
    return fleet.group("nobody", {}, state="Empty")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("connect")
    write_store(fleet_of_some().tables(), folder / "store", SNAPSHOT)
    write_store(fleet_of_some().tables(), folder / "store-broken", SNAPSHOT)
    (part,) = (folder / "store-broken" / "members" / f"snapshot={SNAPSHOT}").glob("*.parquet")
    part.write_bytes(b"PAR1 and nothing of Parquet")
    return folder / "store"


@pytest.fixture(scope="module")
def done(store: Path) -> dict[str, Any]:
    """What each step came to on Spark Connect."""
    words = [sys.executable, "-m", notebook.__name__, str(store), str(store.parent)]
    ours = ("SPARK_", "PYSPARK_GATEWAY")
    environment = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
    environment |= {"PYTHONPATH": str(ROOT), "PYSPARK_PYTHON": sys.executable}
    # a server of its own port, so that others may run at the same time
    environment |= {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_TESTING": "1"}
    ended = subprocess.run(
        words,
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=WITHIN,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr[-5000:]
    return dict(json.loads((store.parent / "done.json").read_text()))


@pytest.fixture(scope="module")
def fleet(spark: SparkSession, store: Path) -> FleetSnapshot:
    return FleetSnapshot.read(spark, str(store))


def test_the_session_is_connected(done: dict[str, Any]) -> None:
    assert done["session"] == "pyspark.sql.connect.session"


def test_a_store_is_read(done: dict[str, Any], fleet: FleetSnapshot) -> None:
    assert done["read"] == notebook.read(fleet)


def test_a_fleet_is_planned(done: dict[str, Any], fleet: FleetSnapshot) -> None:
    assert done["planned"] == notebook.planned(fleet)


def test_a_plan_is_written_and_verified(done: dict[str, Any]) -> None:
    assert done["written"] == done["planned"]["assignments"]
    assert done["verified"] == []


def test_a_plan_that_lacks_partitions_is_found(done: dict[str, Any]) -> None:
    result = {(row["group"], row["fault"]) for row in done["verified with a fault"]}
    assert ("claimed", "u-0 is not in the plan (1 such)") in result
    assert ("g", "t-0 is not in the plan (2 such)") in result


def test_strategies_are_compared(done: dict[str, Any], fleet: FleetSnapshot) -> None:
    assert done["compared"] == notebook.compared(fleet)


def test_a_fleet_is_audited(done: dict[str, Any], fleet: FleetSnapshot) -> None:
    assert done["audited"] == notebook.audited(fleet)


def test_a_group_is_explained(done: dict[str, Any], fleet: FleetSnapshot) -> None:
    assert done["explained"] == notebook.explained(fleet, "g")


def test_a_snapshot_that_is_not_there_is_told(done: dict[str, Any], store: Path) -> None:
    assert done["no such snapshot"] == (
        f"store {store} has no snapshot other: the newest it has are {SNAPSHOT}"
    )


def test_a_broken_file_is_told(done: dict[str, Any], store: Path) -> None:
    where = f"{store}-broken/members/snapshot={SNAPSHOT}"
    report = f"snapshot {SNAPSHOT} can't be used: {where} can't be read: "
    assert done["broken"].startswith(report)
