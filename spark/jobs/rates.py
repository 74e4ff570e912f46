"""`evenfleet rates`: how fast each partition flows, and who can't keep up with it."""

from typing import Annotated

from spark import terminal
from spark.fleet import RATES, as_rows, check_out
from spark.history import QUANTILE, behind_for_people, behind_verdict, busiest, groups_behind
from spark.settings import window_length
from spark.store import table_in
from spark.terminal import ROWS_SHOWN, Table, busy, option, say, say_all, show
from spark.text import as_sentence

FLOW = ("cluster", "topic", "partition", "mean", "quantile", "maximum")
"""Columns of partitions that people see."""


def rates(
    source: terminal.PartOptions,
    target: terminal.OutOptions,
    window: terminal.Window = "24h",
    quantile: Annotated[float, option("Quantile of the rates.", min=0, max=1)] = QUANTILE,
    until: terminal.Until = None,
) -> None:
    """Report how fast partitions are written and read, and which groups fall behind."""
    out, part = target.required(), source.part
    length = window_length(window)
    with source.session(many=True) as spark:
        check_out(spark, out, RATES)
        since = length + source.settings.max_age
        with source.history(spark, "rates", since, until, part) as history:
            with busy("comparing offsets"):
                result = history.rates(length, quantile)
            snapshot, held = history.snapshots[-1], result.window.snapshots
            with busy("working out rates"), result.written(out, snapshot):
                fast = as_rows(busiest(result.rates, result.window))
                late = as_rows(groups_behind(result.consumption, result.window))
                resets = result.rates.where("resets > 0").count()
    slow = [behind_for_people(row) for row in late]
    flows = [{name: row[name] for name in FLOW} for row in fast]
    shown = {
        "busiest": Table(fast, flows, title="busiest partitions, records/s", most=ROWS_SHOWN),
        "behind": Table(
            late, slow, bool(late), title="groups that fall behind, lag in records", most=ROWS_SHOWN
        ),
    }
    clusters = [
        {"cluster": cluster, "first": ids[0], "last": ids[-1], "snapshots": len(ids)}
        for cluster, ids in held.items()
    ]
    show(shown | {"clusters": Table(clusters, is_shown=False)})
    say(behind_verdict(late))
    terminal.say_snapshots(held)
    say_all(map(as_sentence, result.notes))
    if resets:
        start = "1 partition starts" if resets == 1 else f"{resets} partitions start"
        say(f"{start} again: the end offset fell, as when a topic is created again.")
    say(
        f"Snapshot {snapshot}: what is written is in {table_in(out, 'rates')}, what groups read in "
        f"{table_in(out, 'consumption')}, and the members' rates in {table_in(out, 'members')}."
    )
    if part:
        say(f"Only {part} are listed.")
