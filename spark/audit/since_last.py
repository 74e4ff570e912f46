"""Changes since the last audit: findings that are new, worse or gone."""

from collections.abc import Collection, Iterable
from dataclasses import astuple, dataclass, replace
from enum import StrEnum
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from spark.audit.finding import SEVERITIES, WORST_FIRST
from spark.audit.fleet_audit import FleetAudit
from spark.audit.verdict import NOT_KNOWN
from spark.fleet import read_result
from spark.store import Where, source_of

TRACKED = SEVERITIES[1:]
"""Severities that are tracked: what is only good to know wakes nobody."""

TABLE = "tracked"
SCHEMA = (
    "cluster string, `group` string, finding string, subject string, severity string, "
    "since string, change string, sentence string"
)
MEMBERS = "members"
"""The subject of all findings about one member: its id changes whenever it starts again."""


class Change(StrEnum):
    """The change of a finding since the last audit."""

    NEW = "new"
    WORSE = "worse"
    GONE = "gone"


@dataclass(frozen=True)
class Tracked:
    """A finding that stands, or is gone since the last audit; `since` is a snapshot.

    It stands at its worst severity. Where a group, a cluster or the finding itself couldn't be
    examined, what stood goes on to stand: an audit that sees less ends nothing.
    """

    cluster: str
    group: str | None
    finding: str
    subject: str
    severity: str
    since: str
    change: Change | None
    sentence: str

    @property
    def key(self) -> tuple[Any, ...]:
        return self.cluster, self.group, self.finding, self.subject


@dataclass(frozen=True)
class AuditScope:
    """Scope of an audit: clusters, all groups of them but those `unjudged`, findings."""

    clusters: Collection[str]
    unjudged: Collection[tuple[str, str]]
    not_run: Collection[str]

    def covers(self, tracked: Tracked) -> bool:
        return (
            tracked.cluster in self.clusters
            and tracked.finding not in self.not_run
            and (tracked.cluster, tracked.group) not in self.unjudged
        )


def tracked_now(
    last: Iterable[Tracked], rows: Iterable[Any], seen: AuditScope, snapshot: str
) -> list[Tracked]:
    """Findings that stand now or are gone, by those of the last audit and the `rows` of now.

    `rows` are rows of cluster, group, finding, subject, severity, sentence and muted.
    """
    before = {earlier.key: earlier for earlier in last if earlier.change is not Change.GONE}
    now: dict[tuple[Any, ...], Tracked] = {}
    for row in rows:
        subject = MEMBERS if row["subject"].startswith("member ") else row["subject"]
        key = (row["cluster"], row["group"], row["finding"], subject)
        if row["muted"] is not None:  # known until its day, on which it is new
            before.pop(key, None)
            continue
        if key not in now or _rank(row["severity"]) > _rank(now[key].severity):
            now[key] = Tracked(*key, row["severity"], snapshot, Change.NEW, row["sentence"])
    for key, earlier in before.items():
        if key not in now:
            gone = Change.GONE if seen.covers(earlier) else None
            now[key] = replace(earlier, change=gone)
        else:
            worse = _rank(now[key].severity) > _rank(earlier.severity)
            change = Change.WORSE if worse else None
            now[key] = replace(now[key], since=earlier.since, change=change)
    return [now[key] for key in sorted(now, key=lambda key: tuple(text or "" for text in key))]


def changes_since(
    audit: FleetAudit, last: Iterable[Tracked], clusters: Collection[str]
) -> list[Tracked]:
    """Findings of an audit of these clusters, by what stood at the `last` one."""
    rows = audit.findings.where(f"severity in {TRACKED}").orderBy("cluster", "group", "sentence")
    unjudged = audit.judged.where(f"status in {NOT_KNOWN}").select("cluster", "group").collect()
    seen = AuditScope(clusters, {(row["cluster"], row["group"]) for row in unjudged}, audit.not_run)
    return tracked_now(last, rows.collect(), seen, audit.snapshot)


def last_tracked(session: SparkSession, out: Where, snapshot: str) -> list[Tracked] | None:
    """Findings that the last audit in `out` tracked, up to this snapshot; None if there is none."""
    ids = [id_ for id_ in source_of(session, out).ids(TABLE) if id_ <= snapshot]
    if not ids:
        return None
    rows = read_result(session, out, TABLE, ids[-1]).rows.collect()
    stood = [Tracked(**row.asDict()) for row in rows]
    return [replace(row, change=Change(row.change) if row.change else None) for row in stood]


def rows_of(session: SparkSession, tracked: Iterable[Tracked]) -> DataFrame:
    """For the table `tracked`, kept beside the audit's results for the next audit."""
    return session.createDataFrame([astuple(finding) for finding in tracked], SCHEMA).coalesce(1)


def counts_of(tracked: Collection[Tracked]) -> list[dict[str, Any]]:
    """New and worse findings, as `FleetAudit.counts` has all of them."""
    fresh = [row for row in tracked if row.change in (Change.NEW, Change.WORSE)]
    return [
        {"finding": name}
        | {
            severity: sum(row.finding == name and row.severity == severity for row in fresh)
            for severity in WORST_FIRST
        }
        for name in sorted({row.finding for row in fresh})
    ]


def _rank(severity: str) -> int:
    return SEVERITIES.index(severity)
