"""Solve encoded groups, one at a time, inside workers."""

import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

from pyspark.sql import DataFrame, functions as F

from optimizer.checker import Verdict, check_assignment, measure_assignment
from optimizer.model import (
    BY_COUNT,
    PROVEN,
    Answer,
    Goals,
    IntArray,
    Problem,
    TimeLimitError,
    classes_of,
    fitting,
    host_level,
    measure,
    on_hosts,
    resolve_balance,
    weights_of,
)
from optimizer.reasons import held_by
from optimizer.strategies import OPTIMAL, strategy_named
from spark.groups import (
    EncodedRow,
    FleetGroup,
    failure_of,
    has_weights,
    in_workers,
    read_or_failed,
)
from spark.settings import DEFAULT_FLEET_GOALS, STRATEGY_SECONDS, FleetGoals, goals_to_text
from spark.solve.advice import LevelsOf, Planned, add_advice
from spark.solve.homogeneous import plan_homogeneous
from spark.solve.solved_row import SolvedRow, plan_arrays, plan_columns
from spark.solve.time_limit import TimeLimit


def solve_groups(
    encoded: DataFrame,
    strategy: str,
    goals: FleetGoals = DEFAULT_FLEET_GOALS,
    strategy_seconds: float = STRATEGY_SECONDS,
    levels: LevelsOf | None = None,
) -> DataFrame:
    """Plan every group of `spark.groups.encode`: a `SolvedRow` a group.

    `goals` are those of `optimal`; for other strategies reads are counted in their meaning. A group
    that the strategy needs more than `strategy_seconds` for is `failed`; where the check does, the
    plan stands, and its optimality stays unknown. With `levels` each group of `optimal` has advice.
    """
    strategy_named(strategy)

    def rows_of(groups: list[Any]) -> list[SolvedRow]:
        planned = planned_groups(groups, strategy, goals, strategy_seconds, levels)
        return [of_group.solved for of_group in planned]

    return in_workers(encoded, SolvedRow, rows_of, in_frames=True)


def idle_limits_of(rows: DataFrame, goals: FleetGoals) -> list[str]:
    """The limits of goals, in words, that are in the column `limits` of no group's row."""
    limits = goals.limits_in_words()
    if not limits:
        return []
    fit = {row.text for row in rows.select(F.explode("limits").alias("text")).distinct().collect()}
    return [text for text in limits if text not in fit]


def planned_groups(
    groups: list[Any],
    strategy: str,
    goals: FleetGoals = DEFAULT_FLEET_GOALS,
    strategy_seconds: float = STRATEGY_SECONDS,
    levels: LevelsOf | None = None,
) -> Iterator[Planned]:
    """Each group with its row; the homogeneous ones are planned at once.

    Whoever takes them mustn't wait in between: a limit of time is set until the last one.
    """
    goals_by_group = [goals.of_group(row.cluster, row.group, row.topics) for row in groups]
    read = {
        at: (row, read_or_failed(row, own.weight_source))
        for at, (row, own) in enumerate(zip(groups, goals_by_group, strict=True))
    }
    at_once: dict[int, SolvedRow] = {}
    if strategy == OPTIMAL:
        usual = {at: of for at, of in read.items() if _are_usual(goals_by_group[at], *of)}
        with suppress(Exception):  # each group can still be planned on its own
            at_once = plan_homogeneous(usual, strategy)
        usual.clear()
    with TimeLimit(strategy_seconds) as limit:
        for at, own in enumerate(goals_by_group):
            row, group = read.pop(at)
            if at in at_once:
                planned = Planned(row, at_once.pop(at), BY_COUNT, group)
            else:
                planned = plan_alone(row, group, strategy, own, limit)
            if levels and strategy == OPTIMAL:
                add_advice(planned, levels(row.cluster, row.group), limit.spend)
            yield planned


def _are_usual(goals: Goals, row: EncodedRow, group: FleetGroup) -> bool:
    """Whether a group's goals come to balance and few moves: without racks, theirs don't matter."""
    if group.problem is None or resolve_balance(goals, group.problem).by_weight:
        return False
    if goals.min_gain or goals.max_moves is not None:
        return False
    if any(goals.limits) or goals.host or (host_level(goals.levels) and any(row.hosts)):
        return False
    if goals.ranking.index("spread") < goals.ranking.index("moves"):
        return False
    return goals.rack is None or not any(row.racks)


def plan_alone(
    row: EncodedRow, group: FleetGroup, strategy: str, goals: Goals, limit: TimeLimit
) -> Planned:
    """A group and its row; a failure becomes its row, and doesn't end the fleet's job."""
    if group.problem is None:
        return Planned(row, _without_plan(row, group, strategy, goals), goals, group)
    problem, goals = on_hosts(group.problem, goals.host), resolve_balance(goals, group.problem)
    limits = tuple(fitting(problem, goals.limits))
    assignor, started = strategy_named(strategy), time.perf_counter()
    answer: Answer | Exception
    try:
        answer = limit.spend(lambda: assignor.assign(problem, goals))
        verdict, unknown = _verdict(problem, answer, goals, limit)
        measures = verdict.measures or measure(problem, answer.target)
        is_best = strategy == OPTIMAL and verdict.balance_optimal
        reasons = filter(None, (answer.reason, group.reason, unknown))
        solved = SolvedRow(
            **plan_columns(row, group, strategy) | {"reason": "; ".join(reasons) or None},
            **measures._asdict(),
            **_proof(verdict),
            goals=goals_to_text(goals),
            held_by=held_by(problem, answer.target, goals) if is_best else (),
            limits=limits,
            **plan_arrays(group, problem, answer.target),
            current_max_weight=max_weight(problem, classes_of(problem).kept, goals.by_weight),
            seconds=time.perf_counter() - started,
        )
    except Exception as error:
        solved = replace(_without_plan(row, failure_of(error), strategy, goals), limits=limits)
        answer = error
    return Planned(row, solved, goals, group, answer)


def _verdict(
    problem: Problem, answer: Answer, goals: Goals, limit: TimeLimit
) -> tuple[Verdict, str | None]:
    """The verdict, and a sentence where the check takes too long for one on optimality.

    It has as long as the strategy has.
    """
    target, rival, shown = answer.target, answer.rival, answer.certificate

    def check() -> Verdict:
        return check_assignment(problem, target, shown, goals, rival=rival)

    try:
        return limit.spend(check), None
    except TimeLimitError:
        reason = (
            "whether anything is better isn't known: the proof takes longer than "
            f"{limit.seconds:g} seconds (setting strategy_seconds)"
        )
        return measure_assignment(problem, target, goals), reason


BY_WEIGHT = {
    **{name: name for name in ("max_weight", "weight_bound", "weight_gap", "bound_kind")},
    **{"moves_bound": "moves_bound", "weights_known": "weights_known", "bound_shown": "shown"},
}
"""Columns of a plan's row, and the fields of the check by weight that tell them."""


def _proof(verdict: Verdict) -> dict[str, Any]:
    """The check decides whether it is optimal, not the strategy."""
    local, remote = verdict.reads or (None, None)
    found_local, found_remote = verdict.reads_found or (None, None)
    return {
        **{column: getattr(verdict, column) for column in PROVEN},
        "balance_optimal": None if verdict.faults else verdict.balance_optimal,
        "local_reads": local,
        "remote_reads": remote,
        "current_local_reads": found_local,
        "current_remote_reads": found_remote,
        "certificate": verdict.certificate,
        **{name: getattr(verdict.weight, of) for name, of in BY_WEIGHT.items() if verdict.weight},
    }


def _without_plan(row: EncodedRow, group: FleetGroup, strategy: str, goals: Goals) -> SolvedRow:
    """Goals by weight are stated all the same: a capacity may be why there is no plan."""
    source = goals.weight_source
    weighed = source is not None and has_weights(row, source) and group.status == "invalid"
    text = goals_to_text(replace(goals, balance="weight")) if weighed else None
    return SolvedRow(**plan_columns(row, group, strategy), goals=text)


def shown_bound(problem: Problem, goals: Goals, answer: Answer) -> float | None:
    """A largest load by weight that no plan is below, as the check finds it shown by an answer."""
    verdict = check_assignment(problem, answer.target, answer.certificate, goals)
    return verdict.weight.weight_bound if verdict.weight else None


def max_weight(problem: Problem, target: IntArray, counts: bool = True) -> float | None:
    """The largest load for a unit of capacity; None without weights, or where it doesn't count."""
    if problem.weights is None or not counts:
        return None
    return weights_of(problem).highest(target)
