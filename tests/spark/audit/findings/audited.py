"""What an audit says of tables, in Python's own terms."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession

from spark import FleetSnapshot, audit_fleet
from spark.audit.finding import PastFinding
from spark.audit.registry import FINDINGS
from spark.audit.thresholds import AuditSettings
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
