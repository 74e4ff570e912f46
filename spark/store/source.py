"""Where the tables of snapshots are read from: files of a folder, or tables of a catalog schema."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from pyspark.sql import DataFrame, Row, SparkSession

from spark.errors import InputError

_PART = r"[^`.\s]+|`(?:[^`]|``)+`"
_NAME = re.compile(rf"(?:{_PART})(?:\.(?:{_PART}))*")


@dataclass(frozen=True)
class CatalogSchema:
    """A schema whose tables have a column `snapshot`, instead of folders: `catalog.schema`.

    A part of the name that has a dot in it is written between backticks. InputError if it can't be
    a name.
    """

    name: str

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise InputError(
                f"{self.name!r} can't be the name of a schema: it is one like catalog.schema"
            )

    def __str__(self) -> str:
        return self.name

    @property
    def quoted_name(self) -> str:
        """The name as SQL has it."""
        return ".".join(_quote(part) for part in re.findall(_PART, self.name))

    def table(self, table: str) -> str:
        """The name of one of its tables, as SQL has it."""
        return f"{self.quoted_name}.{_quote(table)}"


Where = str | CatalogSchema


def _quote(part: str) -> str:
    return part if part.startswith("`") else f"`{part}`"


T = TypeVar("T")

SNAPSHOT = "snapshot"
"""The column that tells of which snapshot a row is, where rows of several come together."""

Cells = tuple[bytes | None, ...]
"""Values of columns of texts in one row; None is null."""


def cells_in(row: Row, columns: Sequence[str]) -> Cells:
    """The values of these columns, each of which is called `of_…` in a row of Spark's."""
    cells = (row[f"of_{name}"] for name in columns)
    return tuple(None if cell is None else bytes(cell) for cell in cells)


class StoredTable(NamedTuple):
    """One table of one snapshot; `notes` tell what was made of it since it was written.

    Its files say that `without_nulls` are columns that have none; the others may have some.
    """

    rows: DataFrame
    notes: tuple[str, ...]
    without_nulls: frozenset[str] = frozenset()


REMOVED = "it was removed"
"""Why a snapshot isn't whole that was removed since its name was seen."""


class Source(ABC):
    """Tables of snapshots; `root` is how a user names it."""

    root: str

    def for_one_look(self) -> Source:
        """A source that keeps what it has seen once: for one look at many snapshots."""
        return self

    def for_next_look(self) -> Source:
        """A source for another look: itself, where that would see nothing else."""
        return self

    def having_fetched(self, snapshots: Collection[str]) -> Source:
        """The source, after it has fetched what tells whether these snapshots are whole."""
        return self

    @abstractmethod
    def ids(self, table: str) -> list[str]:
        """The ids of the snapshots of which the table has something, in their order."""

    @abstractmethod
    def ids_of(self, tables: Iterable[str]) -> set[str]:
        """The ids of the snapshots of which any of these tables may have something."""

    def has(self, table: str, snapshot: str) -> bool:
        """Whether the table has something of that snapshot."""
        return snapshot in self.ids(table)

    def is_gone(self, snapshot: str, tables: Collection[str]) -> bool:
        """Whether the snapshot, which was there when its name was seen, has been removed since."""
        return False

    def at_once(self, snapshots: Collection[str], read: Callable[[], T]) -> T:
        """Read tables of these snapshots, all of them as one run left them."""
        return read()

    @abstractmethod
    def being_written(self, among: Collection[str]) -> set[str]:
        """The snapshots, among these, that Spark is writing in place, as other programs do."""

    @abstractmethod
    def broken(self, snapshot: str, tables: Collection[str]) -> str | None:
        """The fault of these tables, as far as a quick look tells; None without one."""

    @abstractmethod
    def tables_of(self, snapshot: str) -> Collection[str]:
        """The tables that the snapshot was written with, as far as that is known."""

    @abstractmethod
    def read(self, session: SparkSession, table: str, snapshot: str) -> StoredTable | None:
        """One table of one snapshot; None when it isn't there, UnreadableError when broken."""

    @abstractmethod
    def read_several(
        self, session: SparkSession, table: str, snapshots: Collection[str]
    ) -> list[StoredTable]:
        """One table of several snapshots, of each that has it; `SNAPSHOT` is a column more.

        Rows that have the same columns come together. Files are examined quickly, and all that
        is wrong with their bytes shows when they are read. UnreadableError when one is broken.
        """

    @abstractmethod
    def tally(
        self, tables: Collection[str], snapshots: Collection[str], columns: Sequence[str] = ()
    ) -> dict[tuple[str, str], Counter[Cells]]:
        """How often each combination of values these columns of texts have, by table and snapshot.

        What isn't there or can't be read is left out. A column that a table lacks is null.
        """
