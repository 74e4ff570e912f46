"""What an audit says of tables, in Python's own terms, and two groups that are made to fail."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from spark import FleetSnapshot, audit_fleet
from spark.audit.finding import PastFinding
from spark.audit.group_evaluator import GroupEvaluator, evaluate_groups
from spark.audit.registry import FINDINGS
from spark.audit.thresholds import AuditSettings
from spark.groups import failure_of
from spark.settings import FleetGoals
from spark.solve import LevelsOf, Planned, SolvedRow, plan_columns, planned_groups
from tests.support.fleets import write_files

OF_NOW = {
    name: finding for name, finding in FINDINGS.items() if not isinstance(finding, PastFinding)
}
"""The findings that one snapshot, or two, can tell; `test_past_findings` has the others."""

NOW, BEFORE = "20261121T060000Z", "20261121T050000Z"

Tables = Mapping[str, pa.Table]


@dataclass(frozen=True)
class Audited:
    """Everything that an audit says; it is released by then."""

    findings: list[Any] = field(repr=False)
    not_run: dict[str, str]
    groups: dict[str, int]
    kinds: dict[str, int]
    counts: list[dict[str, Any]]
    worst: list[dict[str, Any]]
    failures: list[Any] = field(repr=False)

    def of(self, cluster: str, finding: str | None = None) -> list[Any]:
        """What a finding, or any of them, tells of a cluster."""
        of_cluster = [row for row in self.findings if row["cluster"] == cluster]
        return [row for row in of_cluster if finding in (None, row["finding"])]


def audited(
    spark: SparkSession,
    store: Path,
    now: Tables,
    before: Tables | None = None,
    settings: AuditSettings | None = None,
) -> Audited:
    """Write these tables to a store, and audit it."""
    write_files(now, store, NOW)
    if before is not None:
        write_files(before, store, BEFORE)
    with audit_fleet(FleetSnapshot.read(spark, str(store), NOW), settings=settings) as audit:
        assert audit.snapshot == NOW
        output = Audited(
            audit.findings.collect(),
            {name: why for name, why in audit.not_run.items() if name in OF_NOW},
            audit.groups(),
            audit.other_kinds(),
            audit.counts(),
            audit.worst(25),
            audit.failures.collect() if audit.failures else [],
        )
        kept = audit.kept
        assert all(frame.is_cached for frame in kept)
    assert not any(frame.is_cached for frame in kept)
    of_past = {why for name, why in audit.not_run.items() if name not in OF_NOW}
    assert all("there is no history" in why for why in of_past)
    assert FINDINGS.keys() - OF_NOW.keys() <= audit.not_run.keys() <= FINDINGS.keys()
    return output


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
