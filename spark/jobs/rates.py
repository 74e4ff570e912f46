"""`evenfleet rates`: how fast each partition flows, and who can't keep up with it."""

from __future__ import annotations

from typing import Annotated

from spark.files import table_in
from spark.fleet import RATES, check_out
from spark.history import QUANTILE, busiest, groups_behind, summary_of_group
from spark.settings import window_length
from spark.terminal import (
    OutOptions,
    PartOptions,
    Table,
    Until,
    Window,
    as_rows,
    busy,
    option,
    print_list,
    read_history,
    say,
    say_snapshots,
    show,
    snapshots_read,
)
from spark.text import as_sentence

ROWS_SHOWN = 10
"""Partitions that people see unless they ask for all."""


def rates(
    source: PartOptions,
    target: OutOptions,
    window: Window = "24h",
    quantile: Annotated[float, option("Quantile of the rates.", min=0, max=1)] = QUANTILE,
    until: Until = None,
) -> None:
    """Report how fast partitions are written and read, and which groups fall behind."""
    out, settings, part = target.required(), source.settings, source.part
    length = window_length(window)
    with source.session(many=True) as spark:
        check_out(spark, out, RATES)
        since = length + settings.max_age
        with read_history(spark, source.where, "rates", since, until, part, settings) as history:
            with busy("comparing offsets"):
                result = history.rates(length, quantile)
            snapshot, held = history.snapshots[-1], result.window.snapshots
            with busy("working out rates"), result.written(out, snapshot):
                fast = as_rows(busiest(result.rates, result.window).collect())
                late = as_rows(groups_behind(result.consumption, result.window).collect())
                resets = result.rates.where("resets > 0").count()
    shown = {
        "busiest": Table(fast, title="busiest partitions, in records a second", most=ROWS_SHOWN),
        "behind": Table(late, is_shown=False),
    }
    show(shown | snapshots_read(held))
    print_list("groups that fall behind", [summary_of_group(row) for row in late] or ["None does."])
    say_snapshots(held)
    for note in result.notes:
        say(as_sentence(note))
    if resets:
        start = "1 partition starts" if resets == 1 else f"{resets} partitions start"
        say(f"{start} again: the end offset fell, as when a topic is created again.")
    say(
        f"Snapshot {snapshot}: what is written is in {table_in(out, 'rates')}, what groups read in "
        f"{table_in(out, 'consumption')}, and the members' rates in {table_in(out, 'members')}."
    )
    if part:
        say(f"Only {part} are listed.")
