"""A store: a folder of snapshots, `STORE/<table>/snapshot=<id>/*.parquet`, or a catalog's schema.

Plans and comparisons are laid out in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path

from optimizer.figures import did_you_mean
from spark.errors import InputError, UnreadableError
from spark.fleet.schemas import TABLES
from spark.store import REMOVED, Folder, Opener, Source, Where, source_of
from spark.text import near_path

SLIP = 0.9
"""How alike two ids are of which one may be a slip for the other: they differ in a digit or two."""

BEING_WRITTEN = "it is being written, or its writing was cut short"

WITHOUT_TIME = "its id isn't a time like 20261121T060000Z"

_TIME = "%Y%m%dT%H%M%SZ"

REQUIRED = [name for name, table in TABLES.items() if table.required]


def snapshot_id(text: str | None = None) -> str:
    """`text` if it is a time in UTC like 20261121T060000Z; now if it is None.

    InputError for any other: ids are compared as times, and one that sorts last as text would stay
    the newest for ever.
    """
    if text is None:
        return f"{datetime.now(UTC):{_TIME}}"
    if not time_of(text):
        raise InputError(
            f"{text!r} can't be the id of a snapshot: use a time in UTC like 20261121T060000Z"
        )
    return text


def time_of(snapshot: str) -> datetime | None:
    """The time that an id like 20261121T060000Z is; None for ids that are none."""
    if not re.fullmatch(r"\d{8}T\d{6}Z", snapshot, re.ASCII):
        return None
    try:
        return datetime.strptime(snapshot, _TIME).replace(tzinfo=UTC)
    except ValueError:  # the 30th of February
        return None


def skipped_sentence(snapshot: str, why: str) -> str:
    """A sentence on a snapshot that readers pass over."""
    return f"Skipped: {_unusable(snapshot, why)}"


def _unusable(snapshot: str, why: str, of: str = "") -> str:
    state = "" if why == WITHOUT_TIME else " isn't whole"
    return f"snapshot {snapshot}{of}{state}: {why}"


class Stored:
    """The snapshots of a store, of which each is examined when somebody asks for it, and once.

    A snapshot is whole when its id is a time, every required table has it, none of them is being
    written, and no file is missing or cut short. One that was removed meanwhile isn't there.
    """

    def __init__(
        self,
        names: Iterable[str],
        why: Callable[[str], str | None],
        look_ahead: Callable[[Collection[str]], object] = len,
    ) -> None:
        self._ids = [*names]  # oldest first
        self._why = why
        self._look_ahead = look_ahead
        self._known: dict[str, str | None] = {}

    @staticmethod
    def in_source(source: Source) -> Stored:
        """The snapshots that a source has now."""
        seen = source.for_one_look()
        stored = Stored(
            sorted(seen.ids_of(TABLES)), partial(_why_not_whole, seen), seen.having_fetched
        )
        stored._known = {
            snapshot: WITHOUT_TIME for snapshot in stored._ids if not time_of(snapshot)
        }
        return stored

    def why_not(self, snapshot: str) -> str | None:
        """Why a snapshot isn't whole, `REMOVED` if it isn't there; None if it is whole."""
        if snapshot not in self._known:
            is_stored = snapshot in self._ids
            self._known[snapshot] = self._why(snapshot) if is_stored else REMOVED
        return self._known[snapshot]

    def newest_first(self) -> Iterator[str]:
        """The ids of those that are whole."""
        return (snapshot for snapshot in reversed(self._ids) if self.why_not(snapshot) is None)

    def up_to(self, snapshot: str) -> Stored:
        """One snapshot, and those that are older by their ids."""
        older = (name for name in self._ids if name <= snapshot)
        return Stored(older, self.why_not, self._look_ahead)

    def without(self, snapshot: str) -> Stored:
        """The other ones, of which those that aren't whole have been told of."""

        def why(snapshot: str) -> str | None:
            return REMOVED if self.why_not(snapshot) else None

        return Stored((name for name in self._ids if name != snapshot), why)

    @property
    def states(self) -> dict[str, str | None]:
        """Each snapshot, oldest first, and why it isn't whole, if it isn't."""
        self._look_ahead([snapshot for snapshot in self._ids if snapshot not in self._known])
        every = {snapshot: self.why_not(snapshot) for snapshot in self._ids}
        return {snapshot: why for snapshot, why in every.items() if why != REMOVED}

    @property
    def whole(self) -> list[str]:
        """The ids of those that are whole, oldest first."""
        return [snapshot for snapshot, why in self.states.items() if why is None]

    @property
    def unfinished(self) -> dict[str, str]:
        """The others, oldest first, and why they aren't whole."""
        return {snapshot: why for snapshot, why in self.states.items() if why}

    @property
    def unfinished_seen(self) -> dict[str, str]:
        """Snapshots that aren't whole, of those that have been examined so far."""
        examined = sorted(self._known.items())
        return {name: why for name, why in examined if why and why != REMOVED}


def snapshots(opener: Opener, store: Where) -> list[str]:
    """The ids of the whole snapshots of a store, oldest first."""
    return stored_in(opener, store).whole


def stored_in(opener: Opener, store: Where) -> Stored:
    """The snapshots of a store, if it has any."""
    return Stored.in_source(source_of(opener, store))


def has_snapshots(opener: Opener, where: Where) -> bool:
    """Whether something is a store with a whole snapshot."""
    source = source_of(opener, where)
    if not all(source.ids_of([table]) for table in REQUIRED):
        return False
    return any(True for _ in Stored.in_source(source).newest_first())


def _why_not_whole(source: Source, snapshot: str) -> str | None:
    """Examined twice before an error is raised: a run may have put files in place meanwhile."""
    why, again = _why_as_seen(source, snapshot), source.for_next_look()
    if why and again is not source:
        why = _why_as_seen(again, snapshot)
    return REMOVED if why and again.is_gone(snapshot, TABLES) else why


def _why_as_seen(source: Source, snapshot: str) -> str | None:
    present = [name for name in TABLES if source.has(name, snapshot)]
    if not present:
        return REMOVED
    if source.being_written([snapshot]):
        return BEING_WRITTEN
    lacking = [name for name in REQUIRED if name not in present]
    return f"it lacks {', '.join(lacking)}" if lacking else source.broken(snapshot, TABLES)


def whole(opener: Opener, store: Where, snapshot: str | None = None) -> Stored:
    """The snapshots of a store, up to `snapshot` if one is named.

    Raises InputError when none is whole, or not that one.
    """
    stored = stored_in(opener, store)
    is_there = stored.why_not(snapshot) is None if snapshot else any(stored.newest_first())
    if not is_there:
        raise InputError(_why_none(opener, store, snapshot, stored))
    return stored.up_to(snapshot) if snapshot else stored


def check_folder(opener: Opener, where: Where, remedy: str = "import or write one first") -> None:
    """Raise InputError where a local folder of a store, or of results, isn't there."""
    place = source_of(opener, where)
    if _is_local(place) and not Path(place.root).exists():
        raise InputError(f"no folder {where}{near_path(place.root) or f': {remedy}'}")
    if _is_local(place) and not Path(place.root).is_dir():
        raise InputError(f"{where} is a file: give a folder")


def _is_local(source: Source) -> bool:
    return isinstance(source, Folder) and source.is_local


def _why_none(opener: Opener, store: Where, snapshot: str | None, stored: Stored) -> str:
    """Why there is no such snapshot, and which there are."""
    check_folder(opener, store)
    others = stored.unfinished
    newest = snapshot or next(reversed(others), None)
    if newest and (why := others.get(newest)):
        return _unusable(newest, why, f" of store {store}")
    wanted = f"snapshot {snapshot}" if snapshot else "whole snapshot"
    if present := [*islice(stored.newest_first(), 5)]:
        newest = ", ".join(reversed(present))
        near = did_you_mean(snapshot, present, SLIP) if snapshot else ""
        return f"store {store} has no {wanted}: the newest it has are {newest}{near}"
    empty = [name for name in REQUIRED if not ids(opener, store, name)]
    place = source_of(opener, store)
    inside = _is_local(place) and sorted(Path(place.root).glob(f"*/{REQUIRED[0]}"))
    if inside and len(empty) == len(REQUIRED):
        return f"{store} is no store; did you mean {inside[0].parent}?"
    lacks = f" (nothing is in {', '.join(empty)})" if empty else ""
    return f"store {store} has no {wanted}{lacks}: import or write one first"


def ids(opener: Opener, store: Where, table: str) -> list[str]:
    """The ids of the snapshots of which the table has a file, from the names of files alone."""
    return source_of(opener, store).ids(table)


def check_not_removed(source: Source, opened: Iterable[str]) -> None:
    """Raise UnreadableError if one of these snapshots, whose tables are open, has been removed.

    Tables that weren't there when they were to be opened aren't taken for optional ones so.
    """
    if gone := [name for name in opened if source.is_gone(name, TABLES)]:
        raise UnreadableError(
            f"snapshot {gone[0]} of {source.root} was removed while it was read: run it again"
        )


def removed_since(source: Source, snapshot: str, tables: Collection[str]) -> list[str]:
    """A sentence for each table that the snapshot was written with, and hasn't now."""
    gone = set(source.tables_of(snapshot)).difference(tables)
    return [f"table {name} of snapshot {snapshot} was removed since" for name in sorted(gone)]
