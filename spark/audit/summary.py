"""Summary of an audit: its counts, the worst, and the sentences below its tables."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame

from spark.audit.finding import SEVERITIES
from spark.audit.fleet_audit import FleetAudit
from spark.audit.prometheus import metrics_of
from spark.audit.registry import FINDINGS
from spark.audit.since_last import Change, Tracked, changes_since, counts_of, last_tracked, rows_of
from spark.audit.thresholds import AuditSettings
from spark.audit.verdict import state_of, verdict
from spark.fleet import AUDIT, RESULTS, snapshot_id
from spark.store import Where, in_one_file, replace_text, write_tables

WORST = 10
"""Findings that are shown with what to do."""

CHANGE_COLUMNS = (
    *("change", "severity", "cluster", "group", "finding", "subject", "since", "sentence"),
)


@dataclass(frozen=True)
class AuditSummary:
    """The few rows of an audit that are printed; `tracked` is None without `--since-last`."""

    snapshot: str
    counts: Sequence[dict[str, Any]]
    groups: dict[str, int]
    other_kinds: dict[str, int]
    worst: Sequence[dict[str, Any]]
    not_run: dict[str, str]
    uneven: int
    uneven_sentence: str
    advice: Sequence[str]
    looked_at: str
    idle_mutes: Sequence[str]
    tracked: Sequence[Tracked] | None = None
    tables: Sequence[str] = ()
    """The tables that were written."""

    @classmethod
    def of(cls, made: FleetAudit) -> AuditSummary:
        """Of an audit."""
        counts, groups = made.counts(), made.groups()
        return cls(
            *(made.snapshot, counts, groups, made.other_kinds(), made.worst(WORST), made.not_run),
            uneven=made.uneven(),
            uneven_sentence=made.uneven_sentence(),
            advice=made.advice(),
            looked_at=made.looked_at(),
            idle_mutes=made.idle_mutes(),
        )

    def finding_rows(self) -> list[dict[str, Any]]:
        """The counts of findings that there are, with what each says."""
        counts = (row for row in self.counts if _sum(row) or row["muted"])
        return [row | {"what": FINDINGS[row["finding"]].tells} for row in counts]

    def for_programs(self) -> dict[str, list[dict[str, Any]]]:
        """The other tables, by name."""
        state = state_of(self.counts, self.groups)
        return {
            "worst": [*self.worst],
            "not_run": [{"finding": name, "why": why} for name, why in self.not_run.items()],
            "other_kinds": [{"kind": kind, "groups": n} for kind, n in self.other_kinds.items()],
            "groups": [{"status": status, "groups": n} for status, n in self.groups.items()],
            "verdict": [
                {
                    **{"snapshot": self.snapshot, "state": state, "verdict": self.verdict},
                    "uneven_groups": self.uneven,
                }
            ],
        }

    @property
    def verdict(self) -> str:
        """The fleet's state in a sentence, and what it is the verdict on."""
        sentence = verdict(self.counts, self.groups, self.worst, self.not_run)
        return f"{sentence} {self.looked_at}"

    @property
    def counts_that_fail(self) -> Sequence[dict[str, Any]]:
        """The counts that `--fail-on` looks at: of what is new or worse, where that is tracked."""
        return self.counts if self.tracked is None else counts_of(self.tracked)

    def changes(self) -> list[dict[str, Any]]:
        """Findings that are new, worse or gone, the new first."""
        return [
            {name: getattr(finding, name) for name in CHANGE_COLUMNS}
            for change in Change
            for finding in self.tracked or ()
            if finding.change is change
        ]

    def worst_by_finding(self) -> Iterator[tuple[str, list[str], str]]:
        """Of the worst, or of what changed: severity and name, a sentence each, and what to do."""
        rows: Sequence[dict[str, Any]] = self.worst if self.tracked is None else self.changes()
        alike: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        for row in rows:
            change = f"{row['change']}, " if "change" in row else ""
            is_gone = row.get("change") is Change.GONE
            advice = "" if is_gone else row.get("advice", FINDINGS[row["finding"]].advice)
            title = f"{change}{row['severity']}: {row['finding']}"
            alike[title, advice].append(f"{row['cluster']}: {row['sentence']}")
        for (title, advice), sentences in alike.items():
            yield title, sentences, advice

    def not_run_by_reason(self) -> list[str]:
        """A sentence for each reason why findings weren't looked for."""
        alike: defaultdict[str, list[str]] = defaultdict(list)
        for name, reason in self.not_run.items():
            alike[reason].append(name)
        return [f"{', '.join(names)}: {reason}." for reason, names in alike.items()]

    def sentences(self) -> Iterator[str]:
        """The sentences below the tables."""
        yield from self.advice
        if self.tracked is not None:
            of_change = Counter(finding.change for finding in self.tracked)
            changes = ", ".join(f"{of_change[change]} {change}" for change in Change)
            standing = f"{of_change[None]} known ones stand"
            yield f"Warnings and critical findings since the last audit: {changes}; {standing}."

    @property
    def answer(self) -> str:
        """The verdict, and how many groups are uneven."""
        return f"{self.verdict} {self.uneven_sentence}"


def write_audit(
    made: FleetAudit,
    audit_settings: AuditSettings,
    out: Where | None,
    prometheus: Path | None,
    clusters: Collection[str] | None,
) -> AuditSummary:
    """Write the tables to `out` and the metrics to a file; what the audit comes to.

    With `clusters`, those of the fleet, what is new, worse or gone since the last audit in `out`
    comes as well.
    """
    session, tracked = made.findings.sparkSession, None
    tables: dict[str, DataFrame] = {}
    summary = AuditSummary.of(made)
    if out:
        tables |= {
            "findings": in_one_file(made.findings, "cluster", "group", "finding", "subject"),
            "groups": in_one_file(made.group_rows, "cluster", "group"),
        }
        if made.coordinators:
            tables["coordinators"] = in_one_file(made.coordinators, "cluster", "broker")
        if made.failures:
            tables["failures"] = in_one_file(made.failures, "cluster", "topic")
        if clusters is not None:
            last = last_tracked(session, out, made.snapshot)
            tracked = changes_since(made, last or [], clusters)
            tables["tracked"] = rows_of(session, tracked)
        write_tables(session, out, snapshot_id(made.snapshot), tables, RESULTS[AUDIT])
    if prometheus:
        replace_text(prometheus, metrics_of(made, audit_settings.worst_groups, tracked))
    return replace(summary, tracked=tracked, tables=[*tables])


def _sum(row: dict[str, Any]) -> int:
    return sum(row[severity] for severity in SEVERITIES)
