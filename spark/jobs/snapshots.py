"""`evenfleet snapshots`: what a store has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from spark.errors import InputError
from spark.files import Opener, Where
from spark.fleet import TABLES, clusters_in, ids, kinds_of_groups, row_counts, unfinished
from spark.settings import read_settings
from spark.terminal import (
    Conf,
    Config,
    Form,
    Format,
    Master,
    Store,
    StoreTables,
    busy,
    opened_store,
    say,
    show,
    store_in,
    tell,
)

CLUSTERS = "clusters"

OTHER_KINDS = "other_kinds"
"""Column for the groups that aren't consumer groups; there is no room for it on a terminal."""


def snapshots(
    store: Store = None,
    tables: StoreTables = None,
    master: Master = None,
    conf: Conf = None,
    config: Config = None,
    form: Form = Format.TABLE,
) -> None:
    """List the snapshots of a store, oldest first: clusters, rows, and whether they are whole."""
    source = store_in(store, tables)
    with opened_store(source, master, conf, read_settings(config)) as opener:
        list_snapshots(opener, source, form)


def list_snapshots(opener: Opener, store: Where, form: Format) -> None:
    """Print a row a snapshot; a table that a snapshot lacks has no count."""
    with busy("looking at the store"):
        found = {table: ids(opener, store, table) for table in TABLES}
        counted = {table: row_counts(opener, store, table) for table in TABLES}
        states = unfinished(opener, store)
        kinds = kinds_of_groups(opener, store)
        every = sorted(set().union(*found.values()))
        held = clusters_in(opener, store, every) if every else {}
    rows = []
    for snapshot in every:
        broken = [table for table, (_, unreadable) in counted.items() if snapshot in unreadable]
        state = f"{', '.join(broken)} can't be read" if broken else states.get(snapshot, "whole")
        of_tables = {
            table: rows_of.get(snapshot, 0) if snapshot in found[table] else None
            for table, (rows_of, _) in counted.items()
        }
        foreign = kinds.get(snapshot, {})
        rows.append(
            {
                "snapshot": snapshot,
                "state": state,
                **of_tables,
                OTHER_KINDS: ", ".join(f"{count} {kind}" for kind, count in foreign.items())
                or None,
                CLUSTERS: held[snapshot],
            }
        )
    if not rows:
        raise InputError(f"store {store} has no snapshot: import or write one first")
    hidden = [name for name, table in TABLES.items() if not table.shown]
    show({"snapshots": rows}, form, [*hidden, OTHER_KINDS, CLUSTERS])
    if form is not Format.JSON:
        tell(CLUSTERS, _in_turn(held))
    if told := rows[-1][OTHER_KINDS]:
        say(f"Groups of snapshot {rows[-1]['snapshot']} that aren't consumer groups: {told}.")
    skipped = [str(row["snapshot"]) for row in rows if row["state"] != "whole"]
    if skipped:
        say(f"Skipped, since they aren't whole: {', '.join(skipped)}.")


def _in_turn(held: Mapping[str, Sequence[str]]) -> list[str]:
    """The clusters of the snapshots, a sentence for all in a row that have the same."""
    sentences = []
    for clusters, alike in groupby(held, held.__getitem__):
        first, *others = alike
        ids = f"{first} to {others[-1]}" if others else first
        sentences.append(f"{ids}: {', '.join(clusters) or 'none'}")
    return sentences
