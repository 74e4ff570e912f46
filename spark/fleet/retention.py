"""Snapshots of a store that have had their time, and how they go."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import Any

from optimizer.figures import data_size, plural
from spark.errors import InputError
from spark.fleet.clusters import snapshots_by_cluster
from spark.fleet.contents import contents_of
from spark.fleet.schemas import TABLES
from spark.fleet.store import BEING_WRITTEN, REQUIRED, Stored, time_of
from spark.store import (
    CatalogSource,
    Folder,
    Opener,
    Run,
    Source,
    Where,
    remove_from_catalog,
    source_of,
    writing,
    written_by_others,
)

DAY = timedelta(days=1)

NAMED = 20
"""Files that a sentence names at most."""


@dataclass(frozen=True)
class Retention:
    """How long snapshots are kept.

    Of those older than `age` stay, for each cluster, the newest of all and `daily` of each day
    (UTC): the last of each of that number of equal parts of the day, and where some have none the
    last others. That choice stays the same while older ones go.
    """

    age: timedelta
    daily: int = 0

    def to_keep(self, snapshots: Sequence[str]) -> set[str]:
        """Snapshots of one cluster, given oldest first, that stay however old they are."""
        days = groupby(snapshots, key=lambda snapshot: snapshot[:8])
        return {*snapshots[-1:], *(name for _, day in days for name in self._of_a_day([*day]))}

    def _of_a_day(self, snapshots: Sequence[str]) -> set[str]:
        parts = {self._part(snapshot): snapshot for snapshot in snapshots}
        last_of_parts = set(parts.values()) if self.daily else set()
        others = [snapshot for snapshot in reversed(snapshots) if snapshot not in last_of_parts]
        return last_of_parts.union(others[: max(0, self.daily - len(last_of_parts))])

    def _part(self, snapshot: str) -> int:
        at = time_of(snapshot)
        assert at, "ids that are no time have no day"
        return int((at - at.replace(hour=0, minute=0, second=0)) * self.daily / DAY)


@dataclass(frozen=True)
class Aged:
    """A snapshot that has had its time; `files` and `bytes` are None in a catalog.

    `foreign` files, which other programs put into its folders, go with it.
    """

    snapshot: str
    clusters: tuple[str, ...]
    rows: int
    files: int | None = None
    bytes: int | None = None
    foreign: tuple[str, ...] = ()

    def for_people(self) -> dict[str, Any]:
        """The snapshot in a table that people read, with its size in megabytes."""
        return {
            "snapshot": self.snapshot,
            "clusters": ", ".join(self.clusters) or None,
            "rows": self.rows,
            "files": self.files,
            "MB": None if self.bytes is None else self.bytes / 1e6,
        }


@dataclass(frozen=True)
class Pruning:
    """Snapshots that go, oldest first, and why others stay that may be older than `before`.

    `kept` whole ones that are older stay since a cluster needs them. `source` was examined for it.
    """

    source: Source
    before: datetime | None
    aged: Sequence[Aged]
    kept: Sequence[str]
    left: Mapping[str, str]

    def row_of(self, aged: Aged, gone: Collection[str]) -> dict[str, Any]:
        """A snapshot that has had its time, and whether it is gone."""
        return asdict(aged) | {"removed": aged.snapshot in gone}

    def answer(self, gone: Collection[str] | None, age: str) -> str:
        """How much was removed of what is older than `age`, or would be if `gone` is None."""
        if not self.before:
            return "No snapshot can be removed: none is whole."
        would, going = self._removal(gone)
        older = f"older than {age} (before {self.before:%Y%m%dT%H%M%SZ})"
        size = sum(aged.bytes or 0 for aged in going)
        of_bytes = f", {data_size(size)}" if size else ""
        return f"{would}: {plural(len(going), 'snapshot')} {older}{of_bytes}."

    def _removal(self, gone: Collection[str] | None) -> tuple[str, list[Aged]]:
        if gone is None:
            return "To be removed", [*self.aged]
        return "Removed", [aged for aged in self.aged if aged.snapshot in gone]

    def report(self, gone: Collection[str] | None) -> Iterator[str]:
        """Sentences on old snapshots that stay, and on other programs' files that go."""
        would, going = self._removal(gone)
        stay = [aged.snapshot for aged in self.aged if aged not in going]
        why = dict(self.left) | dict.fromkeys(stay, "another run has written or removed it")
        yield from (f"Left alone: snapshot {aged}: {reason}." for aged, reason in why.items())
        if foreign := [file for aged in going for file in aged.foreign]:
            files = f"{', '.join(foreign[:NAMED])}{', …' if len(foreign) > NAMED else ''}"
            number = plural(len(foreign), "file")
            yield f"{would} with them: {number} of other programs: {files}."
        if self.kept:
            kept = plural(len(self.kept), "snapshot")
            yield f"Kept of that age: {kept}, each the newest of a cluster or of its day."


def pruning_of(opener: Opener, store: Where, retention: Retention, now: datetime) -> Pruning:
    """The snapshots of a store that have had their time.

    Age is counted back from the newest snapshot, or from `now` if that is earlier: a store to which
    nothing comes any more isn't emptied by time alone, nor one with an id of the year 2999.

    InputError where there is none.
    """
    source = source_of(opener, store).for_one_look()
    stored = Stored.in_source(source)
    states = stored.states
    if not states:
        raise InputError(f"store {store} has no snapshot: import or write one first")
    written = written_by_others(source) if isinstance(source, Folder) else set()
    contents = contents_of(source, stored.whole)
    left = {snapshot: why for snapshot, why in states.items() if why}
    left |= dict.fromkeys(written.intersection(contents), BEING_WRITTEN)
    for snapshot, of_it in contents.items():
        if of_it.unreadable_tables:
            left[snapshot] = f"{', '.join(of_it.unreadable_tables)} can't be read"
    judged = [snapshot for snapshot in stored.whole if snapshot not in left]
    if not judged:
        return Pruning(source, None, (), (), left)
    before = min(time_of(judged[-1]) or now, now) - retention.age
    old = [snapshot for snapshot in judged if _is_before(snapshot, before)]
    held = {snapshot: contents[snapshot].clusters for snapshot in judged}
    needed = _names_to_keep(retention, held)
    return Pruning(
        source,
        before,
        [
            _aged_snapshot(source, snapshot, held[snapshot], contents[snapshot].rows)
            for snapshot in old
            if snapshot not in needed
        ],
        [snapshot for snapshot in old if snapshot in needed],
        {snapshot: why for snapshot, why in sorted(left.items()) if _is_before(snapshot, before)},
    )


def _names_to_keep(retention: Retention, held: Mapping[str, Collection[str]]) -> set[str]:
    """The snapshots that some cluster needs, and the newest of all."""
    return {max(held)}.union(*map(retention.to_keep, snapshots_by_cluster(held).values()))


def _is_before(snapshot: str, end: datetime) -> bool:
    """Whether it is older, or may be."""
    at = time_of(snapshot)
    return at is None or at < end


def _aged_snapshot(
    source: Source, snapshot: str, clusters: tuple[str, ...], rows: Mapping[str, int]
) -> Aged:
    total = sum(rows.values())
    if not isinstance(source, Folder):
        return Aged(snapshot, clusters, total)
    sizes = source.sizes(snapshot, TABLES)
    foreign = tuple(source.foreign_files(snapshot, TABLES))
    return Aged(snapshot, clusters, total, len(sizes), sum(sizes), foreign)


def prune(pruning: Pruning) -> Iterator[str]:
    """Remove what has had its time, the oldest first; the ids of those that are gone.

    One that was written since it was examined stays. InputError or RunError if the place can't be
    written.
    """
    if isinstance(pruning.source, Folder):
        place = pruning.source.again(keeps=False)
        with writing(place.root), Run(place, TABLES) as run:
            for aged in pruning.aged:
                if run.remove(aged.snapshot, pruning.source.manifest(aged.snapshot)):
                    yield aged.snapshot
        return
    assert isinstance(pruning.source, CatalogSource)
    required_first = sorted(TABLES, key=REQUIRED.__contains__, reverse=True)
    for aged in pruning.aged:
        remove_from_catalog(pruning.source, aged.snapshot, required_first)
        yield aged.snapshot


def now_in_utc() -> datetime:
    """The time zone of ids."""
    return datetime.now(UTC)
