"""A manifest: which files are the tables of one snapshot."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, TypeVar

from spark.errors import UnreadableError
from spark.files.column_statistics import ToldCells

T = TypeVar("T")

HIDDEN = ".evenfleet"
"""The folder of manifests and runs; readers of Parquet pass over names that begin with a dot."""


@dataclass(frozen=True)
class File:
    """A file as it was written: `crc32` of all its bytes, in hex, where that could be had.

    `cells` tell how often some of its values occur, where that was asked for when it was written.
    """

    name: str
    run: str
    bytes: int
    rows: int
    crc32: str | None = None
    cells: ToldCells = field(default_factory=dict)


@dataclass(frozen=True)
class Manifest:
    """The files of each table; `removed` are tables that the one before had and this one hasn't.

    Of two manifests of a snapshot the one of the higher version holds.
    """

    version: int = 0
    tables: Mapping[str, Sequence[File]] = field(default_factory=dict)
    removed: Sequence[str] = ()

    def replaced(
        self, version: int, tables: Mapping[str, Sequence[File]], owned: Collection[str]
    ) -> Manifest:
        """The next one: `owned` tables are as in `tables`, or not there; all others as they are."""
        others = {name: files for name, files in self.tables.items() if name not in owned}
        kept = [name for name in self.removed if name not in owned]
        removed = [*kept, *sorted(set(owned).difference(tables))]
        return Manifest(version, others | dict(tables), removed)

    def of(self, tables: Collection[str]) -> dict[str, Sequence[File]]:
        """The files of those tables that are there."""
        return {name: files for name, files in self.tables.items() if name in tables}

    def to_text(self) -> str:
        """One line of JSON."""
        return json.dumps(asdict(self), sort_keys=True)

    @staticmethod
    def from_text(text: str, path: str) -> Manifest:
        """What `to_text` made; UnreadableError names the path of a text that is something else."""
        try:
            result = json.loads(text)
            tables = {
                name: tuple(_file(**file) for file in files)
                for name, files in result["tables"].items()
            }
            removed = [_of(str, name) for name in result["removed"]]
            return Manifest(_of(int, result["version"]), tables, removed)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise UnreadableError(
                f"{path}, which tells the files of that snapshot, can't be read: write the "
                "snapshot again, or remove that file if its tables are sound"
            ) from None


def _file(**values: Any) -> File:
    """A file of a manifest's text; TypeError for what isn't one."""
    file = File(**values)
    for value, kind in (
        *((file.name, str), (file.run, str), (file.bytes, int), (file.rows, int)),
        *((file.crc32 or "", str), (file.cells, dict)),
    ):
        _of(kind, value)
    for combinations in file.cells.values():
        for *texts, count in _of(list, combinations):
            _of(int, count)
            for text in texts:
                _of(str, text or "")
    return file


def _of(kind: type[T], value: Any) -> T:
    if not isinstance(value, kind):
        raise TypeError(f"{value!r} is no {kind.__name__}")
    return value
