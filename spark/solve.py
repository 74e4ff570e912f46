"""Solve encoded groups, one at a time, inside `mapInPandas`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from pyspark.sql import DataFrame

from optimizer.checker import Verdict, check_assignment
from optimizer.model import DEFAULT_GOALS, Answer, Goals, IntArray, Problem, classes_of, measure
from optimizer.strategies import OPTIMAL, strategy_named
from spark.budget import STRATEGY_SECONDS, within
from spark.fleet_goals import DEFAULT_FLEET_GOALS, FleetGoals, as_text
from spark.group_row import FleetGroup, failed, read_or_failed
from spark.plan_alike import plan_alike
from spark.solved_row import GROUP_SCHEMA, PLAN_SCHEMA, Cells, actions, columns_of


def solve_groups(
    encoded: DataFrame,
    strategy: str,
    goals: FleetGoals = DEFAULT_FLEET_GOALS,
    strategy_seconds: float = STRATEGY_SECONDS,
) -> DataFrame:
    """Plan every group of `spark.encode.encode`: a row of GROUP_SCHEMA and PLAN_SCHEMA a group.

    `goals` are those of `optimal`; for other strategies reads are counted in their meaning. A group
    that the strategy needs more than `strategy_seconds` for is `failed`.
    """
    strategy_named(strategy)
    schema = f"{GROUP_SCHEMA}, {PLAN_SCHEMA}"
    names = columns_of(GROUP_SCHEMA, PLAN_SCHEMA)

    def solve_batches(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for batch in batches:
            groups = list(batch.itertuples(index=False))
            planned = _planned_at_once(groups, strategy, goals)
            rows = [
                planned.get((row.cluster, row.group))
                or row_of_group(row, strategy, goals.of(row.cluster, row.group), strategy_seconds)
                for row in groups
            ]
            yield pd.DataFrame(rows, columns=names)

    return encoded.mapInPandas(solve_batches, schema.replace(" group ", " `group` "))


def _planned_at_once(
    groups: list[Any], strategy: str, goals: FleetGoals
) -> dict[tuple[str, str], Cells]:
    """Whatever happens here, each group can still be planned on its own."""
    if strategy != OPTIMAL:
        return {}
    try:
        return plan_alike([row for row in groups if _has_usual_goals(row, goals)], strategy)
    except Exception:
        return {}


def _has_usual_goals(row: Any, goals: FleetGoals) -> bool:
    """Whether the group's goals come to the default ones: without racks, theirs don't matter."""
    of_group = goals.of(row.cluster, row.group)
    return not of_group.min_gain and (of_group.rack is None or not any(row.racks))


def row_of_group(
    row: Any,
    strategy: str,
    goals: Goals = DEFAULT_GOALS,
    strategy_seconds: float = STRATEGY_SECONDS,
) -> Cells:
    """Whatever happens to one group becomes its row, so that it doesn't end the fleet's job."""
    group = read_or_failed(row)
    problem = group.problem
    if problem is None:
        return _without_plan(row, group, strategy)
    started = time.perf_counter()
    try:
        answer = within(strategy_seconds, lambda: strategy_named(strategy).assign(problem, goals))
        verdict = check_assignment(problem, answer.target, goals=goals)
        measured = _measured(row, group, problem, strategy, answer, verdict)
        seconds = time.perf_counter() - started
        proof = _proof(verdict, goals)
        return (*measured, seconds, *proof, *_plan(group, problem, answer.target))
    except Exception as error:
        return _without_plan(row, failed(error), strategy)


def _measured(
    row: Any, group: FleetGroup, problem: Problem, strategy: str, answer: Answer, verdict: Verdict
) -> Cells:
    """A group's row; whether it is optimal is told by the check, not by the strategy."""
    measures = verdict.measures or measure(problem, answer.target)
    proven = (None, None) if verdict.faults else (verdict.balance_optimal, verdict.moves_optimal)
    remarks = [remark for remark in (answer.reason, group.reason) if remark]
    return (
        *(row.cluster, row.group, group.status, "; ".join(remarks) or None, strategy),
        *(len(problem.member_ids), *measures, *proven),
    )


def _proof(verdict: Verdict, goals: Goals) -> Cells:
    """The cells of PROOF_SCHEMA."""
    reads, found = verdict.reads or (None, None), verdict.reads_found or (None, None)
    return (*reads, verdict.racks_optimal, *found, as_text(goals), verdict.certificate)


def _plan(group: FleetGroup, problem: Problem, target: IntArray) -> Cells:
    keepable = classes_of(problem).keepable
    action = actions(keepable, group.previous, target)
    stated = np.flatnonzero(action >= 0)
    topic = problem.topic_of[stated]
    loads = np.bincount(problem.owner[keepable], minlength=len(problem.member_ids))
    arrays = (topic, stated - problem.topic_offsets[topic], target[stated], group.previous[stated])
    return (
        *(int(loads.max()), int(loads.min()), int(loads @ loads)),
        *(group.names, problem.topics),
        # Arrow takes arrays of its own width as they are, and others number by number.
        *(array.astype(np.int32) for array in arrays),
        action[stated].astype(np.int8),
    )


def _without_plan(row: Any, group: FleetGroup, strategy: str) -> Cells:
    nothing = np.empty(0, np.int64)
    return (
        *(row.cluster, row.group, group.status, group.reason, strategy),
        *(len(row.member_ids), *[None] * 8, 0.0, *[None] * 7),
        *(*[None] * 3, [], [], *[nothing] * 5),
    )
