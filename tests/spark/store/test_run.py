"""Tables that are written aside and put in place as one step."""

import json
import os
import random
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark.errors import InputError, RunError, UnreadableError
from spark.store import Folder, Run, sweep, writing
from tests.spark.store.killed_at_each_step import (
    OWNED,
    SNAPSHOT,
    STRIDES,
    by_arrow,
    put,
    stores_after_kills,
    write,
)


@pytest.fixture
def place(tmp_path: Path) -> Folder:
    """A folder of three tables with a 1 in each."""
    made = Folder(tmp_path / "out")
    write(made, 1, OWNED)
    return made


def found(place: Folder) -> dict[str, list[int]]:
    """What readers find of each table."""
    parts = {table: place.parts(table, SNAPSHOT) for table in OWNED}
    return {
        table: [x for file in part.paths for x in pq.ParquetFile(file).read()["x"].to_pylist()]
        for table, part in parts.items()
        if part
    }


def in_place(place: Folder) -> dict[str, list[int]]:
    """What programs find that know of no manifest."""
    folders = {table: place.path / table / f"snapshot={SNAPSHOT}" for table in OWNED}
    return {
        table: [pq.ParquetFile(file).read()["x"][0].as_py() for file in folder.glob("*.parquet")]
        for table, folder in folders.items()
        if folder.is_dir()
    }


def runs(place: Folder) -> list[Path]:
    """What runs have left aside."""
    return list(place.path.glob(".evenfleet/runs/*"))


OLD = {"a": [1], "b": [1], "c": [1]}
NEW = {"a": [2], "b": [2]}


def test_what_is_written_replaces_all_that_the_run_owns(place: Folder) -> None:
    assert found(place) == in_place(place) == OLD
    write(place, 2, ("a", "b"))
    assert found(place) == in_place(place) == NEW
    assert runs(place) == []
    assert len(list(place.path.glob(".evenfleet/manifests/*/*"))) == 1


@pytest.mark.parametrize("stride", STRIDES)
def test_killed_at_each_step_it_is_all_old_or_all_new(
    place: Folder, tmp_path: Path, stride: int
) -> None:
    states = []
    for here in stores_after_kills("write", place, tmp_path / "tries", stride):
        states.append(found(here))
        assert states[-1] in (OLD, NEW)
        # what is in place is whole as well, a table at a time: one may be on its way
        assert all(rows in ([], [1], [2]) for rows in in_place(here).values())
        assert here.ids("a") == [SNAPSHOT]
        assert here.broken(SNAPSHOT, OWNED) is None
        write(here, 3, ("a",))
        assert found(here) == in_place(here) == {"a": [3]}
        assert runs(here) == []
    assert (states[0], states[-1]) == (OLD, NEW)
    assert len(states) > 20 // stride
    assert states == sorted(states, key=lambda state: state == NEW)  # once new it stays so


def fail_at_move(place: Folder, number: int, monkeypatch: pytest.MonkeyPatch) -> str:
    """Write where the disk refuses that move of a folder, and none before it; what is told."""
    moves = iter(range(1, number + 1))
    rename = Path.rename

    def moving(source: Path, target: Path) -> None:
        if source.suffix == ".parquet" and next(moves) == number:
            raise OSError(28, "No space left on device")
        rename(source, target)

    monkeypatch.setattr(Path, "rename", moving)
    with pytest.raises(RunError) as raised, writing(place.root):
        write(place, 2, ("a", "b"))
    monkeypatch.undo()
    return str(raised.value)


@pytest.mark.parametrize("number", [1, 2])
def test_a_fault_after_the_manifest_is_not_told_as_if_all_was_as_before(
    place: Folder, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    assert fail_at_move(place, number, monkeypatch) == (
        f"{place.root} can't be written: No space left on device: {SNAPSHOT} is written all the "
        "same, and the next run that writes there finishes the rest"
    )
    assert found(place) == NEW


def test_files_of_a_run_before_are_refused_where_those_of_the_last_are_lost(
    place: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody removed `runs` while one table was in its place and the next wasn't."""
    fail_at_move(place, 2, monkeypatch)
    shutil.rmtree(place.path / ".evenfleet/runs")
    assert in_place(place) == {"a": [2], "b": [], "c": [1]}
    with pytest.raises(UnreadableError, match=r"table b can't be read .* is missing"):
        place.parts("b", SNAPSHOT)
    old = place.path / f"b/snapshot={SNAPSHOT}/part-00000.parquet"  # as earlier versions left it
    pq.write_table(pa.table({"x": [1]}), old)
    os.utime(old, (0, 0))
    for at in (place, by_arrow(place.path)):
        with pytest.raises(UnreadableError, match=r"table b can't be read .* is older than its"):
            at.parts("b", SNAPSHOT)
        assert "table b can't be read" in str(at.broken(SNAPSHOT, OWNED))


def test_what_was_begun_before_a_lock_was_held_is_swept(place: Folder) -> None:
    (place.path / ".evenfleet/runs/.20261121T060000Z-dead").mkdir(parents=True)
    write(place, 2, ("a", "b"))
    assert not (place.path / ".evenfleet/runs").exists()


def test_folders_are_on_the_disk_before_a_manifest_names_what_is_in_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    fsync, link = os.fsync, os.link

    def syncing(opened: int) -> None:
        done.append(str(Path(f"/proc/self/fd/{opened}").readlink()))
        fsync(opened)

    def linking(source: Path, target: Path) -> None:
        done.append("manifest")
        link(source, target)

    monkeypatch.setattr(os, "fsync", syncing)
    monkeypatch.setattr(os, "link", linking)
    write(Folder(tmp_path), 1, ("a",))
    before, after = (done[: done.index("manifest")], done[done.index("manifest") :])
    assert any(path.endswith(f"/a/snapshot={SNAPSHOT}") for path in before)
    assert f"{tmp_path}/.evenfleet/manifests/snapshot={SNAPSHOT}" in after
    assert f"{tmp_path}/a" in after


def test_tables_are_read_as_one_run_left_them(place: Folder) -> None:
    others = iter((2, 3))

    def read() -> list[int]:
        first = found(place)["a"]
        if (content := next(others, None)) is not None:
            write(place, content, ("a", "b"))
        return [*first, *found(place)["b"]]

    assert read() == [1, 2]
    assert place.at_once([SNAPSHOT], read) == [3, 3]


def test_what_a_run_moves_while_it_is_looked_at_is_there(
    place: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was where its run wrote it when that was listed, and is in its place a moment later."""
    fail_at_move(place, 1, monkeypatch)
    (aside,) = place.path.glob(f".evenfleet/runs/*/a/snapshot={SNAPSHOT}")
    entries = Folder.entries

    def moved_after_a_look(at: Folder, folder: str) -> object:
        seen = entries(at, folder)
        if folder == str(aside) and aside.exists():
            sweep(place)
        return seen

    monkeypatch.setattr(Folder, "entries", moved_after_a_look)
    parts = place.parts("a", SNAPSHOT)
    assert parts and parts.notes == ()
    assert not aside.exists()
    assert found(place) == NEW


def test_files_that_no_manifest_names(place: Folder) -> None:
    """What a run of ours left is passed over and goes; another program's file is told and stays."""
    folder = place.path / f"a/snapshot={SNAPSHOT}"
    left, other = folder / "part-00000-20261121T060000Z-0123abcd.parquet", folder / "x.parquet"
    for path in (left, other):
        pq.write_table(pa.table({"x": [9]}), path)
    parts = place.parts("a", SNAPSHOT)
    assert parts and parts.notes == (
        f"{folder} has files that another program put there, x.parquet first: they aren't read",
    )
    assert found(place) == OLD
    write(place, 2, ("a", "b"))
    assert found(place) == NEW
    assert (left.exists(), other.exists()) == (False, True)


def test_where_files_cannot_be_moved_they_have_their_last_names(tmp_path: Path) -> None:
    """As in an object store: nobody reads them before a manifest names them."""
    local, place = Folder(tmp_path), by_arrow(tmp_path)
    with pytest.raises(ValueError), Run(place, OWNED, SNAPSHOT) as run:
        put(run, 1, OWNED)
        assert found(local) == {}
        assert place.again().ids("a") == []
        raise ValueError
    write(place, 1, OWNED)
    assert found(local) == OLD
    with pytest.raises(RunError, match="another run wrote"), Run(place, OWNED, SNAPSHOT) as slow:
        written = put(slow, 3, ("a",))
        assert found(local) == OLD
        write(place, 2, ("a", "b"))
        slow.commit(written)
    assert found(local) == NEW
    write(place, 2, ("a", "b"))  # by whom the files of a run that is over go after a day
    with Run(place, OWNED) as run:
        assert run.remove(SNAPSHOT, place.again().manifest(SNAPSHOT))
    assert found(local) == {}


def test_of_two_runs_at_once_one_wins_and_the_other_is_told(place: Folder) -> None:
    with pytest.raises(RunError) as raised, Run(place, OWNED, SNAPSHOT) as slow:
        written = put(slow, 2, ("a",))
        write(place, 3, ("a",))
        slow.commit(written)
    assert str(raised.value) == (
        f"another run wrote snapshot {SNAPSHOT} of {place.root} in the meantime: that one is whole "
        "and stays, what this one made isn't kept"
    )
    assert found(place) == in_place(place) == {"a": [3]}
    assert runs(place) == []


def test_runs_of_other_tables_and_snapshots_are_in_nobodys_way(place: Folder) -> None:
    with Run(place, ("other",), SNAPSHOT) as slow:
        written = put(slow, 9, ("other",))
        write(place, 2, ("a", "b"))
        slow.commit(written)
    assert found(place) == NEW
    assert place.ids("other") == [SNAPSHOT]


def test_a_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "b").touch()
    report = f"{tmp_path}/b can't be written: Not a directory"
    with pytest.raises(InputError, match=report), writing(tmp_path):
        write(Folder(tmp_path), 1, OWNED)
    assert [path.name for path in tmp_path.iterdir()] == ["b"]


def test_files_without_a_manifest_are_read_as_they_are(place: Folder) -> None:
    shutil.rmtree(place.path / ".evenfleet")
    assert found(place) == OLD
    write(place, 2, ("a", "b"))
    assert found(place) == in_place(place) == NEW


def file_of(place: Folder) -> Path:
    (path,) = place.path.glob(f"a/snapshot={SNAPSHOT}/*.parquet")
    return path


def test_no_flipped_bit_is_taken_for_data(place: Folder) -> None:
    path = file_of(place)
    sound = path.read_bytes()
    chance = random.Random(1)
    for _ in range(200):
        at, bit = chance.randrange(len(sound)), 1 << chance.randrange(8)
        path.write_bytes(sound[:at] + bytes([sound[at] ^ bit]) + sound[at + 1 :])
        with pytest.raises(UnreadableError, match="bytes aren't those that were written"):
            place.parts("a", SNAPSHOT)
    path.write_bytes(sound)
    assert found(place) == OLD


@pytest.mark.parametrize("left", [0, 11, 12, 300])
def test_a_file_that_is_cut_short(place: Folder, left: int) -> None:
    path = file_of(place)
    path.write_bytes(path.read_bytes()[:left])
    with pytest.raises(UnreadableError, match=rf"{path} can't be read: it has {left} bytes"):
        place.parts("a", SNAPSHOT)
    assert str(path) in str(place.broken(SNAPSHOT, OWNED))


def test_a_file_that_is_gone(place: Folder) -> None:
    rows = pa.table({"x": [2]})
    with Run(place, OWNED, SNAPSHOT) as run:
        run.commit({"a": [run.write("a", [rows], rows.schema, part=part) for part in (0, 2)]})
    folder = place.path / "a" / f"snapshot={SNAPSHOT}"
    for name in ("part-00002", "part-"):  # one of two, and the only one
        next(folder.glob(f"{name}*.parquet")).unlink()
        with pytest.raises(UnreadableError, match=rf"{name}.*\.parquet is missing"):
            place.parts("a", SNAPSHOT)
    shutil.rmtree(folder.parent)
    assert place.parts("a", SNAPSHOT) is None
    assert place.ids("a") == []


def test_what_another_program_wrote_is_read_and_told(place: Folder) -> None:
    path = file_of(place)
    pq.write_table(pa.table({"x": [7, 8]}), path)
    parts = place.parts("a", SNAPSHOT)
    assert parts and parts.notes == (
        f"{path} was changed by another program since it was written (2 rows instead of 1)",
    )
    path.rename(path.with_name("part-7.parquet"))
    parts = place.parts("a", SNAPSHOT)
    assert parts and parts.notes == (
        f"table a of snapshot {SNAPSHOT} was rewritten by another program",
    )
    assert found(place)["a"] == [7, 8]


def test_a_broken_manifest(place: Folder) -> None:
    (path,) = place.path.glob(".evenfleet/manifests/*/*")
    sound = json.loads(path.read_text())
    del sound["crc32"]  # else nothing but that would be held
    (file, *_) = sound["tables"]["a"]
    odd_files = ({"x": 1}, {"name": [1]}, {"bytes": "1"}, {"cells": {"x": [["c"]]}})
    texts = [
        *("", "{}", "[1]", "[" * 100_000, "1" * 100_000),
        *(json.dumps(sound | {"removed": odd}) for odd in (1, [[1]])),
        *(json.dumps(sound | {"tables": {"a": [file | odd]}}) for odd in odd_files),
    ]
    for text in texts:
        path.write_text(text)
        with pytest.raises(UnreadableError, match=f"{path}, which tells the files of that"):
            place.parts("a", SNAPSHOT)
    assert "which tells the files" in str(place.broken(SNAPSHOT, OWNED))
    write(place, 2, ("a", "b"))
    assert found(place) == in_place(place) == NEW
