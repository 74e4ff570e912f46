"""Audit a fleet: what is wrong, how bad it is, and what to do first."""

from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pyspark.sql import DataFrame, Row, SparkSession, functions as F

from optimizer.figures import plural
from spark.audit.cluster_evaluator import COORDINATORS, ClusterEvaluator, evaluate_clusters
from spark.audit.finding import (
    ALL_GROUPS,
    COLUMNS,
    OWN_COLUMNS,
    SEVERITIES,
    WORST_FIRST,
    ClusterFinding,
    Finding,
    GroupFinding,
    PastFinding,
)
from spark.audit.group_evaluator import (
    GROUP_COLUMNS,
    GroupEvaluator,
    evaluate_groups,
    judged_schema,
)
from spark.audit.known import probe
from spark.audit.parts import parts_for
from spark.audit.past import Past, find_in_past
from spark.audit.registry import FINDINGS
from spark.audit.thresholds import AuditSettings
from spark.audit.verdict import verdict
from spark.charts import CHARTS, balance_of
from spark.fleet import (
    PLANNED,
    UNEVEN,
    FleetSnapshot,
    Mute,
    escaped_rows,
    label,
    read_results,
    worst_first,
)
from spark.groups import COLUMN, OFFSETS_TOPIC, encode, weight_tables
from spark.history import FleetHistory
from spark.notebook import FIRST, shown_in_notebook
from spark.solve import advice_counts, advice_in_words
from spark.store import Where
from spark.unpersist_handle import Handle

MISSING_FACT = {
    "groups.strategy": "the snapshot has no strategies (column groups.strategy)",
    "generation": "the snapshot has no generations (columns members.generation and "
    "assignments.generation)",
    "members.host": "the snapshot has no hosts of members (column members.host)",
    "members.rack": "the snapshot has no racks of members (column members.rack)",
    "partitions.leader": "the snapshot has no leaders (column partitions.leader)",
    "partitions.leader_rack": "the snapshot has no racks of leaders (column "
    "partitions.leader_rack)",
    "partitions.replicas": "the snapshot has no replicas (column partitions.replicas)",
    "partitions.weight": "the snapshot has no weights of partitions (column partitions.weight)",
    "partitions.isr": "the snapshot has no replicas in sync (column partitions.isr)",
    "partitions.min_insync_replicas": "the snapshot has no minimum of replicas in sync (column "
    "partitions.min_insync_replicas)",
    "brokers": "the snapshot has no brokers (table brokers)",
    "configs": "the snapshot has no settings of brokers and topics (table configs)",
    "coordinators": "the snapshot has no coordinators (column groups.coordinator), and no "
    f"leaders of topic {OFFSETS_TOPIC}",
    "lag": "the snapshot has no lags (table offsets)",
    "start": "the snapshot has no starts of logs (column offsets.start_offset)",
    "previous": "there is no earlier snapshot to compare with",
    "previous.offsets": "the earlier snapshot has no table offsets",
    "client_version": "no versions of clients are configured (client_version in [consumers])",
    "timeouts": "no time-outs are configured ([[timeouts]])",
    ALL_GROUPS: "it is about a whole cluster, and only some groups are examined",
    "history": "there is no history, or it has fewer than three snapshots ([history])",
    "history.offsets": "there is no history with offsets ([history], table offsets)",
    "copartitioned": "no co-partitioned topics are configured ([[copartitioned]])",
}
"""Needs of findings, and what to say where one isn't met."""


@dataclass(frozen=True)
class FleetAudit(Handle):
    """Findings of a snapshot, and which findings were not run, and why.

    `findings` has the columns of `spark.audit.finding.COLUMNS`. What it is made of is kept from
    first use until `release`; as a context manager the audit releases itself. `not_run` has a
    reason for each finding that couldn't be run. `judged` has a row a group, see
    `spark.audit.group_evaluator`. `coordinators` has a row a broker, with the columns
    `COORDINATORS`; None where the snapshot has none. `failures` has a row a topic, with
    `spark.audit.cluster_evaluator.BEARS`; None where no replicas are known.
    """

    snapshot: str
    findings: DataFrame
    not_run: dict[str, str]
    kept: Sequence[DataFrame] = field(repr=False)
    judged: DataFrame = field(repr=False)
    coordinators: DataFrame | None = field(default=None, repr=False)
    past: Past | None = field(default=None, repr=False)
    failures: DataFrame | None = field(default=None, repr=False)
    mutes: Sequence[Mute] = ()

    @property
    def unmuted(self) -> DataFrame:
        """The findings that count."""
        return self.findings.where("muted is null")

    @property
    def group_rows(self) -> DataFrame:
        """A row a group: its status and kind, and how even it is now and planned."""
        return escaped_rows(self.judged.select(*GROUP_COLUMNS))

    def groups(self) -> dict[str, int]:
        """Groups of each status; those that are ok or inferred were judged."""
        return self._groups_by("status")

    def uneven(self) -> int:
        """Uneven groups: their balance is of severity info or worse."""
        return sum(row["uneven"] for row in self._statuses_and_other_kinds)

    def worst_groups(self, groups: int = FIRST) -> list[dict[str, Any]]:
        """The groups that are uneven, the worst first, with the columns `GROUP_COLUMNS`."""
        rows = self.judged.where(UNEVEN).orderBy(*worst_first()).limit(groups)
        return [row.asDict() for row in escaped_rows(rows.select(*GROUP_COLUMNS)).collect()]

    def other_kinds(self) -> dict[str, int]:
        """Groups that aren't consumer groups, by kind."""
        return self._groups_by("kind")

    def _groups_by(self, column: str) -> dict[str, int]:
        counts = Counter[str]()
        for row in self._statuses_and_other_kinds:
            counts[row[column]] += row["groups"]
        return {name: counts[name] for name in sorted(filter(None, counts))}

    @cached_property
    def _statuses_and_other_kinds(self) -> list[Row]:
        uneven = F.count_if(F.expr(UNEVEN)).alias("uneven")
        advice = (column.alias(name) for name, column in advice_counts().items())
        grouped = self.judged.groupBy("status", "kind")
        return grouped.agg(F.count("*").alias("groups"), uneven, *advice).collect()

    def advice(self) -> list[str]:
        """Groups by what they are advised, and those that can follow a plan."""
        return advice_in_words(self._statuses_and_other_kinds)

    def counts(self) -> list[dict[str, Any]]:
        """One row a finding that was run: how many there are of each severity, and muted ones."""
        by_finding, columns = self._counts_by_finding, (*WORST_FIRST, "muted")
        return [
            {
                "finding": name,
                **{
                    column: by_finding[name][column] if name in by_finding else 0
                    for column in columns
                },
            }
            for name in FINDINGS
            if name not in self.not_run
        ]

    @cached_property
    def _counts_by_finding(self) -> dict[str, Row]:
        """The counts of each severity by finding, of muted ones, and of those of each mute."""
        # all groups are judged by then: else two parts of a cluster's job might each do it
        assert self._statuses_and_other_kinds is not None
        counts = {
            severity: F.expr(f"muted is null and severity = '{severity}'")
            for severity in WORST_FIRST
        }
        counts["muted"] = F.col("muted").isNotNull()
        counts |= {f"mute {at}": mute.fits() for at, mute in enumerate(self.mutes)}
        of = [F.count_if(counted_rows).alias(name) for name, counted_rows in counts.items()]
        return {row["finding"]: row for row in self.findings.groupBy("finding").agg(*of).collect()}

    def idle_mutes(self) -> list[str]:
        """A sentence for each mute that no finding fits, of those that were run."""
        counts = self._counts_by_finding
        return [
            f"[[mute]] {mute} fits nothing: remove it."
            for at, mute in enumerate(self.mutes)
            if mute.finding not in self.not_run
            and not (mute.finding in counts and counts[mute.finding][f"mute {at}"])
        ]

    def worst(self, rows: int) -> list[dict[str, Any]]:
        """The worst findings: by severity, then by how far they are past their threshold."""
        past = F.try_divide("measure", "threshold")
        under = F.expr("if(measure > 0, threshold / measure, double('inf'))")
        below = [name for name, finding in FINDINGS.items() if finding.below]
        order = F.array_position(F.lit(list(SEVERITIES)), F.col("severity"))
        ranked = self.unmuted.orderBy(
            order.desc(),
            F.when(F.col("finding").isin(below), under).otherwise(past).desc_nulls_last(),
            *("finding", "cluster", "group", "subject"),
        )
        return [row.asDict() for row in ranked.limit(rows).collect()]

    def chart(self) -> Any:
        """How even groups are now and planned; InputError where Altair isn't installed."""
        return CHARTS["balance"].chart(balance_of(self.judged))

    def _repr_html_(self) -> str:
        worst = self.worst(FIRST)
        sentences = [verdict(self.counts(), self.groups(), worst, self.not_run)]
        of_group = "cluster", "group", "current_max_load", "max_load", "moves"
        groups = shown_in_notebook([self.uneven_sentence()], of_group, self.worst_groups())
        columns = "severity", "finding", "cluster", "sentence", "advice"
        return shown_in_notebook(sentences, columns, worst) + groups

    def uneven_sentence(self) -> str:
        """Uneven groups, of those that were judged."""
        judged = sum(self.groups().get(status, 0) for status in PLANNED)
        uneven = self.uneven()
        is_uneven = "is" if 1 in (uneven, judged) else "are"
        return f"{uneven:,} of {plural(judged, 'group')} {is_uneven} uneven."

    def looked_at(self) -> str:
        """Of which instants it tells."""
        if self.past is None:
            return "Only this snapshot was checked, not its history."
        ids = self.past.recent.snapshots
        return f"History checked too: {plural(len(ids), 'snapshot')} since {ids[0]}."

    def release(self) -> None:
        """Free what is kept."""
        for frame in self.kept:
            frame.unpersist()
        if self.past:
            self.past.release()


def audit_fleet(
    snapshot: FleetSnapshot,
    previous: FleetSnapshot | None = None,
    settings: AuditSettings | None = None,
    history: FleetHistory | None = None,
    rates: DataFrame | None = None,
) -> FleetAudit:
    """Run all findings that the snapshot allows.

    `previous` is an earlier snapshot of the same fleet, for the findings that tell what has
    changed: by default the one before in the store that it was read from. `history` has the
    snapshots up to this one, for those that need time. `rates` are as `plan_fleet` takes them, for
    goals that ask for them. Raises InputError for null keys.
    """
    audit_settings = settings or AuditSettings()
    previous = previous or snapshot.before()
    available = probe(snapshot.validate(), previous, audit_settings, history)
    not_run = {
        name: "; ".join(MISSING_FACT[need] for need in _lacking(finding, available.names))
        for name, finding in FINDINGS.items()
        if not available.names.issuperset(finding.needs)
    }
    run = [finding for name, finding in FINDINGS.items() if name not in not_run]
    column = {COLUMN} if "partitions.weight" in available.names else set()
    weights = weight_tables(snapshot, audit_settings.goals.sources - {COLUMN} | column, rates)
    parts = parts_for(snapshot, previous, available.names)
    encoded = encode(snapshot, audit_settings.goals.need_racks, more=parts, weights=weights)
    names = [finding.name for finding in run if isinstance(finding, GroupFinding)]
    judged = evaluate_groups(encoded, GroupEvaluator(names, audit_settings, available)).persist()
    findings = judged.selectExpr("cluster", "`group`", "inline(findings)").select(*OWN_COLUMNS)
    kept, seats, bears = [judged], None, None
    of_clusters = [finding.name for finding in run if isinstance(finding, ClusterFinding)]
    if of_clusters:
        evaluator = ClusterEvaluator(of_clusters, audit_settings, available)
        has_seats = "coordinators" in available.names
        groups = judged if has_seats else None
        configs = snapshot.tables.get("configs")
        clusters = evaluate_clusters(
            snapshot.tables["partitions"], groups, configs, evaluator
        ).persist()
        kept.append(clusters)
        of_cluster = clusters.where("finding is not null").selectExpr(
            "cluster", "cast(null as string) as `group`", "finding.*"
        )
        findings = findings.unionAll(of_cluster.select(*OWN_COLUMNS))
        if has_seats:
            rows = clusters.where("coordinator is not null")
            seats = rows.selectExpr("cluster", "coordinator.*").select(*COORDINATORS)
        if "partitions.replicas" in available.names:
            rows = clusters.where("failures is not null")
            bears = rows.selectExpr("cluster", "failures.*")
    past = Past.of(history, audit_settings.window) if history else None
    of_past = [finding for finding in run if isinstance(finding, PastFinding)]
    in_past = find_in_past(of_past, past, audit_settings) if past else None
    if in_past is not None:
        kept.append(in_past.persist())
        findings = findings.unionAll(in_past)
    mutes = audit_settings.mutes
    findings = label(findings, audit_settings.teams, mutes, snapshot.id)
    return FleetAudit(snapshot.id, findings, not_run, kept, judged, seats, past, bears, mutes)


def read_audit(session: SparkSession, out: Where, snapshot: str) -> FleetAudit:
    """An audit that `evenfleet audit` wrote; InputError when it isn't there or can't be read.

    What wasn't run isn't told.
    """
    tables = read_results(session, out, ("findings", "groups"), snapshot)
    findings, judged = (table.rows for table in tables)
    for column in judged_schema():  # an older one lacks some
        if column.name in GROUP_COLUMNS and column.name not in judged.columns:
            judged = judged.withColumn(column.name, F.lit(None).cast(column.dataType))
    for name in {*COLUMNS} - {*findings.columns}:
        findings = findings.withColumn(name, F.lit(None).cast("string"))
    return FleetAudit(snapshot, findings, {}, (), judged)


def _lacking(finding: Finding, available: Set[str]) -> list[str]:
    """Needs of a finding that a snapshot doesn't meet; of a missing table no columns are named."""
    lacking = [need for need in finding.needs if need not in available]
    return [need for need in lacking if need.partition(".")[0] not in {*lacking} - {need}]
