"""An audit for node_exporter's textfile collector: Prometheus's text format 0.0.4."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pyspark.sql import functions as F

from spark.audit.finding import WORST_FIRST
from spark.audit.fleet_audit import FleetAudit
from spark.audit.registry import FINDINGS
from spark.audit.verdict import State, state_of
from spark.errors import InputError
from spark.fleet import STATUSES
from spark.text import shortened

Sample = tuple[Mapping[str, str], int]


def metrics_of(audit: FleetAudit, worst_groups: int) -> str:
    """The text; the number of series depends on `worst_groups`, not on the fleet.

    Every finding that was run has a series for each severity, 0 where there is none. The worst
    groups (by critical findings, then warnings) have series of their own, the others come as sums.
    """
    counts = audit.counts()
    groups = audit.groups()
    state = state_of(counts, groups)
    total = {item: sum(row[item] for row in counts) for item in WORST_FIRST}
    worst, others = _by_group(audit, worst_groups, total)
    families = (
        (
            "evenfleet_audit_findings",
            "Findings of the newest audit.",
            [
                ({"finding": row["finding"], "severity": severity}, row[severity])
                for row in counts
                for severity in WORST_FIRST
            ],
        ),
        (
            "evenfleet_audit_finding_not_run",
            "1 for each finding that the snapshot or the configuration doesn't allow.",
            [({"finding": name}, name in audit.not_run) for name in FINDINGS],
        ),
        (
            "evenfleet_audit_groups",
            "Groups of the audited snapshot by status.",
            [({"status": status}, groups.get(status, 0)) for status in STATUSES],
        ),
        (
            "evenfleet_audit_state",
            "1 for the state that the fleet is in; nothing is known of one that is not judged.",
            [({"state": item}, item is state) for item in State],
        ),
        ("evenfleet_audit_group_findings", "Findings of the worst groups.", worst),
        (
            "evenfleet_audit_other_findings",
            "Findings of all other groups, and of clusters as a whole.",
            others,
        ),
        (
            "evenfleet_audit_snapshot_info",
            "Which snapshot was audited.",
            [({"snapshot": audit.snapshot}, 1)],
        ),
    )
    return "".join(line for family in families for line in _lines(*family))


def _by_group(
    audit: FleetAudit, worst_groups: int, total: Mapping[str, int]
) -> tuple[list[Sample], list[Sample]]:
    """Samples of the worst groups, and what is left of the totals for the rest."""
    sums = [F.count_if(F.col("severity") == severity).alias(severity) for severity in WORST_FIRST]
    of_groups = audit.findings.where("group is not null").groupBy("cluster", "group")
    ranked = of_groups.agg(*sums).orderBy(
        *(F.col(severity).desc() for severity in WORST_FIRST), "cluster", "group"
    )
    rows = ranked.limit(worst_groups).collect()
    samples: list[Sample] = [
        ({"cluster": row["cluster"], "group": row["group"], "severity": severity}, row[severity])
        for row in rows
        for severity in WORST_FIRST
    ]
    others: list[Sample] = [
        ({"severity": severity}, total[severity] - sum(row[severity] for row in rows))
        for severity in WORST_FIRST
    ]
    return samples, others


def _lines(name: str, about: str, samples: Iterable[Sample]) -> Iterator[str]:
    yield f"# HELP {name} {about}\n# TYPE {name} gauge\n"
    for labels, value in samples:
        values = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
        yield f"{name}{{{values}}} {int(value)}\n"


def _escaped(text: str) -> str:
    """A label's value, as the text format wants it; a long one is shortened, and stays its own."""
    return shortened(text).replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


def check_metrics(path: Path) -> None:
    """Raise InputError when the file can't be written, before any work is done."""
    if not path.parent.is_dir():
        raise InputError(f"metrics {path} can't be written: {path.parent} is not a folder")
    if path.is_dir():
        raise InputError(f"metrics {path} can't be written: it is a folder")
    if path.suffix != ".prom":
        raise InputError(
            f"metrics {path} would not be read: node_exporter's textfile collector takes files "
            f"named *.prom alone; name it {path.with_suffix('.prom').name}"
        )
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise InputError(f"metrics {path} can't be written: no permission for {path.parent}")
