"""`evenfleet history`: what happened to a fleet, from snapshot to snapshot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import DataFrame, SparkSession

from spark.files import SNAPSHOT, Where, table_in, write_by_snapshot
from spark.fleet import HISTORY, RESULTS, check_out
from spark.history import FleetHistory, restless, totals, worse
from spark.terminal import (
    HistoryOptions,
    OutOptions,
    Table,
    as_rows,
    busy,
    say,
    say_snapshots,
    show,
)

ROWS_SHOWN = 10
"""Groups of each table that people see unless they ask for all."""

HIDDEN = ("first", "last", "most_per_hour", "takeovers")


def history(source: HistoryOptions, target: OutOptions) -> None:
    """Report how groups changed over time, and how often and why they rebalanced."""
    out = target.required()
    source.check()
    with source.session(many=True) as spark:
        check_out(spark, out, HISTORY)
        history_of_store(spark, source.read(spark, "history"), out)


def history_of_store(session: SparkSession, past: FleetHistory, out: Where) -> None:
    """Write the three tables, each by snapshot, and print what is worth a look."""
    with past, busy("looking for changes"):
        states, changes, rebalances = past.states, past.changes, past.rebalances
        tables = dict(
            zip(RESULTS[HISTORY], map(_laid_out, (states, changes, rebalances)), strict=True)
        )
        write_by_snapshot(session, out, tables, _replaced(past.snapshots))
        shown = {
            "restless groups": Table(
                as_rows(restless(changes, rebalances, past.timeline.snapshots).collect()),
                most=ROWS_SHOWN,
            ),
            "groups that got worse": Table(as_rows(worse(states).collect()), most=ROWS_SHOWN),
        }
        sentence = totals(states, changes, rebalances)
    show(shown, HIDDEN)
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
