"""`evenfleet snapshots`: what a store has."""

from __future__ import annotations

from pyspark.sql import SparkSession

from spark import InputError
from spark.fleet import TABLES, ids, kinds_of_groups, row_counts, unfinished
from spark.settings import read_settings
from spark.terminal import Conf, Config, Form, Format, Master, Store, busy, opened, say, show

OTHER_KINDS = "other_kinds"
"""Column for the groups that aren't consumer groups; there is no room for it on a terminal."""


def snapshots(
    store: Store,
    master: Master = None,
    conf: Conf = None,
    config: Config = None,
    form: Form = Format.TABLE,
) -> None:
    """List the snapshots of a store, oldest first, with their rows and whether they are whole."""
    with opened(master, conf, read_settings(config)) as spark:
        list_snapshots(spark, store, form)


def list_snapshots(session: SparkSession, store: str, form: Format) -> None:
    """Print a row a snapshot; a table that a snapshot lacks has no count."""
    with busy("looking at the store"):
        found = {table: ids(session, store, table) for table in TABLES}
        counted = {table: row_counts(session, store, table) for table in TABLES}
        states = unfinished(session, store)
        kinds = kinds_of_groups(session, store)
    rows = []
    for snapshot in sorted(set().union(*found.values())):
        broken = [table for table, (_, unreadable) in counted.items() if snapshot in unreadable]
        state = f"{', '.join(broken)} can't be read" if broken else states.get(snapshot, "whole")
        of_tables = {
            table: rows_of.get(snapshot, 0) if snapshot in found[table] else None
            for table, (rows_of, _) in counted.items()
        }
        foreign = kinds.get(snapshot, {})
        kinds_told = ", ".join(f"{count} {kind}" for kind, count in foreign.items()) or None
        rows.append({"snapshot": snapshot, "state": state, **of_tables, OTHER_KINDS: kinds_told})
    if not rows:
        raise InputError(f"store {store} has no snapshot: import or write one first")
    hidden = [name for name, table in TABLES.items() if not table.shown]
    show({"snapshots": rows}, form, [*hidden, OTHER_KINDS])
    if told := rows[-1][OTHER_KINDS]:
        say(f"Groups of snapshot {rows[-1]['snapshot']} that aren't consumer groups: {told}.")
    skipped = [str(row["snapshot"]) for row in rows if row["state"] != "whole"]
    if skipped:
        say(f"Skipped, since they aren't whole: {', '.join(skipped)}.")
