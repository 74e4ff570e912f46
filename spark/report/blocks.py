"""What a report is made of: sections, and in them blocks of few kinds, each drawn by a macro."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar


@dataclass(frozen=True)
class Words:
    """A paragraph; the first of a report is its verdict."""

    kind: ClassVar[str] = "words"
    text: str
    weight: str = "plain"
    """`plain`, `verdict` or `aside`."""


@dataclass(frozen=True)
class Points:
    """A list of sentences, in order if that matters."""

    kind: ClassVar[str] = "points"
    sentences: Sequence[str]
    in_order: bool = False


@dataclass(frozen=True)
class Figure:
    """A number with what it counts, and what it was before, if that is known."""

    label: str
    value: str
    before: str | None = None


@dataclass(frozen=True)
class Figures:
    """Numbers side by side."""

    kind: ClassVar[str] = "figures"
    figures: Sequence[Figure]


@dataclass(frozen=True)
class Column:
    """A column of a table: the key of its cells, and its title with the unit."""

    key: str
    title: str
    number: bool = True


@dataclass(frozen=True)
class Table:
    """Rows under titles; people may filter and sort long ones. `more` tells what isn't shown."""

    kind: ClassVar[str] = "table"
    caption: str
    columns: Sequence[Column]
    rows: Sequence[Mapping[str, Any]]
    filtered: bool = False
    more: str = ""


@dataclass(frozen=True)
class Picture:
    """A drawing as SVG, with what it shows in a sentence."""

    kind: ClassVar[str] = "picture"
    title: str
    svg: str
    shows: str


@dataclass(frozen=True)
class Terms:
    """Words and what they mean."""

    kind: ClassVar[str] = "terms"
    meanings: Mapping[str, str]


@dataclass(frozen=True)
class Fold:
    """Blocks behind a title that people open."""

    kind: ClassVar[str] = "fold"
    title: str
    blocks: Sequence[Any]


@dataclass(frozen=True)
class Section:
    """A part of a report; `made_by` is the command that makes its tables."""

    name: str
    title: str
    blocks: Sequence[Any]
    made_by: str = ""
    brief: bool = False
    """Whether the short form has it as well."""
