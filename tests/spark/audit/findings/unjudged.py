"""Two groups that are made to fail: what fails of its own is a fault, and mended."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from unittest.mock import patch

from pyspark.sql import DataFrame

from spark.audit.group_evaluator import GroupEvaluator, evaluate_groups
from spark.groups import failure_of
from spark.settings import FleetGoals
from spark.solve import LevelsOf, Planned, SolvedRow, plan_columns, planned_groups

FAILS = "failed-group-fires"
"""The cluster whose group can't be solved."""

RAISES = "a-finding-raises"
"""The cluster of a group whose findings can't look at its plan."""


def evaluated_but_for_two(encoded: DataFrame, evaluator: GroupEvaluator) -> DataFrame:
    """`evaluate_groups`, with a group that can't be solved and one that can't be judged."""
    settings, available = evaluator.settings, evaluator.available
    return evaluate_groups(encoded, FailingEvaluator(evaluator.findings, settings, available))


class FailingEvaluator(GroupEvaluator):
    """In a worker, where nothing that a test replaces is replaced."""

    def evaluate(self, rows: list[Any]) -> list[tuple[Any, ...]]:
        with patch("spark.audit.group_evaluator.planned_groups", _planned_but_for_two):
            return super().evaluate(rows)


def _planned_but_for_two(
    rows: list[Any], strategy: str, goals: FleetGoals, levels: LevelsOf | None = None
) -> Iterator[Planned]:
    for planned in planned_groups(rows, strategy, goals, levels=levels):
        row, solved = planned.row, planned.solved
        if row.cluster == FAILS:
            solved = SolvedRow(**plan_columns(row, failure_of(MemoryError()), strategy))
        elif row.cluster == RAISES:
            solved = replace(solved, previous=None)
        yield planned._replace(solved=solved)
