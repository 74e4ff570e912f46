"""What the snapshots of a store have in them, without all of it being read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from spark.files import Source
from spark.fleet.clusters import clusters_by_snapshot
from spark.fleet.kinds import MEMBERLESS_STATES, kind_of
from spark.fleet.schemas import KIND, TABLES
from spark.fleet.utf8 import spelled


@dataclass(frozen=True)
class Contents:
    """What one snapshot has: the rows of each table that is there, and its clusters, sorted.

    `unreadable` tables have no rows here. `other_kinds` has how many groups aren't consumer groups,
    by kind; whether a group has members is told by its state.
    """

    rows: Mapping[str, int]
    unreadable: tuple[str, ...]
    clusters: tuple[str, ...]
    other_kinds: Mapping[str, int]

    def row(self, snapshot: str, unfinished: str | None) -> dict[str, Any]:
        """The snapshot in a list of them: a table that it lacks has no count."""
        broken = ", ".join(self.unreadable)
        kinds = (f"{count} {kind}" for kind, count in self.other_kinds.items())
        return {
            "snapshot": snapshot,
            "state": f"{broken} can't be read" if broken else unfinished or "whole",
            **{name: 0 if name in self.unreadable else self.rows.get(name) for name in TABLES},
            "other_kinds": ", ".join(kinds) or None,
            "clusters": [*self.clusters],
        }


def clusters_in_turn(contents: Mapping[str, Contents]) -> list[str]:
    """The clusters of snapshots, a sentence for all in a row that have the same."""
    sentences = []
    for clusters, alike in groupby(contents, lambda item: contents[item].clusters):
        first, *others = alike
        ids = f"{first} to {others[-1]}" if others else first
        sentences.append(f"{ids}: {', '.join(clusters) or 'none'}")
    return sentences


def contents_of(source: Source, snapshots: Collection[str]) -> dict[str, Contents]:
    """What these snapshots have; files are opened where no manifest tells it."""
    seen = source.for_one_look()
    there = {
        snapshot: [table for table in TABLES if seen.has(table, snapshot)] for snapshot in snapshots
    }
    statistics = seen.tally(TABLES, snapshots)
    clusters = clusters_by_snapshot(seen, snapshots)
    kinds = _other_kinds(seen, snapshots)
    return {
        item: Contents(
            {
                table: statistics[table, item].total()
                for table in tables
                if (table, item) in statistics
            },
            tuple(table for table in tables if (table, item) not in statistics),
            tuple(clusters[item]),
            kinds.get(item, {}),
        )
        for item, tables in there.items()
    }


def _other_kinds(source: Source, snapshots: Collection[str]) -> dict[str, dict[str, int]]:
    result = {}
    for (_, snapshot), rows in source.tally(["groups"], snapshots, KIND).items():
        kinds: Counter[str] = Counter()
        for facts, count in rows.items():
            type_, strategy, state = (None if fact is None else spelled(fact) for fact in facts)
            if kind := kind_of(type_, strategy, has_members=state not in MEMBERLESS_STATES):
                kinds[kind] += count
        result[snapshot] = dict(sorted(kinds.items()))
    return result
