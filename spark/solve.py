"""Solve encoded groups, one at a time, inside `mapInPandas`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from pyspark.sql import DataFrame

from optimizer.plan import measure
from optimizer.problem import NOBODY, IntArray, Problem
from optimizer.strategies import strategy as strategy_named
from optimizer.verify import check_assignment
from spark.group_row import FleetGroup, read_group

ACTIONS = ("keep", "move", "takeover", "new", "drop")

GROUP_SCHEMA = """
cluster string, group string, status string, reason string, strategy string,
members int, partitions int, max_load long, min_load long, sum_squares long, moves long,
takeovers long, balance_optimal boolean, moves_optimal boolean, seconds double"""
"""A group's row in the tables of a plan and of a comparison; measures are null without a plan."""

PLAN_SCHEMA = """
found_max_load long, found_min_load long, found_sum_squares long,
names array<string>, topics array<string>,
topic array<int>, partition array<int>, target array<int>, previous array<int>,
action array<tinyint>"""
"""How the group was found, and its plan as arrays with one entry a partition.

`target` and `previous` are indexes into `names`, `topic` into `topics`, `action` into ACTIONS;
-1 is nobody.
"""

CURRENT = "current"
"""In a comparison: the assignment as found."""

Cells = tuple[Any, ...]


def solve_groups(encoded: DataFrame, strategy: str) -> DataFrame:
    """Plan every group of `spark.encode.encode`: a row of GROUP_SCHEMA and PLAN_SCHEMA a group."""
    strategy_named(strategy)
    return _per_group(encoded, [strategy], with_plan=True)


def measure_groups(encoded: DataFrame, strategies: list[str]) -> DataFrame:
    """Measure every group under each of the strategies: a row of GROUP_SCHEMA for both."""
    for name in strategies:
        if name != CURRENT:
            strategy_named(name)
    return _per_group(encoded, strategies, with_plan=False)


def _per_group(encoded: DataFrame, strategies: list[str], with_plan: bool) -> DataFrame:
    schema = f"{GROUP_SCHEMA}, {PLAN_SCHEMA}" if with_plan else GROUP_SCHEMA
    names = [column.split()[0] for column in schema.split(",")]

    def solve_batches(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for batch in batches:
            rows = [
                cells
                for row in batch.itertuples(index=False)
                for cells in _rows_of_group(row, strategies, with_plan)
            ]
            yield pd.DataFrame(rows, columns=names)

    return encoded.mapInPandas(solve_batches, schema.replace(" group ", " `group` "))


def _rows_of_group(row: Any, strategies: list[str], with_plan: bool) -> Iterator[Cells]:
    """Whatever happens to one group becomes its row, so that it doesn't end the fleet's job."""
    group = _read(row)
    for strategy in strategies:
        started = time.perf_counter()
        if group.problem is None:
            yield _without_plan(row, group, strategy, with_plan)
            continue
        try:
            target = _target(group.problem, strategy)
            cells = _cells(row, group, group.problem, strategy, target, started)
            yield (*cells, *_plan(group, group.problem, target)) if with_plan else cells
        except Exception as error:
            yield _without_plan(row, _failed(error), strategy, with_plan)


def _read(row: Any) -> FleetGroup:
    try:
        return read_group(row)
    except Exception as error:
        return _failed(error)


def _failed(error: Exception) -> FleetGroup:
    return FleetGroup("failed", [f"{type(error).__name__}: {error}"])


def _target(problem: Problem, strategy: str) -> IntArray:
    if strategy == CURRENT:
        return np.where(problem.keepable, problem.owner, NOBODY)
    return strategy_named(strategy)(problem).target


def _cells(
    row: Any, group: FleetGroup, problem: Problem, strategy: str, target: IntArray, started: float
) -> Cells:
    """A group's row; whether it is optimal is told by the check, not by the strategy."""
    verdict = check_assignment(problem, target)
    measures = verdict.measures or measure(problem, target)
    proven = (None, None) if verdict.faults else (verdict.balance_optimal, verdict.moves_optimal)
    return (
        *(row.cluster, row.group, group.status, group.reason, strategy),
        *(len(problem.member_ids), *measures, *proven),
        time.perf_counter() - started,
    )


def _plan(group: FleetGroup, problem: Problem, target: IntArray) -> Cells:
    action = actions(problem, group.previous, target)
    stated = np.flatnonzero(action >= 0)
    topic = problem.topic_of[stated]
    loads = np.bincount(problem.owner[problem.keepable], minlength=len(problem.member_ids))
    arrays = (topic, stated - problem.topic_offsets[topic], target[stated], group.previous[stated])
    return (
        *(int(loads.max()), int(loads.min()), int(loads @ loads)),
        *(group.names, problem.topics),
        # Arrow takes arrays of its own width as they are, and others number by number.
        *(array.astype(np.int32) for array in arrays),
        action[stated].astype(np.int8),
    )


def _without_plan(row: Any, group: FleetGroup, strategy: str, with_plan: bool) -> Cells:
    nothing = np.empty(0, np.int64)
    cells = (
        *(row.cluster, row.group, group.status, group.reason, strategy),
        *(len(row.member_ids), *[None] * 8, 0.0),
    )
    return (*cells, *[None] * 3, [], [], *[nothing] * 5) if with_plan else cells


def actions(problem: Problem, previous: IntArray, target: IntArray) -> IntArray:
    """What happens to each partition, as an index into ACTIONS; -1 where there is nothing to say.

    A change is a move if the owner is present and still subscribed; otherwise somebody takes over,
    or the partition is new to the group.
    """
    keep, move, takeover, new, drop = range(len(ACTIONS))
    owned = previous != NOBODY
    action = np.where(owned, takeover, new)
    action[problem.keepable] = move
    action[target == previous] = keep
    nobody = target == NOBODY
    action[nobody] = np.where(owned[nobody], drop, -1)
    return action
