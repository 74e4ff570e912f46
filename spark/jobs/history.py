"""`evenfleet history`: what happened to a fleet, from snapshot to snapshot."""

from optimizer.figures import plural
from spark import terminal
from spark.fleet import HISTORY, as_rows, check_out
from spark.history import abandoned_lag, left_behind, most_restless, restless, totals, worse
from spark.terminal import Table, busy, say, say_all, say_answer, show

HIDDEN = ("first", "last", "this_week", "last_week", "most_per_hour", "takeovers")


def history(source: terminal.HistoryOptions, target: terminal.OutOptions) -> None:
    """Report how groups changed over time, and how often and why they rebalanced."""
    out = target.optional()
    source.check()
    with source.session(many=True) as spark:
        check_out(spark, out, HISTORY)
        with source.read(spark) as past, busy("looking for changes"):
            if out is not None:
                past.write(out)
            most = as_rows(restless(past.changes, past.rebalances, past.timeline.snapshots))
            got_worse = as_rows(worse(past.states))
            left = as_rows(left_behind(past.states))
            answer = totals(most, past.states, past.rebalances)
    say_answer(f"{answer} {most_restless(most)}".rstrip())
    tables = {
        "restless": Table(most, title="groups that rebalance most"),
        "worse": Table(got_worse, is_detail=True, title="groups that got less even"),
    }
    show(tables, HIDDEN)
    if got_worse:
        say(f"{plural(len(got_worse), 'group')} got less even by count (--all).")
    say_all(abandoned_lag(left))
    terminal.say_snapshots(past.timeline.snapshots)
    terminal.say_written(out, "states", "changes", "rebalances")
    terminal.lead_to([row | {"advice_kind": "look"} for row in most[:1]], "")
