"""`evenfleet replay`: what each strategy would have made of a fleet's history."""

from contextlib import ExitStack
from functools import partial

from pyspark.sql import functions as F

from spark import best_replayed, replay_fleet, terminal
from spark.fleet import GROUP_KEYS, REPLAY, as_rows, check_out
from spark.settings import CURRENT, MOVE_COSTS, costs_of, move_price
from spark.store import in_one_file, write_tables
from spark.terminal import Table, busy, say, say_answer, show
from spark.trial import idle_limits, verdicts

SAVED = ("saved_excess_hours", "saved_moves", "saved_stopped")

COLUMNS_SHOWN = (
    *("strategy", "mean_over_bound", "excess_hours", "moves", "stopped", "first_moves"),
    *("best_or_equal", "remote_read_hours", "not_evaluated", *MOVE_COSTS),
)
"""Columns that fit a terminal of 80, where they are known; JSON and the written table have all."""


def replay(
    source: terminal.HistoryOptions,
    target: terminal.OutOptions,
    trial: terminal.TrialOptions,
    move_cost: terminal.MoveCost = None,
) -> None:
    """Replay the history of a fleet under each strategy."""
    out, settings = target.optional(), trial.apply_to(source.settings)
    source.check()
    price = move_price(move_cost) if move_cost else None
    with source.session(many=True) as spark, ExitStack() as kept:
        check_out(spark, out, REPLAY)
        history = kept.enter_context(source.read(spark))
        trial.check_limits(idle_limits(history, settings.goals))
        newest = history.snapshots[-1]
        rates = kept.enter_context(source.weights(spark, settings, newest))
        replayed = kept.enter_context(
            replay_fleet(
                *(history, settings.strategies, settings.goals, settings.strategy_seconds, rates)
            )
        )
        with busy(f"replaying {len(history.snapshots)} snapshots"):
            groups, league = replayed.groups, replayed.league
            if out is not None:
                rows = in_one_file(groups, "cluster", "group", "strategy")
                write_tables(spark, out, newest, {"replay": rows, "league": league.coalesce(1)})
            shown = as_rows(league)
            shown = price.with_costs(shown) if price else shown
            saved = F.col("saved_excess_hours").desc_nulls_last(), "cluster", "group"
            best = groups.where(f"is_best and strategy != '{CURRENT}'").orderBy(*saved)
            gains = as_rows(best.select(*GROUP_KEYS, "strategy", *SAVED, "sentence"))
    say_answer(best_replayed(shown))
    if price:
        say(verdicts(shown, partial(costs_of, price)))
    saved_by_best = Table(gains, title="what the best strategy would have saved", is_detail=True)
    unknown = {name for name in COLUMNS_SHOWN if all(row.get(name) is None for row in shown)}
    hidden = {name for row in shown for name in row if name not in COLUMNS_SHOWN}
    tables = terminal.by_kind("league", shown) | {"gains": saved_by_best}
    show(tables, hidden | unknown | {"sentence"})
    terminal.say_snapshots(history.timeline.snapshots)
    if history.part:
        say(f"Only {history.part} were replayed.")
    terminal.say_written(out, "replay", "league")
