"""Snapshots of a local folder that are removed: never half of one is left to be seen."""

from pathlib import Path

import pytest

from spark.errors import RunError
from spark.store import Folder, Run, written_by_others
from tests.spark.store.killed_at_each_step import (
    OWNED,
    SNAPSHOT,
    STRIDES,
    put,
    remove,
    running_run,
    stores_after_kills,
    write,
)

OTHER, NEXT = "20261121T050000Z", "20261121T070000Z"


@pytest.fixture
def place(tmp_path: Path) -> Folder:
    """A folder of two snapshots, of three tables each."""
    made = Folder(tmp_path / "out")
    for snapshot in (OTHER, SNAPSHOT):
        write(made, 1, OWNED, snapshot)
    return made


def tables_seen(place: Folder, snapshot: str) -> set[str]:
    """What readers find, who know of manifests."""
    return {table for table in OWNED if place.parts(table, snapshot)}


def left_of(place: Folder, snapshot: str) -> list[Path]:
    return [*place.path.rglob(f"snapshot={snapshot}*")]


@pytest.mark.parametrize("stride", STRIDES)
def test_killed_at_each_step_it_is_whole_or_gone(
    place: Folder, tmp_path: Path, stride: int
) -> None:
    states = []
    for here in stores_after_kills("remove", place, tmp_path / "tries", stride):
        gone = here.is_gone(SNAPSHOT, OWNED)
        states.append(gone)
        assert tables_seen(here, SNAPSHOT) == (set() if gone else set(OWNED))
        assert (here.broken(SNAPSHOT, OWNED) is None) == (not gone)
        write(here, 1, OWNED, NEXT)  # whoever writes next does what is left to do
        assert here.is_gone(SNAPSHOT, OWNED) == gone
        assert bool(left_of(here, SNAPSHOT)) != gone
        assert [*here.path.glob(".evenfleet/runs/*")] == []
        assert tables_seen(here, OTHER) == set(OWNED)
    assert (states[0], states[-1]) == (False, True)
    assert states == sorted(states)  # once gone it stays so
    assert len(states) > 15 // stride


def test_nothing_is_left_of_it(place: Folder) -> None:
    remove(place)
    assert left_of(place, SNAPSHOT) == []
    assert [item.name for item in (place.path / ".evenfleet").iterdir()] == ["manifests"]
    assert place.ids("a") == [OTHER]
    write(place, 1, OWNED)
    assert tables_seen(place, SNAPSHOT) == set(OWNED)


def test_what_other_programs_wrote_without_a_manifest(place: Folder) -> None:
    for manifest in place.path.glob(f".evenfleet/manifests/snapshot={SNAPSHOT}/*"):
        manifest.unlink()
    with Run(place, OWNED) as run:
        assert run.remove(SNAPSHOT, None)
    assert left_of(place, SNAPSHOT) == []


def test_what_was_written_since_it_was_seen_stays(place: Folder) -> None:
    seen = place.manifest(SNAPSHOT)
    write(place, 2, OWNED)
    with Run(place, OWNED) as run:
        assert not run.remove(SNAPSHOT, seen)
        assert run.remove(OTHER, place.manifest(OTHER))
        assert not run.remove(OTHER, place.for_one_look().manifest(SNAPSHOT))
    assert tables_seen(place, SNAPSHOT) == set(OWNED)
    assert [*place.path.glob(".evenfleet/runs/*")] == []


def test_a_run_that_writes_what_is_removed_meanwhile_is_told(place: Folder) -> None:
    with pytest.raises(RunError, match="another run wrote"), Run(place, OWNED, SNAPSHOT) as slow:
        written = put(slow, 2, ("a",))
        assert written_by_others(place) == {SNAPSHOT}
        remove(place)
        slow.commit(written)
    assert left_of(place, SNAPSHOT) == []


def test_runs_that_are_over_write_nothing(place: Folder) -> None:
    with running_run(place.path, f"a/snapshot={SNAPSHOT}"):
        assert written_by_others(place) == {SNAPSHOT}
    assert written_by_others(place) == set()
