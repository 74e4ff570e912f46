"""`evenfleet replay`: what each strategy would have made of a fleet's history."""

from contextlib import ExitStack
from functools import partial

from pyspark.sql import functions as F

from spark import best_replayed, replay_fleet, terminal
from spark.fleet import REPLAY, as_rows, check_out
from spark.replay import title_of
from spark.settings import MOVE_COSTS, move_price, priced
from spark.store import in_one_file, table_in, write_tables
from spark.terminal import ROWS_SHOWN, busy, say, say_answer, show
from spark.trial import idle_limits, verdicts

COLUMNS_SHOWN = (
    *("strategy", "excess_hours", "moves", "stopped", "first_moves", "best_or_equal", "alone"),
    "not_evaluated",
)
"""What fits a terminal of 80 columns; JSON and the table that is written have all."""

SHOWN_BY_WEIGHT = (
    *("strategy", "mean_over_bound", "worst_over_bound", "moves", "stopped", "first_moves"),
    *("best_or_equal", "alone", "not_evaluated"),
)
"""The same where groups are balanced by weight."""


def replay(
    source: terminal.HistoryOptions,
    target: terminal.OutOptions,
    trial: terminal.TrialOptions,
    move_cost: terminal.MoveCost = None,
) -> None:
    """Replay the history of a fleet under each strategy."""
    out, settings = target.required(), trial.applied(source.settings)
    source.check()
    price = move_price(move_cost) if move_cost else None
    with source.session(many=True) as spark, ExitStack() as kept:
        check_out(spark, out, REPLAY)
        history = kept.enter_context(source.read(spark, "replay"))
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
            rows = in_one_file(groups, "cluster", "group", "strategy")
            write_tables(spark, out, newest, {"replay": rows, "league": league.coalesce(1)})
            shown = as_rows(league)
            shown = price.with_costs(shown) if price else shown
            best = groups.where("is_best and strategy != 'current'")
            saved = F.col("saved_excess_hours").desc_nulls_last(), "cluster", "group"
            reports = [row.sentence for row in best.orderBy(*saved).limit(ROWS_SHOWN).collect()]
    by_weight = SHOWN_BY_WEIGHT if settings.goals.weights else COLUMNS_SHOWN
    selection = [
        *by_weight,
        *MOVE_COSTS,
        *(["remote_read_hours"] if settings.goals.need_racks else []),
    ]
    show(
        terminal.by_kind("league", shown),
        {name for row in shown for name in row if name not in selection},
    )
    terminal.say_snapshots(history.timeline.snapshots)
    if history.part:
        say(f"Only {history.part} were replayed.")
    if reports:
        terminal.print_list(title_of(settings.strategies), reports)
    say_answer(best_replayed(shown))
    if price:
        say(verdicts(shown, partial(priced, price)))
    say(
        f"Snapshot {newest}: each group under each strategy is in {table_in(out, 'replay')}, "
        f"this table in {table_in(out, 'league')}."
    )
