"""A file that is replaced as one step, and one that is read whole."""

import json
import os
import re
import shutil
import stat
from pathlib import Path

import pytest

from spark.errors import InputError, RunError, UnreadableError
from spark.store import Folder, read_whole, replace_text
from spark.store.manifest import LARGEST_MANIFEST
from tests.support.fleets import SNAPSHOT
from tests.support.small import small


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_it_is_replaced_and_who_may_read_it_is_up_to_the_umask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, umask: int, mode: int
) -> None:
    """It takes its place when all of it is on the disk."""
    on_disk: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda opened: on_disk.append(os.fstat(opened).st_size))
    path = tmp_path / "evenfleet.prom"
    path.write_text("old and longer", encoding="utf-8")
    before = os.umask(umask)
    try:
        replace_text(path, "né\n")
    finally:
        os.umask(before)
    assert path.read_bytes() == "né\n".encode()
    assert on_disk[0] == 4
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("step", ["os.fsync", "pathlib.Path.replace"])
def test_when_writing_fails_the_old_one_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """And no part of a new one, whichever name it had."""

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "evenfleet.prom"
    path.write_text("old", encoding="utf-8")
    monkeypatch.setattr(step, fail)
    with pytest.raises(RunError, match=r"evenfleet\.prom can't be written: No space left"):
        replace_text(path, "new")
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="can't be written: Not a directory"):
        replace_text(tmp_path / "file" / "x.prom", "")


def test_what_may_have_no_end_is_not_read(tmp_path: Path) -> None:
    """A pipe that nobody writes to, a device, more than the limit; of a snapshot's manifest too."""
    (tmp_path / "file").write_bytes(b"12345")
    assert read_whole(tmp_path / "file", 5) == b"12345"
    with pytest.raises(OSError, match="it is too large: at most 4 bytes are read"):
        read_whole(tmp_path / "file", 4)
    (zero := tmp_path / "zero").symlink_to("/dev/zero")
    os.mkfifo(pipe := tmp_path / "pipe")
    (large := tmp_path / "large").touch()
    os.truncate(large, LARGEST_MANIFEST + 1)
    manifests = tmp_path / "store/.evenfleet/manifests/snapshot=1"
    manifests.mkdir(parents=True)
    for file, why in ((zero, "device or a pipe"), (pipe, "device or a pipe"), (large, "too large")):
        file.rename(manifests / "manifest")
        with pytest.raises(UnreadableError, match=why):
            Folder(tmp_path / "store").manifest("1")
        (manifests / "manifest").unlink()


def test_what_lies_beside_the_files_of_a_table_is_not_read(tmp_path: Path) -> None:
    """With a manifest and without, Spark would take notes in the folder for rows."""
    small().store(tmp_path)
    folder = tmp_path / f"members/snapshot={SNAPSHOT}"
    (folder / ".hidden").write_text("x")
    (folder / "notes.txt").write_text("mine")
    for _ in range(2):
        parts = Folder(tmp_path).parts("members", SNAPSHOT)
        assert parts == (tuple(map(str, folder.glob("*.parquet"))), ())
        shutil.rmtree(tmp_path / ".evenfleet", ignore_errors=True)


def test_a_manifest_that_has_changed_is_named_and_one_of_before_is_read(tmp_path: Path) -> None:
    small().store(tmp_path)
    (path,) = (tmp_path / f".evenfleet/manifests/snapshot={SNAPSHOT}").iterdir()
    text = path.read_text()
    size = re.search(r'"bytes": (\d)', text)
    assert size
    path.write_text(f"{text[: size.start(1)]}{(int(size[1]) + 1) % 10}{text[size.end(1) :]}")
    with pytest.raises(UnreadableError, match=f"{path}, which tells the files of that snapshot"):
        Folder(tmp_path).parts("members", SNAPSHOT)
    without = {key: value for key, value in json.loads(text).items() if key != "crc32"}
    path.write_text(json.dumps(without))
    with pytest.raises(UnreadableError, match=f"{path}, which tells the files of that snapshot"):
        Folder(tmp_path).parts("members", SNAPSHOT)
    del without["replaces"]
    path.write_text(json.dumps(without))
    assert "members" in (Folder(tmp_path).manifest(SNAPSHOT) or pytest.fail()).tables
