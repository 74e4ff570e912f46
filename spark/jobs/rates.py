"""`evenfleet rates`: how fast each partition flows, and who can't keep up with it."""

from contextlib import ExitStack
from typing import Annotated

from optimizer.figures import figure, plural
from spark import terminal
from spark.fleet import RATES, as_rows, check_out
from spark.history import (
    QUANTILE,
    abandoned_lag,
    behind_for_people,
    behind_verdict,
    busiest,
    groups_behind,
)
from spark.settings import window_length
from spark.terminal import Table, busy, option, say, say_all, say_answer, show
from spark.text import as_sentence


def rates(
    source: terminal.PartOptions,
    target: terminal.OutOptions,
    window: terminal.Window = "24h",
    quantile: Annotated[float, option("Quantile of the rates.", min=0, max=1)] = QUANTILE,
    until: terminal.Until = None,
) -> None:
    """Report how fast partitions are written and read, and which groups fall behind."""
    out, part = target.optional(), source.part
    length = window_length(window)
    with source.session(many=True) as spark, ExitStack() as kept:
        check_out(spark, out, RATES)
        since = length + source.settings.max_age
        history = kept.enter_context(source.history(spark, since, until, part))
        with busy("comparing offsets"):
            flows = history.rates(length, quantile)
        snapshot, held = history.snapshots[-1], flows.window.snapshots
        with busy("working out rates"):
            if out is not None:
                kept.enter_context(flows.writing(out, snapshot))
            fast = as_rows(busiest(flows.rates, flows.window))
            late = as_rows(groups_behind(flows.consumption, flows.present, flows.window))
            resets = flows.rates.where("resets > 0").count()
    flow = figure(sum(row["mean"] for row in fast))
    come = f"{flow} records/s come in on {plural(len(fast), 'partition')}."
    say_answer(f"{come} {behind_verdict(late)}")
    slow = [behind_for_people(row) for row in late if row["members"]]
    by_quantile = f"busiest partitions, records/s (quantile: p{figure(quantile * 100)})"
    clusters = [
        {"cluster": cluster, "first": ids[0], "last": ids[-1], "snapshots": len(ids)}
        for cluster, ids in held.items()
    ]
    tables = {
        "behind": Table(late, slow, bool(slow), title="groups that fall behind"),
        "busiest": Table(fast, title=by_quantile, is_detail=bool(slow)),
        "clusters": Table(clusters, is_shown=False),
    }
    show(tables, ("pairs", "resets"))
    say_all([*abandoned_lag(late), *map(as_sentence, flows.notes)])
    if resets:
        say(f"The end of {plural(resets, 'partition')} fell, as of a topic that is made again.")
    terminal.say_snapshots(held)
    terminal.say_written(out, "rates", "consumption", "members")
    if part:
        say(f"Only {part} are listed.")
    worst = [row | {"advice_kind": "look"} for row in late if row["members"]]
    terminal.lead_to(worst[:1], "")
