"""An audit for node_exporter's textfile collector: Prometheus's text format 0.0.4."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from operator import itemgetter

from pyspark.sql import DataFrame, Row, functions as F

from spark.audit.finding import WORST_FIRST
from spark.audit.fleet_audit import FleetAudit
from spark.audit.registry import FINDINGS
from spark.audit.since_last import TRACKED, Change, Tracked
from spark.audit.verdict import State, state_of
from spark.fleet import STATUSES
from spark.groups import GROUP_KEYS
from spark.metrics_text import Family, Sample, metrics_text

ID = "%Y%m%dT%H%M%SZ"

REBALANCES = "rebalances_per_hour"

MEASURES = {
    "excess_partitions": "Partitions of the most loaded member beyond what the best plan gives it.",
    "gap_ratio": "Highest load now ÷ the best possible one, less 1, as the group is judged.",
    REBALANCES: "Generations that the group went through per hour, by its history.",
    "late_seconds": "How long ago the worst partition's committed offset was the end.",
}
"""Measures of the worst groups: the end of each metric's name, and what it is."""


def metrics_of(
    audit: FleetAudit, worst_groups: int, changes: Sequence[Tracked] | None = None
) -> str:
    """The text; the number of series depends on `worst_groups`, not on the fleet.

    Every finding that was run has a series for each severity, 0 where there is none. The worst
    groups (by critical findings, then warnings) have series of their own, the others come as sums.
    `changes` are those since the last audit, where they were looked for.
    """
    counts = audit.counts()
    groups = audit.groups()
    state = state_of(counts, groups)
    total = {label: sum(row[label] for row in counts) for label in WORST_FIRST}
    ranked = _worst_groups(audit, worst_groups)
    worst, others = _by_group(ranked, total)
    families: list[Family] = [
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
            "evenfleet_audit_muted_findings",
            "Findings that the settings mute; they count nowhere else.",
            [({"finding": row["finding"]}, row["muted"]) for row in counts if row["muted"]],
        ),
        (
            "evenfleet_audit_team_findings",
            "Findings about groups of each team of the settings.",
            [
                ({"team": row["team"], "severity": severity}, row[severity])
                for row in _severities_by(audit, "team").orderBy("team").collect()
                if row["team"] is not None
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
            [({"state": label}, label is state) for label in State],
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
        (
            "evenfleet_audit_snapshot_timestamp_seconds",
            "When that snapshot was taken.",
            [({}, datetime.strptime(audit.snapshot, ID).replace(tzinfo=UTC).timestamp())],
        ),
        *_measures(audit, ranked),
        *([] if changes is None else [_changes(changes)]),
    ]
    return metrics_text(families)


def _changes(changes: Sequence[Tracked]) -> Family:
    counts = Counter((change.change, change.severity) for change in changes)
    return (
        "evenfleet_audit_changes",
        "Findings that are new, worse or gone since the last audit.",
        [
            ({"change": change, "severity": severity}, counts[change, severity])
            for change in Change
            for severity in TRACKED
        ],
    )


def _measures(audit: FleetAudit, groups: Sequence[Row]) -> list[Family]:
    """Measures of these groups; without a history nothing is known of time."""
    keys = [(row["cluster"], row["group"]) for row in groups]
    session = audit.findings.sparkSession
    keys_of_worst = F.broadcast(session.createDataFrame(keys, "cluster string, `group` string"))
    now = audit.judged.where("max_load > 0")
    frames = {
        "excess_partitions": now.withColumn("value", F.expr("current_max_load - max_load")),
        "gap_ratio": now.withColumn("value", F.expr("now_to_best - 1")),
    }
    if audit.past:
        frames[REBALANCES] = audit.past.rebalanced.withColumn(
            "value", F.expr("generations / hours")
        )
        if "offsets" in audit.past.recent.tables:
            late = audit.past.consumption.groupBy(*GROUP_KEYS)
            frames["late_seconds"] = late.agg(F.max("lag_seconds").alias("value"))
    families: list[Family] = []
    for name, frame in frames.items():
        rows = frame.join(keys_of_worst, list(GROUP_KEYS), "left_semi").collect()
        by_group = {(row["cluster"], row["group"]): row["value"] for row in rows}
        if name == REBALANCES:  # a history has no row of a group that didn't rebalance
            by_group = dict.fromkeys(keys, 0.0) | by_group
        samples: list[Sample] = [
            (_labels(row), value)
            for row in sorted(groups, key=itemgetter(*GROUP_KEYS))
            if (value := by_group.get((row["cluster"], row["group"]))) is not None
        ]
        families.append((f"evenfleet_audit_group_{name}", MEASURES[name], samples))
    return families


def _worst_groups(audit: FleetAudit, most: int) -> list[Row]:
    worst_first = (F.col(severity).desc() for severity in WORST_FIRST)
    ranked = _severities_by(audit, *GROUP_KEYS, "team").orderBy(*worst_first, *GROUP_KEYS)
    return ranked.limit(most).collect()


def _severities_by(audit: FleetAudit, *keys: str) -> DataFrame:
    """Findings of groups of each severity, by these columns."""
    sums = [F.count_if(F.col("severity") == severity).alias(severity) for severity in WORST_FIRST]
    return audit.unmuted.where("group is not null").groupBy(*keys).agg(*sums)


def _labels(row: Row) -> dict[str, str]:
    """The labels of a group; one without a team has no such label."""
    return {name: row[name] for name in (*GROUP_KEYS, "team") if row[name] is not None}


def _by_group(rows: Sequence[Row], total: Mapping[str, int]) -> tuple[list[Sample], list[Sample]]:
    """Samples of the worst groups, and what is left of the totals for the rest."""
    samples: list[Sample] = [
        (_labels(row) | {"severity": severity}, row[severity])
        for row in rows
        for severity in WORST_FIRST
    ]
    others: list[Sample] = [
        ({"severity": severity}, total[severity] - sum(row[severity] for row in rows))
        for severity in WORST_FIRST
    ]
    return samples, others
