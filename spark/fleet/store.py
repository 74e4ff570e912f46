"""A store: a folder of snapshots, `STORE/<table>/snapshot=<id>/*.parquet`, or a catalog's schema.

Plans and comparisons are laid out in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from spark.errors import InputError
from spark.files import Opener, Source, Where, source_of
from spark.fleet.schemas import TABLES

ID = re.compile(r"\w[\w.-]*", re.ASCII)

BEING_WRITTEN = "it is being written, or its writing was cut short"


def snapshot_id(stated: str | None = None) -> str:
    """`stated` if it can be the name of a folder anywhere, or now, in UTC, if it is None."""
    if stated is None:
        return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    if not ID.fullmatch(stated):
        raise InputError(
            f"{stated!r} can't be the id of a snapshot: it is a time like 20261121T060000Z, or "
            "any letters, digits, '-', '_' and '.'"
        )
    return stated


def snapshots(opener: Opener, store: Where) -> list[str]:
    """The ids of the whole snapshots of a store, oldest first.

    A snapshot is whole when every required table has it, none of them is being written, and no
    file is missing or cut short.
    """
    return [one for one, why in states_of(source_of(opener, store)).items() if why is None]


def unfinished(opener: Opener, store: Where) -> dict[str, str]:
    """The ids of the snapshots that aren't whole, oldest first, and why they aren't."""
    return {one: why for one, why in states_of(source_of(opener, store)).items() if why}


def states_of(source: Source) -> dict[str, str | None]:
    """Each snapshot, oldest first, and why it isn't whole, if it isn't."""
    found = {name: set(ids) for name, ids in source.ids_of(TABLES).items()}
    every = sorted(set.union(*found.values()))
    writing = source.being_written(every)

    def why(snapshot: str) -> str | None:
        if snapshot in writing:
            return BEING_WRITTEN
        lacking = [
            name for name, table in TABLES.items() if table.required and snapshot not in found[name]
        ]
        return f"it lacks {', '.join(lacking)}" if lacking else source.broken(snapshot, TABLES)

    return {one: why(one) for one in every}


class Stored(NamedTuple):
    """The snapshots of a store: the ids of those that are whole, oldest first, and the others."""

    whole: list[str]
    unfinished: dict[str, str]


def whole(opener: Opener, store: Where, snapshot: str | None = None) -> Stored:
    """What a store has, up to `snapshot` if one is named.

    Raises InputError when none is whole, or not that one.
    """
    states = states_of(source_of(opener, store))
    present = [one for one, why in states.items() if why is None]
    others = {one: why for one, why in states.items() if why}
    if not present or (snapshot and snapshot not in present):
        raise InputError(_why_not(opener, store, snapshot, present, others))
    if snapshot:
        return Stored([one for one in present if one <= snapshot], others)
    return Stored(present, others)


def _why_not(
    opener: Opener,
    store: Where,
    snapshot: str | None,
    present: Sequence[str],
    others: dict[str, str],
) -> str:
    """Why there is no such snapshot, and what there is instead."""
    newest = snapshot or next(reversed(others), None)
    if newest and (why := others.get(newest)):
        return f"snapshot {newest} of store {store} isn't whole: {why}"
    wanted = f"snapshot {snapshot}" if snapshot else "whole snapshot"
    if present:
        return f"store {store} has no {wanted}: the newest it has are {', '.join(present[-5:])}"
    required = [name for name, table in TABLES.items() if table.required]
    empty = [name for name in required if not ids(opener, store, name)]
    lacks = f" (nothing is in {', '.join(empty)})" if empty else ""
    return f"store {store} has no {wanted}{lacks}: import or write one first"


def ids(opener: Opener, store: Where, table: str) -> list[str]:
    """The ids of the snapshots of which the table has a file, from the names of files alone."""
    return source_of(opener, store).ids(table)


def removed_since(source: Source, snapshot: str, tables: Collection[str]) -> list[str]:
    """A sentence for each table that the snapshot was written with, and hasn't now."""
    gone = set(source.written(snapshot)).difference(tables)
    return [f"table {name} of snapshot {snapshot} was removed since" for name in sorted(gone)]
