"""`evenfleet history`: what happened to a fleet, from snapshot to snapshot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import DataFrame, SparkSession

from spark.files import SNAPSHOT, Where, table_in, write_by_snapshot
from spark.fleet import HISTORY, RESULTS, Part, check_out, check_writable
from spark.history import FleetHistory, restless, totals, worse
from spark.settings import read_settings
from spark.terminal import (
    ClusterName,
    Conf,
    Config,
    Form,
    Format,
    GroupPattern,
    Master,
    Out,
    OutTables,
    Since,
    Store,
    StoreTables,
    Until,
    as_rows,
    busy,
    opened,
    out_in,
    read_history,
    say,
    say_snapshots,
    show,
    since_in,
    store_in,
)

SHOWN = 10
"""Groups of each table that people see: all are in what is written."""

HIDDEN = ("first", "last")


def history(
    store: Store = None,
    tables: StoreTables = None,
    out: Out = None,
    out_tables: OutTables = None,
    since: Since = None,
    until: Until = None,
    cluster: ClusterName = None,
    group: GroupPattern = None,
    master: Master = None,
    conf: Conf = None,
    config: Config = None,
    form: Form = Format.TABLE,
) -> None:
    """Tell how groups were, what changed in them, and how often they rebalanced and why."""
    source, target = store_in(store, tables), out_in(out, out_tables)
    settings = read_settings(config)
    first = since_in(since)
    check_writable(target)
    with opened(master, conf, settings, source, many=True) as spark:
        check_out(spark, target, HISTORY)
        past = read_history(spark, source, "history", first, until, Part(cluster, group), settings)
        history_of_store(spark, past, target, form)


def history_of_store(session: SparkSession, past: FleetHistory, out: Where, form: Format) -> None:
    """Write the three tables, each by snapshot, and print what is worth a look."""
    with past, busy("looking for changes"):
        states, changes, rebalances = past.states, past.changes, past.rebalances
        tables = dict(
            zip(RESULTS[HISTORY], map(_laid_out, (states, changes, rebalances)), strict=True)
        )
        write_by_snapshot(session, out, tables, _replaced(past.snapshots))
        shown = {
            "restless groups": as_rows(restless(changes, rebalances).limit(SHOWN).collect()),
            "groups that got worse": as_rows(worse(states).limit(SHOWN).collect()),
        }
        sentence = totals(changes, rebalances)
    show(shown, form, HIDDEN)
    say_snapshots(past.timeline.snapshots)
    say(sentence)
    say(
        "Each snapshot's groups are in "
        f"{table_in(out, 'states')}, what changed on the way to it in "
        f"{table_in(out, 'changes')} and {table_in(out, 'rebalances')}."
    )


def _replaced(snapshots: list[str]) -> Mapping[str, Sequence[str]]:
    """Each snapshot's tables; of the first it isn't known what happened on the way to it."""
    first, *others = snapshots
    return {first: RESULTS[HISTORY][:1]} | dict.fromkeys(others, RESULTS[HISTORY])


def _laid_out(rows: DataFrame) -> DataFrame:
    """One file a snapshot."""
    return rows.repartition(SNAPSHOT).sortWithinPartitions(SNAPSHOT, "cluster", "group")
