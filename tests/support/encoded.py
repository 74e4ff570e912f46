"""Former names of `tests.support.rows`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.support.fleets import Fleet
from tests.support.rows import OF_MEMBERS, REFERENCES, collide, rows_of

rename_hash = collide


def encoded_group(fleet: Fleet, group: str = "g", cluster: str = "c") -> Any:
    return rows_of(fleet, group, cluster)


def names_of(row: Any, hashes: Sequence[int]) -> list[str]:
    """The names behind the hashes of one of the row's columns."""
    of_topics = hashes is row.claim_topics
    named, _ = REFERENCES[1] if of_topics else (OF_MEMBERS, ())
    entries: dict[int, str] = {}
    for names, codes in named:
        entries |= dict(zip(getattr(row, codes), getattr(row, names), strict=True))
    return [entries.get(code, "?") for code in hashes]
