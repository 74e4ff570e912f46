"""A file that is replaced as one step."""

import os
import stat
from pathlib import Path

import pytest

from spark.errors import InputError, RunError
from spark.files import replace_text


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_it_is_replaced_and_who_may_read_it_is_up_to_the_umask(
    tmp_path: Path, umask: int, mode: int
) -> None:
    path = tmp_path / "evenfleet.prom"
    path.write_text("old and longer", encoding="utf-8")
    before = os.umask(umask)
    try:
        replace_text(path, "né\n")
    finally:
        os.umask(before)
    assert path.read_bytes() == "né\n".encode()
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
