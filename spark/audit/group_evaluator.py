"""Solve encoded groups and say what is wrong with each, in one pass inside workers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
from pyspark.sql import DataFrame, functions as F
from pyspark.sql.types import StructType

from optimizer.assignor.plan_file import COOPERATIVE, EAGER
from optimizer.model import IntArray
from optimizer.strategies import OPTIMAL
from spark.audit.facts import GroupFacts
from spark.audit.finding import GroupFinding, Settings
from spark.audit.findings.unjudged import FAILED_GROUP
from spark.audit.findings.weights import QUICK, UNBALANCED_WEIGHT
from spark.audit.known import AvailableFacts
from spark.audit.parts import AuditRow, as_before, claims_changed, rack_number
from spark.audit.registry import FINDINGS
from spark.audit.thresholds import AuditSettings
from spark.fleet import CONNECT, kind_of
from spark.groups import Cells, CoordinatorLocation, cells_in_workers, failed, location_of
from spark.solve import SolvedRow, plan_columns, solved_rows, targets_by_weight

SCHEMA = (
    "cluster string, `group` string, status string, kind string, members int, partitions bigint, "
    "current_max_load bigint, current_min_load bigint, current_sum_squares bigint, "
    "max_load bigint, min_load bigint, sum_squares bigint, moves bigint, takeovers bigint, "
    "local_reads bigint, remote_reads bigint, current_local_reads bigint, "
    "current_remote_reads bigint, balance_optimal boolean, idle_to_busy int, coordinator int, "
    "inferred boolean, seat string, findings array<struct<subject: string, "
    "finding: string, severity: string, measure: double, threshold: double, sentence: string, "
    "advice: string>>"
)
MEASURES = (
    *("current_max_load", "current_min_load", "current_sum_squares"),
    *("max_load", "min_load", "sum_squares", "moves", "takeovers"),
    *("local_reads", "remote_reads", "current_local_reads", "current_remote_reads"),
    "balance_optimal",
)
"""What a plan tells of a group, by the names of `spark.solve.SolvedRow`; null without a plan."""

GROUP_COLUMNS = (
    *("cluster", "group", "status", "kind", "members", "partitions", *MEASURES),
    "idle_to_busy",
)

COLUMNS = (*GROUP_COLUMNS, "coordinator", "inferred", "seat", "findings")
"""Of a judged group. `partitions` are those of the topics that it subscribes to, `idle_to_busy`
members without partitions that the best assignment gives some; `coordinator`, whether it is
`inferred`, and `seat` are as `spark.groups.CoordinatorLocation` has them."""


NO_SEAT = CoordinatorLocation(None, None, None, False, None)


def evaluate_groups(encoded: DataFrame, evaluator: GroupEvaluator) -> DataFrame:
    """A row of `COLUMNS` for each group of `spark.groups.encode` with `spark.audit.parts`."""
    racks = F.expr(f"transform(racks, one -> {rack_number('one')})")
    schema = cast(StructType, StructType.fromDDL(SCHEMA))
    return cells_in_workers(encoded.withColumn("member_racks", racks), schema, evaluator.evaluated)


@dataclass(frozen=True)
class GroupEvaluator:
    """Solves groups, and says of each what the findings of these names find."""

    findings: Sequence[str]
    settings: AuditSettings
    known: AvailableFacts

    def evaluated(self, rows: list[Any]) -> list[Cells]:
        """The cells of some encoded groups, in their order."""
        from_before, by_weight = self._from_before(rows), self._by_weight(rows)
        return [
            self._evaluated(
                row,
                solved,
                from_before.get((row.cluster, row.group)),
                by_weight.get((row.cluster, row.group)),
            )
            for row, solved in zip(rows, solved_rows(rows, OPTIMAL), strict=True)
        ]

    def _from_before(self, rows: list[Any]) -> dict[Any, SolvedRow]:
        """Groups whose claims have changed, solved anew from what was claimed before."""
        if "previous" not in self.known.there:
            return {}
        before = [as_before(row) for row in rows if claims_changed(row)]
        return {
            (solved_row.cluster, solved_row.group): solved_row
            for solved_row in solved_rows(before, OPTIMAL)
        }

    def _by_weight(self, rows: list[Any]) -> dict[Any, IntArray]:
        """Plans by weight of groups that get them at once; others are planned where it matters."""
        if UNBALANCED_WEIGHT.name not in self.findings:
            return {}
        try:
            return targets_by_weight(rows, QUICK)
        except Exception:  # each can still be planned on its own
            return {}

    def _evaluated(
        self,
        row: AuditRow,
        solved: SolvedRow,
        before: SolvedRow | None,
        by_weight: IntArray | None = None,
    ) -> tuple[Any, ...]:
        """Whatever is raised becomes the group's own: it is failed then, and the reason told."""
        seat = NO_SEAT
        try:
            seat = self._seat(row)
            facts = self._facts(row, solved, before, seat, by_weight)
            rows = self._finding_rows(facts)
        except Exception as error:
            solved = SolvedRow(**plan_columns(row, failed(error), OPTIMAL))
            facts = self._facts(row, solved, None, seat)
            rows = list(_cells(FAILED_GROUP, facts, self.settings.values[FAILED_GROUP.name]))
        sizes = row.topic_sizes
        return (
            *(row.cluster, row.group, solved.status),
            kind_of(row.type, row.group_strategy, len(row.member_ids) > 0),
            *(len(row.member_ids), int(sizes[sizes > 0].sum(dtype=np.int64))),
            *(getattr(solved, name) for name in MEASURES),
            _idle_to_busy(solved),
            *(seat.coordinator, seat.inferred, seat.seat),
            rows,
        )

    def _seat(self, row: AuditRow) -> CoordinatorLocation:
        values = row.stated.tolist() if "groups.coordinator" in self.known.there else ()
        offsets = self.known.offsets.get(row.cluster)
        return location_of(row.group, values[0] if values else None, offsets)

    def _facts(
        self,
        row: AuditRow,
        solved: SolvedRow,
        before: SolvedRow | None,
        seat: CoordinatorLocation,
        by_weight: IntArray | None = None,
    ) -> GroupFacts:
        name, settings = (row.cluster, row.group), self.settings
        return GroupFacts(
            row=row,
            solved=solved,
            from_before=before,
            seat=seat,
            several_brokers=row.cluster in self.known.several_brokers,
            timeouts=next((timeout for timeout in settings.timeouts if timeout.fits(*name)), None),
            joined=[
                copartitioned.topics
                for copartitioned in settings.copartitioned
                if copartitioned.fits(*name)
            ],
            by_weight=by_weight,
            client_version=settings.consumers.of(*name).get("client_version"),
        )

    def _finding_rows(self, facts: GroupFacts) -> list[dict[str, Any]]:
        values = self.settings.of(facts.row.cluster, facts.group)
        return [
            cells
            for finding in self._findings
            for cells in _cells(finding, facts, values[finding.name])
        ]

    @cached_property
    def _findings(self) -> list[GroupFinding]:
        selection = map(FINDINGS.__getitem__, self.findings)
        return [finding for finding in selection if isinstance(finding, GroupFinding)]


def _idle_to_busy(solved: SolvedRow) -> int | None:
    if solved.max_load is None:
        return None
    previous, target = solved.previous, solved.target
    assert previous is not None and target is not None
    owners = previous[(previous >= 0) & (previous < solved.members)]
    return max(0, len(np.unique(target[target >= 0])) - len(np.unique(owners)))


def _cells(
    finding: GroupFinding, facts: GroupFacts, settings: Settings
) -> Iterator[dict[str, Any]]:
    """What a finding finds in a group and is past a level, as cells of the column `findings`."""
    advice = _advice(finding, facts.row)
    for result in finding.find(facts, settings):
        if cells := finding.cells(result, settings, advice):
            yield cells


def _advice(finding: GroupFinding, row: AuditRow) -> str:
    own = None
    if row.type == CONNECT:
        own = finding.advice_to_connect
    elif row.group_strategy in (EAGER, COOPERATIVE):
        own = finding.advice_to_planned
    return own or finding.advice
