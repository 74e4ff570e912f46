"""Which stores are small."""

from __future__ import annotations

from pathlib import Path

from spark.terminal.quick_start import MEDIUM_TOGETHER, SMALL, SMALL_TOGETHER, Size, size_of


def test_many_small_snapshots_are_much_together(tmp_path: Path) -> None:
    """A third of what one snapshot may have: 8 MB, in files that take no space."""
    store = str(tmp_path)
    for snapshot in range(3):
        file = _file_of(tmp_path, SMALL_TOGETHER // 2, snapshot)
        together = Size.SMALL if snapshot < 2 else Size.MEDIUM
        assert (size_of(store), size_of(store, many=True)) == (Size.SMALL, together)
    with file.with_name("more.parquet").open("wb") as more:
        more.truncate(SMALL)
    assert (size_of(store), size_of(store, many=True)) == (Size.LARGE, Size.MEDIUM)
    _file_of(tmp_path, MEDIUM_TOGETHER - SMALL, 3)
    assert size_of(store, many=True) is Size.LARGE


def _file_of(store: Path, size: int, snapshot: int) -> Path:
    folder = store / "members" / f"snapshot={snapshot}"
    folder.mkdir(parents=True)
    file = folder / "part.parquet"
    with file.open("wb") as written:
        written.truncate(size)
    return file
