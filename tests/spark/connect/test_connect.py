"""The DataFrame API on Spark Connect: as in a classic session, sentences included.

All is done once, by a program with a session and a server of its own (`notebook.py`).
"""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.paths import ROOT
from tests.spark.connect import notebook
from tests.support.fleets import SNAPSHOT, Fleet

pytestmark = pytest.mark.skipif(
    find_spec("grpc") is None, reason="Spark Connect's client needs what pyspark[connect] brings"
)

WITHIN = 600.0  # seconds, on a machine that does many other things

NAMES = [step.__name__ for step in notebook.STEPS if step != notebook.Notebook.refusals]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A group with a move, one with a fault of its own, one without members; and a broken file."""
    fleet = Fleet().topic("t", 4).topic("u", 1)
    fleet.group("g", {"a": ["t"], "b": ["t", "u"]}, [("t", number, "a") for number in range(3)])
    fleet.group("claimed", {"a": ["u"], "b": ["u"]}, [("u", 0, "a"), ("u", 0, "b")])
    fleet.group("nobody", {}, state="Empty")
    folder = tmp_path_factory.mktemp("connect")
    for name in ("store", "store-broken"):
        fleet.store(folder / name)
    (part,) = (folder / "store-broken" / "members" / f"snapshot={SNAPSHOT}").glob("*.parquet")
    part.write_bytes(b"PAR1 and nothing of Parquet")
    return folder / "store"


@pytest.fixture(scope="module")
def done(store: Path) -> dict[str, Any]:
    """What each step came to on Spark Connect."""
    ours = ("SPARK_", "PYSPARK_GATEWAY")
    environment = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
    environment |= {"PYTHONPATH": str(ROOT), "PYSPARK_PYTHON": sys.executable}
    # a server of its own port, so that others may run at the same time
    environment |= {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_TESTING": "1"}
    words = [sys.executable, "-m", notebook.__name__, str(store), str(store.parent)]
    ended = subprocess.run(
        words, cwd=ROOT, env=environment, capture_output=True, timeout=WITHIN, check=False
    )
    assert ended.returncode == 0, ended.stderr[-5000:].decode()
    return dict(json.loads((store.parent / "done.json").read_text()))


@pytest.fixture(scope="module")
def classic(spark: SparkSession, store: Path) -> dict[str, Any]:
    (store.parent / "classic").mkdir()
    return notebook.outcomes(spark, str(store), store.parent / "classic")


def test_the_session_is_connected(done: dict[str, Any]) -> None:
    assert done["session"] == "pyspark.sql.connect.session"


@pytest.mark.parametrize("step", NAMES)
def test_each_step_comes_to_what_it_does_in_a_classic_session(
    done: dict[str, Any], classic: dict[str, Any], step: str
) -> None:
    assert done[step] == classic[step]
    assert "ended" not in done[step]


def test_steps_come_to_something(done: dict[str, Any], store: Path) -> None:
    assert done["plan_is_made"][-1], "what is written is what is read"
    faults, with_a_fault = done["plan_is_verified"]
    assert faults == []
    result = {(row["group"], row["fault"]) for row in with_a_fault}
    assert ("claimed", "u-0 is not in the plan (1 such)") in result
    assert ("g", "t-0 is not in the plan (2 such)") in result
    (broken,) = Path(f"{store}-broken", "members", f"snapshot={SNAPSHOT}").glob("*.parquet")
    assert done["refusals"] == [
        f"store {store} has no snapshot other: the newest it has are {SNAPSHOT}",
        f"snapshot {SNAPSHOT} of store {store}-broken isn't whole: {broken}",
    ]
