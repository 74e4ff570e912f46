"""`evenfleet history`: what happened to a fleet, from snapshot to snapshot."""

from spark import terminal
from spark.fleet import HISTORY, as_rows, check_out
from spark.history import restless, totals, worse
from spark.store import table_in
from spark.terminal import ROWS_SHOWN, Table, busy, say, say_answer, show

HIDDEN = ("first", "last", "generations", "most_per_hour", "takeovers")


def history(source: terminal.HistoryOptions, target: terminal.OutOptions) -> None:
    """Report how groups changed over time, and how often and why they rebalanced."""
    out = target.required()
    source.check()
    with source.session(many=True) as spark:
        check_out(spark, out, HISTORY)
        with source.read(spark, "history") as past, busy("looking for changes"):
            past.write(out)
            states, changes, rebalances = past.states, past.changes, past.rebalances
            most = as_rows(restless(changes, rebalances, past.timeline.snapshots))
            got_worse = as_rows(worse(states))
            sentence = totals(states, changes, rebalances)
    tables = {
        "restless groups": Table(most, most=ROWS_SHOWN),
        "groups that got worse": Table(got_worse, most=ROWS_SHOWN),
    }
    show(tables, HIDDEN)
    terminal.say_snapshots(past.timeline.snapshots)
    say_answer(sentence)
    say(
        "Each snapshot's groups are in "
        f"{table_in(out, 'states')}, what changed on the way to it in "
        f"{table_in(out, 'changes')} and {table_in(out, 'rebalances')}."
    )
