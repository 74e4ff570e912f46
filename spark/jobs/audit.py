"""`evenfleet audit`: what is wrong with a fleet, how bad it is, and what to do first."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from pyspark.sql import SparkSession
from rich.padding import Padding
from rich.text import Text

from spark import FleetAudit, FleetSnapshot, InputError, audit_fleet, verdict
from spark.config import read_settings
from spark.console import OUT, Format, busy, plain, say, show
from spark.errors import UnreadableError
from spark.findings.finding import SEVERITIES
from spark.findings.registry import FINDINGS
from spark.jobs.options import CHECK_FAILED, Conf, Config, Form, Master, Snapshot, Store, opened
from spark.jobs.reading import read_snapshot
from spark.output import check_writable
from spark.prometheus import metrics_of, write_metrics
from spark.store import newest, snapshots, unfinished, write_table
from spark.thresholds import AuditSettings, read_audit_settings

WORST = 10
"""Findings that are shown with what to do."""


class FailOn(StrEnum):
    """From which severity on a finding fails the audit."""

    WARNING = "warning"
    CRITICAL = "critical"


def audit(
    store: Store,
    out: Annotated[
        str | None, typer.Option(help="Folder for the findings.", show_default=False)
    ] = None,
    snapshot: Snapshot = None,
    fail_on: Annotated[
        FailOn | None,
        typer.Option(help="Exit with code 1 at a finding of this severity or a worse one."),
    ] = None,
    prometheus: Annotated[
        Path | None,
        typer.Option(
            help="File of metrics (*.prom) for node_exporter's textfile collector.",
            show_default=False,
        ),
    ] = None,
    thresholds: Annotated[
        Path | None,
        typer.Option(
            help="Thresholds, severities, time-outs as in conf/audit.toml.", show_default=False
        ),
    ] = None,
    master: Master = None,
    conf: Conf = None,
    config: Config = None,
    form: Form = Format.TABLE,
) -> None:
    """Look for all that can be wrong with a fleet; exit code 1 if --fail-on says so."""
    settings = read_settings(config)
    chosen = read_audit_settings(thresholds)
    for path in (out, prometheus.parent if prometheus else None):
        if path is not None:
            check_writable(str(path))
    with opened(master, conf, settings) as spark:
        counts = audit_store(spark, store, out, snapshot, prometheus, chosen, form)
    failing = SEVERITIES[SEVERITIES.index(fail_on) :] if fail_on else ()
    if any(row[severity] for row in counts for severity in failing):
        raise typer.Exit(CHECK_FAILED)


def audit_store(
    session: SparkSession,
    store: str,
    out: str | None,
    snapshot: str | None,
    prometheus: Path | None,
    settings: AuditSettings,
    form: Format,
) -> Sequence[dict[str, Any]]:
    """Audit one snapshot, print and write what is found; how much is found of each kind."""
    with _audited(session, store, snapshot, settings) as made, busy("auditing"):
        groups = made.groups()
        counts = made.counts()
        worst = made.worst(WORST)
        if out:
            findings = made.findings.repartition(1).sortWithinPartitions(
                "cluster", "group", "finding", "subject"
            )
            write_table(findings, out, "findings", made.snapshot)
        if prometheus:
            write_metrics(metrics_of(made, settings.worst_groups), prometheus)
    sentence = verdict(counts, groups)
    not_run = [{"finding": name, "why": why} for name, why in made.not_run.items()]
    if form is Format.JSON:
        tables = {"findings": counts, "worst": worst, "not_run": not_run}
        show(tables | {"verdict": [{"snapshot": made.snapshot, "verdict": sentence}]}, form)
    else:
        _show(counts, worst, not_run)
    if out:
        say(f"All findings are in {out}/findings.")
    say(f"Snapshot {made.snapshot}. {sentence}")
    return counts


def _audited(
    session: SparkSession, store: str, snapshot: str | None, settings: AuditSettings
) -> FleetAudit:
    """The audit of one snapshot; by default of the newest that is whole and can be read."""
    present = snapshots(session, store)
    if snapshot:
        older = [one for one in present if one < newest(session, store, snapshot)]
        return _audit_one(session, store, snapshot, older, settings)
    for one, why in unfinished(session, store).items():
        if one > max(present, default=""):
            say(f"Snapshot {one} is skipped: {why}.")
    while present:
        one = present.pop()
        try:
            return _audit_one(session, store, one, present, settings)
        except UnreadableError as error:
            if not present:
                raise
            say(f"Snapshot {one} is skipped: {error}.")
    raise InputError(f"store {store} has no whole snapshot: import or write one first")


def _audit_one(
    session: SparkSession, store: str, snapshot: str, older: Sequence[str], settings: AuditSettings
) -> FleetAudit:
    """The audit of a snapshot, beside the one before it if that can be read."""
    fleet = read_snapshot(session, store, snapshot, "audit")
    previous = None
    if older:
        try:
            previous = FleetSnapshot.read(session, store, older[-1]).validate()
        except InputError as error:
            say(f"Nothing is compared with the snapshot before: {error}.")
    with busy(f"auditing snapshot {snapshot}"):
        return audit_fleet(fleet, previous, settings)


def _show(
    counts: Sequence[dict[str, Any]],
    worst: Sequence[dict[str, Any]],
    not_run: Sequence[dict[str, Any]],
) -> None:
    """For people: how many there are of each kind, the worst with what to do, what wasn't run."""
    found = [row | {"what": FINDINGS[row["finding"]].tells} for row in counts if _any(row)]
    show({"findings": found}, Format.TABLE)
    if worst:
        OUT.print(Text("The worst, and what to do\n", style="italic"))
    for row in worst:
        where = f"{row['cluster']}: {row['sentence']}"
        OUT.print(Text(f"{row['severity']}  {row['finding']}", style="bold"))
        OUT.print(Padding(Text(plain(where)), (0, 0, 0, 2)))
        OUT.print(Padding(Text(f"→ {row['advice']}"), (0, 0, 1, 2)))
    for row in not_run:
        OUT.print(Text(f"Not run: {row['finding']}: {row['why']}."))


def _any(row: dict[str, Any]) -> bool:
    return any(row[severity] for severity in SEVERITIES)
