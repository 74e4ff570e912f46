"""However a run ends: one sentence, its exit code, and no process stays behind."""

import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from spark.demo import demo_fleet
from spark.fleet import write_store
from tests.spark.terminal.processes import (
    below,
    ended,
    is_gone,
    is_java,
    is_worker,
    kill,
    started,
    until_it_catches,
    wait_for,
)
from tests.support.fleets import SNAPSHOT
from tests.support.said import Run, Said, is_one_line

pytestmark = pytest.mark.ends

WHEN_PLANNED = ("--conf", "spark.python.daemon.module=pyspark.daemon")
"""Workers start when groups are planned, not with Spark already."""

DOOMED = Path(__file__).with_name("doomed.py")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("ends") / "store"
    write_store(demo_fleet(6, seed=5), store, SNAPSHOT)
    return store


class TestSignals:
    """Ctrl-C and TERM."""

    def test_while_groups_are_planned(self, store: Path, tmp_path: Path) -> None:
        command = started("plan", store, "--out", tmp_path / "plan", *WHEN_PLANNED)
        wait_for(command, is_worker)
        processes = below(command.pid)
        command.send_signal(signal.SIGINT)
        sentence = "interrupted by Ctrl-C before it was done: run it again"
        assert ended(command) == Said(130, "", f"evenfleet: {sentence}\n")
        assert all(map(is_gone, processes))

    def test_while_java_starts(self, store: Path, tmp_path: Path) -> None:
        """When nobody has its number yet: it must not stay, with half of the memory."""
        command = started("plan", store, "--out", tmp_path / "plan")
        java, *_ = wait_for(command, is_java)
        command.send_signal(signal.SIGTERM)
        sentence = "ended by SIGTERM before it was done: run it again"
        assert ended(command) == Said(143, "", f"evenfleet: {sentence}\n")
        assert is_gone(java)

    def test_before_anything_is_loaded(self, store: Path) -> None:
        command = started("snapshots", store)
        until_it_catches(command, signal.SIGTERM)
        command.send_signal(signal.SIGTERM)
        output = ended(command)
        assert (output.code, is_one_line(output)) == (143, True)


class TestKilled:
    """Processes that others kill."""

    def test_java(self, store: Path, tmp_path: Path) -> None:
        command = started("plan", store, "--out", tmp_path / "plan", *WHEN_PLANNED)
        wait_for(command, is_worker)
        java, *_ = filter(is_java, below(command.pid))
        kill(java)
        output = ended(command)
        assert (output.code, is_one_line(output)) == (3, True)
        assert "Spark's Java process was killed (signal 9), as " in output.err

    def test_a_worker_is_replaced(self, store: Path, tmp_path: Path) -> None:
        command = started("plan", store, "--out", tmp_path / "plan", *WHEN_PLANNED)
        workers = wait_for(command, is_worker)
        while len(workers) < 2:  # the first is their parent
            workers = wait_for(command, is_worker)
        kill(workers[1])
        output = ended(command)
        assert (output.code, "evenfleet:" in output.err) == (0, False)
        assert (tmp_path / "plan/groups").is_dir()


def test_java_that_runs_out_of_memory_says_so(store: Path, tmp_path: Path) -> None:
    words = ("plan", store, "--out", tmp_path / "o", "--conf", "spark.driver.memory=480m")
    output = ended(started(*words, "--master", "local[1]", script=DOOMED))
    assert (output.code, is_one_line(output)) == (3, True), output
    assert "Spark's Java process ran out of memory" in output.err


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of next to nothing."""
    folder = tmp_path / "disk"
    folder.mkdir()
    made = shutil.which("mount") and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", str(folder)],
        capture_output=True,
        check=False,
    )
    if not made or made.returncode:
        pytest.skip("no small disk can be mounted here: that takes root's rights")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk(in_session: Run, store: Path, full_disk: Path) -> None:
    output = in_session("plan", store, "--out", full_disk / "plan")
    assert (output.code, is_one_line(output)) == (3, True)
    full = "can't be written: No space left on device, free some: what was there is unchanged"
    assert full in output.err
