"""How much the snapshots of a store have in them, without all of it being read."""

from __future__ import annotations

from collections import Counter

from spark.files import Opener, Where, source_of
from spark.fleet.kinds import kind_of
from spark.fleet.states import MEMBERLESS_STATES
from spark.fleet.utf8 import spelled

FACTS = ("type", "strategy", "state")
"""Columns of the table of groups that tell of what kind one is."""


def row_counts(opener: Opener, store: Where, table: str) -> tuple[dict[str, int], set[str]]:
    """How many rows of the table each snapshot has, and the snapshots that can't be read."""
    source = source_of(opener, store)
    there = source.ids(table)
    tallied = source.tally([table], there)
    counts = {snapshot: rows.total() for (_, snapshot), rows in tallied.items()}
    return counts, set(there).difference(counts)


def kinds_of_groups(opener: Opener, store: Where) -> dict[str, dict[str, int]]:
    """How many groups that aren't consumer groups each snapshot has that can be read, by kind.

    Whether a group has members is told by its state here.
    """
    source = source_of(opener, store)
    found = {}
    for (_, snapshot), rows in source.tally(["groups"], source.ids("groups"), FACTS).items():
        kinds: Counter[str] = Counter()
        for facts, count in rows.items():
            type_, strategy, state = (None if one is None else spelled(one) for one in facts)
            if kind := kind_of(type_, strategy, has_members=state not in MEMBERLESS_STATES):
                kinds[kind] += count
        if kinds:
            found[snapshot] = dict(sorted(kinds.items()))
    return found
