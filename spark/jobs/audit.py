"""`evenfleet audit`: what is wrong with a fleet, how bad it is, and what to do first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.padding import Padding
from rich.text import Text

from spark import FleetSnapshot, InputError
from spark.audit import WORST, AuditedStore, AuditSummary, fails, read_audit_settings, write_audit
from spark.files import Where
from spark.fleet import AUDIT, Composition, Stored, check_out
from spark.metrics_text import check_metrics
from spark.terminal import (
    CHECK_FAILED,
    OUT,
    FleetOptions,
    OutOptions,
    Table,
    busy,
    clusters_read,
    is_for_people,
    option,
    part_of,
    print_list,
    programs_only,
    read_and_report,
    say,
    say_clusters,
    show,
)

ROOMY = 76
"""Columns of a terminal on which the table has room for what each finding says."""


class FailOn(StrEnum):
    """From which severity on a finding fails the audit."""

    WARNING = "warning"
    CRITICAL = "critical"


def audit(
    source: FleetOptions,
    target: OutOptions,
    history: Annotated[
        bool, option("Also run checks that need several snapshots (several times slower).")
    ] = False,
    since_last: Annotated[
        bool,
        option(
            "Also report what is new, worse and gone since the last audit in --out. --fail-on then "
            "looks at what is new or worse."
        ),
    ] = False,
    fail_on: Annotated[
        FailOn | None,
        option(
            "Exit with code 1 on a finding of this severity or worse, or if nothing could be "
            "checked."
        ),
    ] = None,
    prometheus: Annotated[
        Path | None, option("File of metrics (*.prom) for node_exporter's textfile collector.")
    ] = None,
    thresholds: Annotated[
        Path | None, option("Thresholds, severities, time-outs as in conf/audit.toml.")
    ] = None,
) -> None:
    """Check a fleet for problems; exit code 1 with --fail-on."""
    out, settings = target.optional(), source.settings
    audit_settings = read_audit_settings(thresholds).with_consumers(settings.consumers)
    if prometheus:
        check_metrics(prometheus)
    if since_last and not out:
        raise InputError("--since-last needs --out FOLDER, where the last audit's results are")
    with source.session(source.snapshot, history) as spark:
        if out:
            check_out(spark, out, AUDIT)
        store = AuditedStore(spark, source.where, settings.max_age, say)

        def audit_one(
            now: Composition, before: Composition | None, stored: Stored
        ) -> tuple[FleetSnapshot, AuditSummary]:
            read = partial(FleetSnapshot.compose, spark, source.where, now)
            fleet = part_of(read_and_report(spark, source.where, "audit", read), source.part)
            made = store.audit(fleet, before, audit_settings, stored if history else None)
            clusters = fleet.instants if since_last else None
            with made, busy(f"auditing snapshot {fleet.id}"):
                return fleet, write_audit(made, audit_settings, out, prometheus, clusters)

        fleet, summary = store.newest(source.snapshot, audit_one)
        _print_audit(fleet, summary, out)
    if fail_on and fails(summary.counts_that_fail, summary.groups, fail_on):
        raise typer.Exit(CHECK_FAILED)


def _print_audit(fleet: FleetSnapshot, summary: AuditSummary, out: Where | None) -> None:
    tables = {"findings": Table(summary.counts, summary.finding_rows())}
    tables |= programs_only(summary.for_programs()) | clusters_read(fleet)
    if summary.tracked is not None:
        tables |= {"changes": Table(summary.changes(), most=WORST)}
    show(tables, () if OUT.width >= ROOMY else ("what",))
    if is_for_people():
        _show_worst(summary.worst)
        _show_not_run(summary.not_run.items())
    say_clusters(fleet)
    if fleet.part:
        say(f"Only {fleet.part} were audited.")
    for sentence in summary.sentences(out, "--out FOLDER writes all"):
        say(sentence)


def _show_worst(worst: Sequence[dict[str, Any]]) -> None:
    """For people: the worst with what to do."""
    of_kind: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for row in worst:
        of_kind.setdefault((row["severity"], row["finding"], row["advice"]), []).append(row)
    for (severity, name, advice), rows in of_kind.items():
        print_list(f"{severity}: {name}", [f"{row['cluster']}: {row['sentence']}" for row in rows])
        OUT.print(Padding(Text(f"→ {advice}"), (0, 0, 1, 2)))


def _show_not_run(not_run: Iterable[tuple[str, str]]) -> None:
    why: dict[str, list[str]] = {}
    for name, reason in not_run:
        why.setdefault(reason, []).append(name)
    if why:
        print_list("not run", [f"{', '.join(names)}: {reason}." for reason, names in why.items()])
