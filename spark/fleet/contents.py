"""What the snapshots of a store have in them, without all of it being read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

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
