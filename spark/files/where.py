"""How a place is named: by a path, or as a schema of one of the session's catalogs."""

from __future__ import annotations

import re
from dataclasses import dataclass

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
    def quoted(self) -> str:
        """The name as SQL has it."""
        return ".".join(_quoted(part) for part in re.findall(_PART, self.name))

    def table(self, table: str) -> str:
        """The name of one of its tables, as SQL has it."""
        return f"{self.quoted}.{_quoted(table)}"


Where = str | CatalogSchema


def _quoted(part: str) -> str:
    return part if part.startswith("`") else f"`{part}`"


def table_in(where: Where, table: str) -> str:
    """One table of a place, as people name it."""
    return f"{where}.{table}" if isinstance(where, CatalogSchema) else f"{where}/{table}"
