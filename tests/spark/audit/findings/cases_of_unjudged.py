"""Groups that can't be judged, by finding."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from unittest.mock import patch

from pyspark.sql import DataFrame

from spark.audit.group_evaluator import GroupEvaluator, evaluate_groups
from spark.groups import failed
from spark.groups.memory import BEYOND_LIMIT
from spark.solve import SolvedRow, plan_columns, solved_rows
from tests.spark.audit.findings.cases_of_balance import TWO
from tests.spark.audit.findings.place import Build, Cases, TableStore, Told, owning

FAILS = "failed-group-fires"
"""The cluster whose group is made to fail: what fails of its own is a fault, and mended."""


RAISES = "a-finding-raises"
"""The cluster of a group whose findings can't look at its plan."""


def judged_but_for_two(encoded: DataFrame, judge: GroupEvaluator) -> DataFrame:
    """`evaluate_groups`, with a group that can't be solved and one that can't be judged."""
    return evaluate_groups(encoded, FailingJudge(judge.findings, judge.settings, judge.available))


class FailingJudge(GroupEvaluator):
    """In a worker, where nothing that a test replaces is replaced."""

    def evaluated(self, rows: list[Any]) -> list[tuple[Any, ...]]:
        with patch("spark.audit.group_evaluator.solved_rows", _solved_but_for_two):
            return super().evaluated(rows)


def _solved_but_for_two(rows: list[Any], strategy: str) -> list[SolvedRow]:
    return [
        SolvedRow(**plan_columns(row, failed(MemoryError()), strategy))
        if row.cluster == FAILS
        else replace(solved, previous=None if row.cluster == RAISES else solved.previous)
        for row, solved in zip(rows, solved_rows(rows, strategy), strict=True)
    ]


def listed(times: int, **facts: Any) -> Build:
    """An even group that is listed so many times."""

    def build(place: TableStore) -> None:
        place.topic("t", 2)
        place.group(TWO, owning("t", a=range(1), b=range(1, 2)), **facts)
        for _ in range(times - 1):
            place.fleets.now.add("groups", **{"cluster": place.cluster, "group": "g"} | facts)

    return build


CASES = {
    "invalid-group": Cases(
        Told(
            *("warning", "group g", 1, 1),
            "Group g can't be judged: the group is listed twice.",
        ),
        fires=listed(2),
        nearly=listed(1, state="PreparingRebalance"),
        never=listed(1),
    ),
    "failed-group": Cases(
        Told(
            *("warning", "group g", 1, 1),
            f"Group g can't be judged, solving it failed: {BEYOND_LIMIT}.",
        ),
        fires=listed(1),
        nearly=listed(2),
        never=listed(1),
    ),
}
