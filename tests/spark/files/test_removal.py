"""Snapshots of a local folder that are removed: never half of one is left to be seen."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark.errors import RunError
from spark.files import LocalRemoval, LocalRun, LocalStore, written_by_others
from tests.paths import ROOT
from tests.spark.files.killed_at_each_step import OWNED, SNAPSHOT, write

OTHER = "20261121T050000Z"


@pytest.fixture
def place(tmp_path: Path) -> LocalStore:
    """A folder of two snapshots, of three tables each."""
    made = LocalStore(tmp_path / "out")
    for snapshot in (OTHER, SNAPSHOT):
        put(made, snapshot)
    return made


def put(place: LocalStore, snapshot: str) -> None:
    with LocalRun(place, snapshot, OWNED) as run:
        for table in OWNED:
            run.folder(table).mkdir(parents=True)
            pq.write_table(pa.table({"x": [1]}), run.folder(table) / f"part-{run.id}.parquet")
        run.commit(OWNED)


def tables_seen(place: LocalStore, snapshot: str) -> set[str]:
    """What readers find, who know of manifests."""
    return {table for table in OWNED if place.parts(table, snapshot)}


def left_of(place: LocalStore, snapshot: str) -> list[Path]:
    return [*place.path.rglob(f"snapshot={snapshot}*")]


def test_killed_at_each_step_it_is_whole_or_gone(place: LocalStore, tmp_path: Path) -> None:
    program = [sys.executable, "-m", "tests.spark.files.removed_at_each_step"]
    tries = tmp_path / "tries"
    tries.mkdir()
    subprocess.run([*program, place.root, str(tries)], cwd=ROOT, check=True)
    states = []
    for step in sorted(tries.iterdir(), key=lambda path: int(path.name)):
        here = LocalStore(step)
        gone = here.is_gone(SNAPSHOT, OWNED)
        states.append(gone)
        assert tables_seen(here, SNAPSHOT) == (set() if gone else set(OWNED))
        assert (here.broken(SNAPSHOT, OWNED) is None) == (not gone)
        put(here, "20261121T070000Z")  # whoever writes next does what is left to do
        assert here.is_gone(SNAPSHOT, OWNED) == gone
        assert bool(left_of(here, SNAPSHOT)) != gone
        assert [*step.glob(".evenfleet/runs/*")] == []
        assert tables_seen(here, OTHER) == set(OWNED)
    assert (states[0], states[-1]) == (False, True)
    assert states == sorted(states)  # once gone it stays so
    assert len(states) > 15


def test_nothing_is_left_of_it(place: LocalStore) -> None:
    with LocalRemoval(place, OWNED) as run:
        assert run.remove(SNAPSHOT, place.manifest(SNAPSHOT))
    assert left_of(place, SNAPSHOT) == []
    assert [item.name for item in (place.path / ".evenfleet").iterdir()] == ["manifests"]
    assert place.ids("a") == [OTHER]
    put(place, SNAPSHOT)
    assert tables_seen(place, SNAPSHOT) == set(OWNED)


def test_what_other_programs_wrote_without_a_manifest(place: LocalStore) -> None:
    for manifest in place.path.glob(f".evenfleet/manifests/snapshot={SNAPSHOT}/*"):
        manifest.unlink()
    with LocalRemoval(place, OWNED) as run:
        assert run.remove(SNAPSHOT, None)
    assert left_of(place, SNAPSHOT) == []


def test_what_was_written_since_it_was_seen_stays(place: LocalStore) -> None:
    seen = place.manifest(SNAPSHOT)
    write(place, 2, OWNED)
    with LocalRemoval(place, OWNED) as run:
        assert not run.remove(SNAPSHOT, seen)
        assert run.remove(OTHER, place.manifest(OTHER))
        assert not run.remove(OTHER, place.for_one_look().manifest(SNAPSHOT))
    assert tables_seen(place, SNAPSHOT) == set(OWNED)
    assert [*place.path.glob(".evenfleet/runs/*")] == []


def test_a_run_that_writes_what_is_removed_meanwhile_is_told(place: LocalStore) -> None:
    with (
        pytest.raises(RunError, match="another run wrote"),
        LocalRun(place, SNAPSHOT, OWNED) as slow,
    ):
        slow.folder("a").mkdir(parents=True)
        pq.write_table(pa.table({"x": [2]}), slow.folder("a") / "part-0.parquet")
        assert written_by_others(place) == {SNAPSHOT}
        with LocalRemoval(place, OWNED) as run:
            assert run.remove(SNAPSHOT, place.manifest(SNAPSHOT))
        slow.commit(("a",))
    assert left_of(place, SNAPSHOT) == []


def test_runs_that_are_over_write_nothing(place: LocalStore) -> None:
    (place.path / ".evenfleet/runs/dead/a" / f"snapshot={SNAPSHOT}").mkdir(parents=True)
    assert written_by_others(place) == set()
    lock = os.open(place.path / ".evenfleet/runs/dead", os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    assert written_by_others(place) == {SNAPSHOT}
    os.close(lock)
