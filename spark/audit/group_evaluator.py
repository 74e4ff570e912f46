"""Solve encoded groups and say what is wrong with each, in one pass inside workers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
from pyspark.sql import DataFrame
from pyspark.sql.types import StructType

from optimizer.advice import follows_plans
from optimizer.model import BY_COUNT
from optimizer.strategies import OPTIMAL
from spark.audit.facts import GroupFacts
from spark.audit.finding import WORST_FIRST, GroupFinding, Thresholds
from spark.audit.findings.groups import failed_group
from spark.audit.known import AvailableFacts
from spark.audit.parts import AuditRow, as_before, claims_changed
from spark.audit.registry import FINDINGS
from spark.audit.thresholds import AuditSettings
from spark.fleet import CONNECT, CONSUMER, other_kind_of, team_of
from spark.groups import (
    Cells,
    CoordinatorLocation,
    failure_of,
    in_workers,
    location_of,
    schema_of,
)
from spark.settings import ConsumerSettings
from spark.solve import (
    ADVICE_COLUMNS,
    Planned,
    SolvedRow,
    add_advice,
    plan_columns,
    planned_groups,
)

MEASURES = (
    *("current_max_load", "current_min_load", "current_sum_squares"),
    *("max_load", "min_load", "sum_squares", "moves", "takeovers"),
    *("local_reads", "remote_reads", "current_local_reads", "current_remote_reads"),
    *("balance_optimal", "unread", "max_weight", "current_max_weight", "weight_bound"),
    *ADVICE_COLUMNS,
)
"""Figures of a group by its plan, named as in `spark.solve.SolvedRow`; null without a plan."""

GROUP_COLUMNS = (
    *("cluster", "group", "status", "kind", "members", "partitions", *MEASURES),
    *("idle_to_busy", "team"),
)

COLUMNS = (*GROUP_COLUMNS, "coordinator", "inferred", "seat", "findings")
"""Of a judged group. `partitions` are those of the topics that it subscribes to, `idle_to_busy`
members without partitions that the best assignment gives some; `coordinator`, whether it is
`inferred`, and `seat` are as `spark.groups.CoordinatorLocation` has them."""

OWN = (
    "kind string, idle_to_busy int, team string, coordinator int, inferred boolean, seat string, "
    "findings array<struct<subject: string, finding: string, severity: string, "
    "measure: double, threshold: double, sentence: string, advice: string>>"
)
"""The columns that aren't of `spark.solve.SolvedRow`."""


OF_ROWS = frozenset(
    (
        *("groups.strategy", "generation", "partitions.weight", "members.host"),
        *("copartitioned", "timeouts", "client_version"),
    )
)
"""Optional facts that a group's own rows tell, or the settings."""

NO_SEAT = CoordinatorLocation(None, None, None, False, None)


def judged_schema() -> StructType:
    """The types of `COLUMNS`; it takes a session."""
    solved, own = schema_of(SolvedRow), cast(StructType, StructType.fromDDL(OWN))
    return StructType([own[name] if name in own.names else solved[name] for name in COLUMNS])


def evaluate_groups(encoded: DataFrame, evaluator: GroupEvaluator) -> DataFrame:
    """A row of `COLUMNS` for each group of `spark.groups.encode` with `spark.audit.parts`."""
    return in_workers(encoded, judged_schema(), evaluator.evaluate)


def findings_of(planned: Planned, audit_settings: AuditSettings) -> list[dict[str, Any]]:
    """Findings that a planned group's own rows show, the worst first.

    Findings that need lags, leaders or the snapshot before aren't looked for.
    """
    names = [
        name
        for name, finding in FINDINGS.items()
        if isinstance(finding, GroupFinding) and OF_ROWS.issuperset(finding.needs)
    ]
    evaluator = GroupEvaluator(names, audit_settings, AvailableFacts(OF_ROWS))
    findings: list[dict[str, Any]] = evaluator.row_of(planned)[-1]
    return sorted(findings, key=lambda finding: WORST_FIRST.index(finding["severity"]))


@dataclass(frozen=True)
class GroupEvaluator:
    """Solves groups, and says of each what the findings of these names find."""

    findings: Sequence[str]
    settings: AuditSettings
    available: AvailableFacts

    def evaluate(self, rows: list[Any]) -> list[Cells]:
        """The cells of some encoded groups, in their order."""
        from_before = self._from_before(rows)
        return [
            self.row_of(planned, from_before.get((planned.row.cluster, planned.row.group)))
            for planned in self._plan(rows)
        ]

    def _plan(self, rows: list[Any]) -> Iterator[Planned]:
        return planned_groups(rows, OPTIMAL, self.settings.goals, levels=self.settings.levels)

    def _from_before(self, rows: list[Any]) -> dict[Any, SolvedRow]:
        """Groups whose claims have changed, solved again from what was claimed before."""
        if "previous" not in self.available.names:
            return {}
        before = [as_before(row) for row in rows if claims_changed(row)]
        return {
            (planned.row.cluster, planned.row.group): planned.solved
            for planned in planned_groups(before, OPTIMAL, self.settings.goals)
        }

    def row_of(self, planned: Planned, before: SolvedRow | None = None) -> tuple[Any, ...]:
        """The row of a planned group; `before` is its plan from the claims of the snapshot before.

        An error makes it a failed one, with the reason.
        """
        row, solved, seat = cast(AuditRow, planned.row), planned.solved, NO_SEAT
        try:
            seat = self._seat(row)
            group = self._group(planned, before, seat)
            rows = self._finding_rows(group)
        except Exception as error:
            read = failure_of(error)
            solved = SolvedRow(**plan_columns(row, read, OPTIMAL))
            planned = Planned(row, solved, BY_COUNT, read)
            add_advice(planned, self.settings.levels(row.cluster, row.group), lambda call: call())
            group = self._group(planned, None, seat)
            rows = list(_cells(failed_group, group, self.settings.values[failed_group.name]))
        sizes = row.topic_sizes
        return (
            *(row.cluster, row.group, solved.status),
            other_kind_of(row.type, row.group_strategy, row.client_ids.tolist()),
            *(len(row.member_ids), int(sizes[sizes > 0].sum(dtype=np.int64))),
            *(getattr(solved, name) for name in MEASURES),
            *(_idle_to_busy(solved), team_of(self.settings.teams, row.group)),
            *(seat.coordinator, seat.inferred, seat.seat),
            rows,
        )

    def _seat(self, row: AuditRow) -> CoordinatorLocation:
        return location_of(row.group, row.coordinator, self.available.offsets.get(row.cluster))

    def _group(
        self, planned: Planned, before: SolvedRow | None, seat: CoordinatorLocation
    ) -> GroupFacts:
        row, audit_settings = cast(AuditRow, planned.row), self.settings
        name = row.cluster, row.group
        return GroupFacts(
            row=row,
            solved=planned.solved,
            read=planned.group,
            from_before=before,
            seat=seat,
            several_brokers=row.cluster in self.available.several_brokers,
            timeouts=self._timeouts(*name),
            joined=[
                copartitioned.topics
                for copartitioned in audit_settings.copartitioned
                if copartitioned.fits(*name)
            ],
            client_version=audit_settings.consumers.of(*name).get("client_version"),
            weight_source=planned.goals.weight_source,
        )

    def _timeouts(self, cluster: str, group: str) -> ConsumerSettings:
        """Time-outs stated for a group; missing bounds are those of its brokers."""
        rules = (rule for rule in self.settings.timeouts if rule.fits(cluster, group))
        own = next(rules, None)
        return {**self.available.sessions.get(cluster, {}), **own.settings} if own else {}

    def _finding_rows(self, group: GroupFacts) -> list[dict[str, Any]]:
        by_finding = self.settings.of(group.row.cluster, group.name)
        return [
            cells
            for finding in self._findings
            for cells in _cells(finding, group, by_finding[finding.name])
        ]

    @cached_property
    def _findings(self) -> list[GroupFinding]:
        every = map(FINDINGS.__getitem__, self.findings)
        return [finding for finding in every if isinstance(finding, GroupFinding)]


def _idle_to_busy(solved: SolvedRow) -> int | None:
    if solved.max_load is None:
        return None
    previous, target = solved.previous, solved.target
    assert previous is not None and target is not None
    owners = previous[(previous >= 0) & (previous < solved.members)]
    return max(0, len(np.unique(target[target >= 0])) - len(np.unique(owners)))


def _cells(
    finding: GroupFinding, group: GroupFacts, thresholds: Thresholds
) -> Iterator[dict[str, Any]]:
    """Rows of a finding in a group that are past a level, as cells of the column `findings`."""
    advice = _advice_to_kind(finding, group.row)
    if finding.by_balance:
        return finding.rows(
            group, thresholds, group.solved.advice or advice, group.solved.of_balance
        )
    return finding.rows(group, thresholds, advice)


def _advice_to_kind(finding: GroupFinding, row: AuditRow) -> str | None:
    """Advice to Connect's workers, the consumer protocol or followers of plans, if of its own."""
    if row.type == CONNECT:
        return finding.advice_to_connect
    if row.type == CONSUMER and finding.advice_to_consumer:
        return finding.advice_to_consumer
    return finding.advice_to_planned if follows_plans(row.group_strategy, row.type) else None
