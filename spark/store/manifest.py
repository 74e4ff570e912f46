"""A manifest: which files are the tables of one snapshot, and how often values occur in them."""

from __future__ import annotations

import json
import re
import secrets
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from functools import reduce
from operator import add
from typing import Any, TypeVar
from zlib import crc32

from spark.errors import UnreadableError
from spark.store.source import Cells

MAX_COMBINATIONS = 500
"""Combinations of values that are listed; for more, the file has to be opened."""

LARGEST_MANIFEST = 1 << 26
"""Bytes of the largest that is read: a file of a table takes up to 100 kB of it."""

Columns = tuple[str, ...]
"""Columns of texts, of which combinations of values are counted."""

ColumnStatistics = Mapping[str, Collection[Columns]]
"""By table what a manifest is to tell of its files."""

NOTHING: ColumnStatistics = {}

ColumnCounts = Mapping[str, Sequence[Sequence[str | int | None]]]
"""By the names of columns, with commas between them: the values of each combination, and how often
it occurs."""


def column_statistics(counted: Mapping[Columns, Counter[Cells]]) -> ColumnCounts:
    """The counts of a file's values as a manifest has them."""
    return {
        ",".join(columns): sorted(
            ([*map(_text, cells), count] for cells, count in of.items()), key=repr
        )
        for columns, of in counted.items()
        if len(of) <= MAX_COMBINATIONS
    }


def cells_counted(counts: Collection[ColumnCounts], columns: Columns) -> Counter[Cells] | None:
    """Counts of several files' values together; None unless all of them have some."""
    key = ",".join(columns)
    if any(key not in of_file for of_file in counts):
        return None
    return reduce(add, (_counter(of_file[key]) for of_file in counts), Counter())


def _counter(rows: Sequence[Sequence[str | int | None]]) -> Counter[Cells]:
    return Counter({tuple(map(_bytes, cells)): int(count or 0) for *cells, count in rows})


def _text(value: bytes | None) -> str | None:
    """Bytes that are no UTF-8 are kept as well: JSON escapes what stands for them."""
    return None if value is None else value.decode("utf-8", "surrogateescape")


def _bytes(text: str | int | None) -> bytes | None:
    return None if text is None else str(text).encode("utf-8", "surrogateescape")


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
    cells: ColumnCounts = field(default_factory=dict)


@dataclass(frozen=True)
class Manifest:
    """The files of each table; `removed` are tables that the one before had and this one hasn't.

    Of two manifests of a snapshot the one of the higher version holds. `replaces` are the names of
    files, by table, that it makes void; those of earlier versions don't tell: None.
    """

    version: int = 0
    tables: Mapping[str, Sequence[File]] = field(default_factory=dict)
    removed: Sequence[str] = ()
    replaces: Mapping[str, Sequence[str]] | None = None

    def next(
        self,
        version: int,
        tables: Mapping[str, Sequence[File]],
        owned: Collection[str],
        replaces: Mapping[str, Sequence[str]],
    ) -> Manifest:
        """The manifest after this one: `owned` tables are those of `tables`, all others stay."""
        others = {name: files for name, files in self.tables.items() if name not in owned}
        kept = [name for name in self.removed if name not in owned]
        removed = [*kept, *sorted(set(owned).difference(tables))]
        before = {n: names for n, names in (self.replaces or {}).items() if n not in owned}
        return Manifest(version, others | dict(tables), removed, before | dict(replaces))

    def names(self, table: str) -> dict[str, File]:
        """The files of a table by name."""
        return {file.name: file for file in self.tables.get(table, ())}

    def strange(self, table: str, lying: Iterable[str]) -> list[str]:
        """The names, among a table's files, of those that another program put there.

        What a run of ours wrote and the manifest doesn't name is on its way out, or not there yet.
        """
        ours = {*self.names(table), *(self.replaces or {}).get(table, ())}
        return [name for name in lying if name not in ours and not (self.version and run_of(name))]

    def of(self, tables: Collection[str]) -> dict[str, Sequence[File]]:
        """The files of those tables that are there."""
        return {name: files for name, files in self.tables.items() if name in tables}

    def to_text(self) -> str:
        """One line of JSON, with its own CRC-32."""
        fields = asdict(self)
        return json.dumps(fields | {"crc32": _crc32(fields)}, sort_keys=True)

    @staticmethod
    def from_text(text: str, path: str) -> Manifest:
        """Read what `to_text` wrote; UnreadableError names the path of any other text."""
        try:
            fields = json.loads(text)
            checksum = fields.pop("crc32", None)
            if checksum != _crc32(fields) and (checksum or "replaces" in fields):
                raise ValueError
            tables = {
                name: tuple(file_of(**file) for file in files)
                for name, files in fields["tables"].items()
            }
            removed = [_of(str, name) for name in fields["removed"]]
            replaces = fields.get("replaces")
            if replaces is not None:
                replaces = {t: [_of(str, name) for name in of] for t, of in replaces.items()}
            return Manifest(_of(int, fields["version"]), tables, removed, replaces)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise UnreadableError(
                f"{path}, which tells the files of that snapshot, can't be read: write the "
                "snapshot again, or remove that file if its tables are sound"
            ) from None


def _crc32(fields: Mapping[str, Any]) -> str:
    """Of a manifest without it, in hex; those of the first versions have none."""
    return f"{crc32(json.dumps(fields, sort_keys=True).encode()):08x}"


def file_of(**values: Any) -> File:
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


_TIME = "%Y%m%dT%H%M%SZ"

OVER = timedelta(days=1)
"""After so long nothing is taken for the work of a run that may still be alive."""

_RUN = re.compile(r"-(\d{8}T\d{6}Z-[0-9a-f]{8})\.parquet$", re.ASCII)


def new_run() -> str:
    """The name of a run: when it began, in UTC, and something that no other has."""
    return f"{datetime.now(UTC):{_TIME}}-{secrets.token_hex(4)}"


def run_of(name: str) -> str | None:
    """The run that wrote a file of that name, if one of ours did."""
    named = _RUN.search(name)
    return named and named[1]


def is_over(run: str) -> bool:
    """Whether a run of that name began so long ago that nothing can be its work any more."""
    try:
        began = datetime.strptime(run.partition("-")[0], _TIME).replace(tzinfo=UTC)
    except ValueError:  # nothing of ours
        return False
    return datetime.now(UTC) - began > OVER
