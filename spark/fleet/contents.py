"""Rows, clusters and kinds of groups of a store's snapshots, from manifests as far as they tell."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from optimizer.figures import UNITS, data_size, duration, plural
from spark.fleet.clusters import clusters_by_snapshot
from spark.fleet.kinds import MEMBERLESS_STATES, other_kind_of
from spark.fleet.schemas import KIND, TABLES
from spark.fleet.store import time_of
from spark.fleet.utf8 import spell
from spark.store import Source

NAMED = 20
"""Snapshots that a sentence names at most."""


@dataclass(frozen=True)
class Contents:
    """One snapshot: how many rows each table has that is there, and its clusters, sorted.

    `unreadable_tables` have no rows here. `other_kinds` counts groups that aren't consumer groups,
    by kind; a group's state shows whether it has members.
    """

    rows: Mapping[str, int]
    unreadable_tables: tuple[str, ...]
    clusters: tuple[str, ...]
    other_kinds: Mapping[str, int]

    def row(self, snapshot: str, unfinished: str | None) -> dict[str, Any]:
        """The snapshot in a list of them: a table that it lacks has no count."""
        broken = ", ".join(self.unreadable_tables)
        other_kinds = (f"{count} {kind}" for kind, count in self.other_kinds.items())
        return {
            "snapshot": snapshot,
            "state": f"{broken} can't be read" if broken else unfinished or "whole",
            **{
                name: 0 if name in self.unreadable_tables else self.rows.get(name)
                for name in TABLES
            },
            "other_kinds": ", ".join(other_kinds) or None,
            "clusters": [*self.clusters],
        }


def clusters_in_turn(contents: Mapping[str, Contents]) -> list[str]:
    """The clusters of snapshots, a sentence for all in a row that have the same."""
    sentences = []
    for clusters, alike in groupby(contents, lambda snapshot: contents[snapshot].clusters):
        first, *others = alike
        ids = f"{first} to {others[-1]}" if others else first
        sentences.append(f"{ids}: {', '.join(clusters) or 'none'}")
    return sentences


def stored_in_words(states: Mapping[str, str | None], newest: Mapping[str, Any]) -> str:
    """The number of a store's snapshots, and what its `newest`, a row of `listed`, holds."""
    since = f" since {next(iter(states))}" if len(states) > 1 else ""
    age = f" is {newest['age']} old and" if newest["age"] else ""
    of = plural(newest["clusters"], "cluster")
    groups = plural(newest["groups"] or 0, "group")
    return f"{plural(len(states), 'snapshot')}{since}. The newest{age} has {groups} of {of}."


def listed_for_people(row: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """A row of `Contents` in a list that people read, with its age in whole units."""
    seconds = max(0, int((now - at).total_seconds())) if (at := time_of(row["snapshot"])) else 0
    unit = max((length for length in UNITS.values() if length <= seconds), default=1)
    return {
        "snapshot": row["snapshot"],
        "age": duration(seconds - seconds % unit) if at else None,
        "clusters": len(row["clusters"]),
        **{name: row[name] for name in ("groups", "members", "partitions")},
        "size": None if row["bytes"] is None else data_size(row["bytes"]),
        "state": row["state"],
    }


def contents_report(
    rows: Sequence[Mapping[str, Any]], states: Mapping[str, str | None], hint: str
) -> Iterator[str]:
    """Sentences below a list of snapshots; `hint` says how to get the others of `states`."""
    listed = {row["snapshot"]: row["state"] for row in rows}
    others = [snapshot for snapshot in states if snapshot not in listed]
    broken = [snapshot for snapshot, state in listed.items() if state != "whole"]
    if skipped := sorted([*broken, *(snapshot for snapshot in others if states[snapshot])]):
        named = ", ".join(skipped[-NAMED:])
        more = f"{len(skipped) - NAMED} older ones, " if len(skipped) > NAMED else ""
        yield f"Skipped because they are incomplete: {more}{named}."
    if others:
        ids = f"from {others[0]} to {others[-1]}" if len(others) > 1 else others[0]
        yield f"Not listed: {plural(len(others), 'other snapshot')}, {ids} ({hint})."


def contents_of(source: Source, snapshots: Collection[str]) -> dict[str, Contents]:
    """The contents of these snapshots; files are opened where no manifest tells them."""
    seen = source.for_one_look()
    by_snapshot = {
        snapshot: [table for table in TABLES if seen.has(table, snapshot)] for snapshot in snapshots
    }
    statistics = seen.tally(TABLES, snapshots)
    clusters = clusters_by_snapshot(seen, snapshots)
    other_kinds = _other_kinds(seen, snapshots)
    return {
        snapshot: Contents(
            {
                table: statistics[table, snapshot].total()
                for table in tables
                if (table, snapshot) in statistics
            },
            tuple(table for table in tables if (table, snapshot) not in statistics),
            tuple(clusters[snapshot]),
            other_kinds.get(snapshot, {}),
        )
        for snapshot, tables in by_snapshot.items()
    }


def _other_kinds(source: Source, snapshots: Collection[str]) -> dict[str, dict[str, int]]:
    by_snapshot = {}
    for (_, snapshot), rows in source.tally(["groups"], snapshots, KIND).items():
        other_kinds: Counter[str] = Counter()
        for texts, count in rows.items():
            type_, strategy, state = (None if text is None else spell(text) for text in texts)
            members = () if state in MEMBERLESS_STATES else (None,)
            if kind := other_kind_of(type_, strategy, members):
                other_kinds[kind] += count
        by_snapshot[snapshot] = dict(sorted(other_kinds.items()))
    return by_snapshot
