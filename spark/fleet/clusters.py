"""Clusters of a store's snapshots, and the newest snapshot of each.

Clusters are collected one by one as well as together, so that the newest snapshot of a store may
have one of them only. The fleet at an instant is the newest whole snapshot of each cluster, as far
as a greatest age reaches back from that instant.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import timedelta
from functools import reduce
from typing import NamedTuple

from pyspark.sql import Column, DataFrame, functions as F

from spark.fleet.schemas import TABLES
from spark.fleet.store import Stored, skipped_sentence, time_of
from spark.fleet.teams import Team, team_column
from spark.fleet.utf8 import escaped_rows, is_like, is_named, spell
from spark.store import Opener, Source, Where, source_of

BEYOND = 24
"""Older snapshots that are examined, to name clusters that no newer one has."""

MAX_AGE = timedelta(hours=24)
"""How much older than the newest snapshot of all that of a cluster may be."""

NAMING = [name for name, table in TABLES.items() if ("cluster",) in table.counted_columns]
"""The smaller tables: what a cluster has at all, one of them names."""

Held = Mapping[str, Sequence[str]]
"""The clusters of snapshots, by id, oldest first."""


class Part(NamedTuple):
    """The groups of a cluster that a pattern of names fits (see `spark.patterns`); None is any.

    With `teams`, those of the last of them alone: a group belongs to the first that it fits.
    """

    cluster: str | None = None
    group: str | None = None
    teams: Sequence[Team] = ()

    def __bool__(self) -> bool:
        return self != WHOLE

    def __str__(self) -> str:
        """In words, as in `it has no …`: groups matching 'pay*' of cluster west."""
        fit = "groups" if self.group is None else f"groups matching {self.group!r}"
        of_team = f" of team {self.teams[-1].name}" if self.teams else ""
        return fit + of_team + (f" of cluster {self.cluster}" if self.cluster is not None else "")

    def has_group(self) -> Column:
        """Whether the `group` of a row, which a cluster of the part has, is in it."""
        fits = F.lit(True) if self.group is None else is_like("group", self.group)
        return fits & (team_column(self.teams) == self.teams[-1].name) if self.teams else fits

    def has_row(self) -> Column:
        """Whether the `cluster` and the `group` of a row are in it."""
        fits = F.lit(True) if self.cluster is None else is_named("cluster", [self.cluster])
        return fits & self.has_group()


WHOLE = Part()
"""All of a fleet."""


class Composition(NamedTuple):
    """The snapshots that a fleet is read from, an id for each cluster; `id` is the newest.

    Without `instants` it is that one snapshot, whichever clusters it has. `left_out` has the
    clusters of the last `BEYOND` snapshots out of reach that aren't among them, with the last that
    has each; `unread` the snapshots within reach of which no cluster can be read, and `unfinished`
    those within reach and later ones that aren't whole, with the reason.
    """

    id: str
    instants: Mapping[str, str] = {}
    left_out: Mapping[str, str] = {}
    unread: tuple[str, ...] = ()
    unfinished: Mapping[str, str] = {}

    def notes(self) -> Iterator[str]:
        """Sentences on what isn't in the fleet."""
        for cluster, name in self.left_out.items():
            why = "isn't whole" if name in self.unfinished else f"isn't within max_age of {self.id}"
            yield f"cluster {cluster} is left out: {name}, the last snapshot with it, {why}"
        for name in self.unread:
            yield f"snapshot {name} is left out: no cluster can be read from it"
        for name, why in self.unfinished.items():
            yield skipped_sentence(name, why)


FindOlder = Callable[[], Composition | None]
"""Finds the fleet before another: only whoever asks for it waits until it is examined."""


def compositions(
    opener: Opener, store: Where, stored: Stored, max_age: timedelta, snapshot: str | None = None
) -> tuple[Composition, FindOlder]:
    """The newest fleet of the whole snapshots of a store, or just `snapshot`; what finds the older.

    Older is, for each cluster, the last snapshot that has it before the one that is taken; where
    none within reach has it, the last one before all those, which may not have it either.
    """
    if snapshot:
        older = stored.up_to(snapshot).without(snapshot)
        return Composition(snapshot), lambda: next(map(Composition, older.newest_first()), None)
    recent_ids = recent(stored, max_age)
    near = within_reach(recent_ids, max_age)
    skipped = {
        name: why
        for name, why in stored.unfinished_seen.items()
        if name > near[-1] or not time_of(name) or name in within_reach([name, near[-1]], max_age)
    }
    if len(recent_ids) == 1 and not skipped:
        return Composition(recent_ids[0]), lambda: None
    out_of_reach = [name for name in recent_ids if name not in near][-BEYOND:]
    held = clusters_in(opener, store, [*out_of_reach, *near, *skipped])
    reachable = {name: held[name] for name in near}
    newest = newest_of_each(reachable)
    last = newest_of_each({name: held[name] for name in [*out_of_reach, *skipped]})
    left_out = {cluster: name for cluster, name in last.items() if cluster not in newest}
    unread = tuple(name for name in near if not held[name])
    now = Composition(near[-1], newest, left_out, unread, skipped)
    beyond = [name for name in recent_ids if name < near[0]][-1:]
    if len(near) == 1:
        return now, lambda: Composition(beyond[0]) if beyond else None
    before = dict.fromkeys(newest, beyond[0]) if beyond else {}
    before |= ones_before(reachable, newest)
    return now, lambda: Composition(max(before.values()), before) if before else None


def recent(stored: Stored, max_age: timedelta) -> list[str]:
    """The whole snapshots that tell what a fleet is, oldest first: of many no other is examined.

    Those are all within reach of the newest, and the last `BEYOND` that aren't, at least.
    """
    recent_ids: list[str] = []
    out_of_reach = 0
    for name in stored.newest_first():
        recent_ids.append(name)
        if name in within_reach([name, recent_ids[0]], max_age):
            continue
        out_of_reach += 1
        if out_of_reach >= BEYOND:
            break
    return recent_ids[::-1]


def within_reach(snapshots: Sequence[str], max_age: timedelta) -> list[str]:
    """Snapshots at most `max_age` older than the last, oldest first; their ids are times."""
    times = {snapshot: at for snapshot in snapshots if (at := time_of(snapshot))}
    end = times[snapshots[-1]]
    return [snapshot for snapshot, at in times.items() if end - at <= max_age]


def evenly(snapshots: Sequence[str], most: int) -> list[str]:
    """At most `most` of them, two or more, the first and the last among them."""
    if len(snapshots) <= most:
        return [*snapshots]
    return [snapshots[at * (len(snapshots) - 1) // (most - 1)] for at in range(most)]


def clusters_in(opener: Opener, store: Where, snapshots: Sequence[str]) -> Held:
    """The clusters of each of these snapshots, sorted; none where no file of it can be read."""
    return clusters_by_snapshot(source_of(opener, store).for_one_look(), snapshots)


def clusters_by_snapshot(source: Source, snapshots: Collection[str]) -> dict[str, list[str]]:
    """The clusters of each of these snapshots, sorted, in a source that is open.

    One column is read, of the tables of `NAMING`. A broken table is passed over.
    """
    held: dict[str, set[str]] = {name: set() for name in snapshots}
    for (_, snapshot), rows in source.tally(NAMING, snapshots, ["cluster"]).items():
        held[snapshot] |= {spell(cluster) for (cluster,) in rows if cluster is not None}
    return {snapshot: sorted(clusters) for snapshot, clusters in held.items()}


def clusters_of(tables: Mapping[str, DataFrame]) -> list[str]:
    """The clusters of one snapshot's tables, sorted."""
    named = (tables[name].select("cluster") for name in NAMING if name in tables)
    distinct = reduce(DataFrame.unionAll, named).dropna().distinct()
    return sorted({row.cluster for row in escaped_rows(distinct).collect()})


def snapshots_by_cluster(held: Mapping[str, Collection[str]]) -> dict[str, list[str]]:
    """The snapshots that have each cluster, by its name, as `held` has the clusters of each."""
    snapshots: dict[str, list[str]] = {}
    for snapshot, clusters in held.items():
        for cluster in clusters:
            snapshots.setdefault(cluster, []).append(snapshot)
    return dict(sorted(snapshots.items()))


def newest_of_each(held: Held) -> dict[str, str]:
    """For each cluster the newest snapshot that has it, in the order of their names."""
    return {cluster: snapshots[-1] for cluster, snapshots in snapshots_by_cluster(held).items()}


def ones_before(held: Held, newest: Mapping[str, str]) -> dict[str, str]:
    """For each cluster the snapshot with it that comes before that one, where there is any."""
    older = {
        snapshot: [cluster for cluster in clusters if snapshot < newest.get(cluster, "")]
        for snapshot, clusters in held.items()
    }
    return newest_of_each(older)
