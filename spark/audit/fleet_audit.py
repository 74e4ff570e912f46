"""Audit a fleet: what is wrong, how bad it is, and what to do first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark.audit.finding import ALL_GROUPS, COLUMNS, SEVERITIES, Finding, graded
from spark.audit.frames import HAS_MEMBERS, Frames
from spark.audit.previous import solve_from_before
from spark.audit.registry import FINDINGS
from spark.audit.thresholds import AuditSettings
from spark.audit.verdict import WORST_FIRST
from spark.fleet import CONNECT, FleetSnapshot, escaped_rows, kind_of_group
from spark.groups import GROUP_KEYS, OFFSETS_TOPIC, encode
from spark.solve import solve_groups
from spark.unpersist_handle import Handle

PROBES = {
    "groups.strategy": ("groups", "strategy is not null"),
    "members.generation": ("members", "generation is not null"),
    "assignments.generation": ("assignments", "generation is not null"),
    "members.rack": ("members", "rack is not null and rack != ''"),
    "partitions.leader": ("partitions", "leader >= 0"),
    "partitions.leader_rack": ("partitions", "leader_rack is not null"),
    "partitions.replicas": ("partitions", "replicas is not null"),
    "partitions.isr": ("partitions", "isr is not null"),
    "groups.coordinator": ("groups", "coordinator >= 0"),
    OFFSETS_TOPIC: ("partitions", f"topic = '{OFFSETS_TOPIC}' and leader >= 0"),
    "connect": ("groups", f"lower(type) = '{CONNECT}'"),
    "lag": ("offsets", "coalesce(lag, try_subtract(end_offset, committed_offset)) is not null"),
}
"""Optional facts, and the rows of a table that show that a snapshot has them."""

COORDINATORS = (
    *("cluster", "broker", "groups", "members", "partitions"),
    *("load", "load_to_mean", "inferred"),
)
"""Of the table of coordinators; see `spark.audit.frames.Frames.coordinators`."""

NOT_THERE = {
    "groups.strategy": "the snapshot doesn't tell strategies (column groups.strategy)",
    "generation": "the snapshot tells no generations (columns members.generation and "
    "assignments.generation)",
    "members.rack": "the snapshot tells no racks of members (column members.rack)",
    "partitions.leader": "the snapshot tells no leaders (column partitions.leader)",
    "partitions.leader_rack": "the snapshot tells no racks of leaders (column "
    "partitions.leader_rack)",
    "partitions.replicas": "the snapshot tells no replicas (column partitions.replicas)",
    "partitions.isr": "the snapshot doesn't tell which replicas are in sync (column "
    "partitions.isr)",
    "coordinators": "the snapshot tells no coordinators (column groups.coordinator), and no "
    f"leaders of topic {OFFSETS_TOPIC}",
    "lag": "the snapshot tells no lags (table offsets)",
    "previous": "there is no earlier snapshot to compare with",
    "previous.offsets": "the earlier snapshot has no table offsets",
    "timeouts": "no time-outs are configured ([[timeouts]])",
    ALL_GROUPS: "it is about a whole cluster, and only some groups are looked at",
    "copartitioned": "no co-partitioned topics are configured ([[copartitioned]])",
}
"""What a finding needs, and what to say where it isn't there."""


@dataclass(frozen=True)
class FleetAudit(Handle):
    """Findings of a snapshot, and which findings were not run, and why.

    `findings` has the columns of `spark.audit.finding.COLUMNS`. What it is made of is kept from
    first use until `release`; as a context manager the audit releases itself. `not_run` has a
    reason for each finding that couldn't be run. `coordinators` has a row a broker, with
    the columns `COORDINATORS`; None where the snapshot tells of none.
    """

    snapshot: str
    findings: DataFrame
    not_run: dict[str, str]
    kept: Sequence[DataFrame] = field(repr=False)
    solved: DataFrame = field(repr=False)
    encoded: DataFrame = field(repr=False)
    coordinators: DataFrame | None = field(default=None, repr=False)

    def groups(self) -> dict[str, int]:
        """How many groups have each status: `ok` and `inferred` ones were judged."""
        rows = self.solved.groupBy("status").count().orderBy("status").collect()
        return {row["status"]: row["count"] for row in rows}

    def kinds(self) -> dict[str, int]:
        """How many groups there are that aren't consumer groups, by kind."""
        named = self.encoded.withColumnRenamed("group_strategy", "strategy")
        kinds = named.select(F.expr(kind_of_group(HAS_MEMBERS)).alias("kind")).where(
            "kind is not null"
        )
        rows = kinds.groupBy("kind").count().orderBy("kind").collect()
        return {row["kind"]: row["count"] for row in rows}

    def counts(self) -> list[dict[str, Any]]:
        """One row a finding that was run: its name, and how many there are of each severity."""
        of = [F.count_if(F.col("severity") == severity).alias(severity) for severity in WORST_FIRST]
        found = {row["finding"]: row for row in self.findings.groupBy("finding").agg(*of).collect()}
        return [
            {
                "finding": name,
                **{one: found[name][one] if name in found else 0 for one in WORST_FIRST},
            }
            for name in FINDINGS
            if name not in self.not_run
        ]

    def worst(self, rows: int) -> list[dict[str, Any]]:
        """The worst findings: by severity, then by how far they are past their threshold."""
        past = F.try_divide("measure", "threshold")
        under = F.try_divide("threshold", "measure")
        below = [name for name, finding in FINDINGS.items() if finding.below]
        order = F.array_position(F.lit(list(SEVERITIES)), F.col("severity"))
        ranked = self.findings.orderBy(
            order.desc(),
            F.when(F.col("finding").isin(below), under).otherwise(past).desc_nulls_last(),
            *("finding", "cluster", "group", "subject"),
        )
        return [row.asDict() for row in ranked.limit(rows).collect()]

    def release(self) -> None:
        """Free what is kept."""
        for frame in self.kept:
            frame.unpersist()


def audit_fleet(
    snapshot: FleetSnapshot,
    previous: FleetSnapshot | None = None,
    settings: AuditSettings | None = None,
) -> FleetAudit:
    """Run all findings that the snapshot allows.

    `previous` is an earlier snapshot of the same fleet, for the findings that tell what has
    changed. Raises InputError for null keys.
    """
    chosen = settings or AuditSettings()
    there = _there(snapshot.validate(), previous, chosen)
    encoded = encode(snapshot).persist()
    solved = solve_groups(encoded, "optimal").persist()
    from_before = solve_from_before(snapshot, previous).persist() if previous else None
    frames = Frames(chosen, snapshot, previous, encoded, solved, from_before)
    not_run = {
        name: "; ".join(NOT_THERE[need] for need in _lacking(finding, there))
        for name, finding in FINDINGS.items()
        if not there.issuperset(finding.needs)
    }
    found = [_found(name, frames, chosen) for name in FINDINGS if name not in not_run]
    findings = _united(found)
    findings = (_advised(findings, encoded) if "connect" in there else findings).persist()
    kept = [frame for frame in (findings, from_before, solved, encoded) if frame is not None]
    # once for the rows that are found, not in each of the plans that find them
    findings = escaped_rows(findings)
    seats = (
        frames.coordinators.select(*COORDINATORS) if {"coordinators", ALL_GROUPS} <= there else None
    )
    return FleetAudit(snapshot.id, findings, not_run, kept, solved, encoded, seats)


def _advised(findings: DataFrame, encoded: DataFrame) -> DataFrame:
    """The same with the advice that Connect's workers need in place of consumers'."""
    workers = encoded.where(f"type = '{CONNECT}'").select(*GROUP_KEYS, F.lit(True).alias("connect"))
    advice = reduce(
        lambda column, one: column.when(F.col("finding") == one.name, F.lit(one.advice_to_connect)),
        (one for one in FINDINGS.values() if one.advice_to_connect),
        F.when(F.lit(False), None),
    ).otherwise(F.col("advice"))
    advised = findings.join(F.broadcast(workers), list(GROUP_KEYS), "left")
    told = F.when(F.col("connect"), advice).otherwise(F.col("advice"))
    return advised.withColumn("advice", told).select(*COLUMNS)


def _united(frames: Sequence[DataFrame]) -> DataFrame:
    """Halves of halves: Spark looks through all that it has united at each union."""
    if len(frames) == 1:
        return frames[0]
    half = len(frames) // 2
    return _united(frames[:half]).unionAll(_united(frames[half:]))


def _lacking(finding: Finding, there: set[str]) -> list[str]:
    """What a finding needs and isn't there; a part isn't told of where the whole is missing."""
    lacking = [need for need in finding.needs if need not in there]
    return [need for need in lacking if need.partition(".")[0] not in {*lacking} - {need}]


def _found(name: str, frames: Frames, settings: AuditSettings) -> DataFrame:
    """In one task: they are few, and each task of their union is sent the plans of all of them."""
    finding = FINDINGS[name]
    setting = settings.of(finding)
    read = [frames[frame] for frame in finding.reads]
    rows = finding.find(*read, setting) if finding.settings else finding.find(*read)
    return graded(rows, finding, setting).repartition(1)


def _there(
    snapshot: FleetSnapshot, previous: FleetSnapshot | None, settings: AuditSettings
) -> set[str]:
    """What of all that findings need is there. A column that is null throughout isn't."""
    probes = [
        snapshot.tables[table].where(shows).limit(1).select(F.lit(need).alias("need"))
        for need, (table, shows) in PROBES.items()
        if table in snapshot.tables
    ]
    there = {row["need"] for row in _united(probes).collect()}
    if there & {"members.generation", "assignments.generation"}:
        there.add("generation")
    if there & {"groups.coordinator", OFFSETS_TOPIC}:
        there.add("coordinators")
    stated = {
        ALL_GROUPS: snapshot.part.group is None,
        "previous": previous is not None,
        "previous.offsets": previous is not None and "offsets" in previous.tables,
        "timeouts": bool(settings.timeouts),
        "copartitioned": bool(settings.copartitioned),
    }
    return there | {need for need, is_there in stated.items() if is_there}
