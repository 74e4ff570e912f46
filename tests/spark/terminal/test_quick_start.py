"""Which stores are small."""

from __future__ import annotations

from pathlib import Path

from spark.terminal.quick_start import SMALL, SMALL_TOGETHER, is_small


def test_many_small_snapshots_are_much_together(tmp_path: Path) -> None:
    """A third of what one snapshot may have: 8 MB, in files that take no space."""
    for snapshot in range(3):
        folder = tmp_path / "members" / f"snapshot={snapshot}"
        folder.mkdir(parents=True)
        with (folder / "part.parquet").open("wb") as file:
            file.truncate(SMALL_TOGETHER // 2)
        few = snapshot < 2
        assert (is_small(str(tmp_path)), is_small(str(tmp_path), many=True)) == (True, few)
    with (folder / "more.parquet").open("wb") as file:
        file.truncate(SMALL)
    assert not is_small(str(tmp_path))
