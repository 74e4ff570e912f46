"""`evenfleet audit`: what is wrong with a fleet, how bad it is, and what to do first."""

from contextlib import ExitStack
from dataclasses import replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from spark import FleetSnapshot, InputError, terminal
from spark.audit import AuditedStore, AuditSummary, fails, levels_and_goals, write_audit
from spark.fleet import AUDIT, Composition, Stored, check_out
from spark.metrics_text import check_metrics
from spark.store import Where
from spark.terminal import CHECK_FAILED, Table, busy, option, say, say_all, say_answer, show

ROOMY = 76
"""Columns of a terminal on which the table has room for what each finding says."""


class FailOn(StrEnum):
    """From which severity on a finding fails the audit."""

    WARNING = "warning"
    CRITICAL = "critical"


def audit(
    source: terminal.FleetOptions,
    target: terminal.OutOptions,
    goals: terminal.GoalOptions,
    history: Annotated[
        bool,
        option(
            "Also look at the past, if the store has three snapshots within [history] window.",
            *("--history/--no-history",),
        ),
    ] = True,
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
    thresholds: terminal.Thresholds = None,
) -> None:
    """Check a fleet for problems; exit code 1 with --fail-on."""
    out = target.optional()
    audit_settings, settings = levels_and_goals(thresholds, goals.apply_to(source.settings))
    if prometheus:
        check_metrics(prometheus)
    if since_last and not out:
        raise InputError("--since-last needs --out FOLDER, where the last audit's results are")
    with source.session(source.snapshot, history) as spark, ExitStack() as kept:
        check_out(spark, out, AUDIT)
        store = AuditedStore(spark, source.where, settings.max_age, say)

        def audit_one(
            now: Composition, before: Composition | None, stored: Stored
        ) -> tuple[FleetSnapshot, AuditSummary]:
            read = partial(FleetSnapshot.compose, spark, source.where, now)
            fleet = terminal.part_of(terminal.read_with_notes(read), source.part)
            rates = kept.enter_context(source.weights(spark, settings, fleet.id))
            past = stored if history else None
            made = store.audit(fleet, before, audit_settings, past, rates)
            # metrics tell changes too, while --fail-on looks at all that stands
            clusters = fleet.instants if since_last or (out and prometheus) else None
            with made, busy(f"auditing snapshot {fleet.id}"):
                summary = write_audit(made, audit_settings, out, prometheus, clusters)
                return fleet, summary if since_last else replace(summary, tracked=None)

        fleet, summary = store.newest(source.snapshot, audit_one)
        _print_audit(fleet, summary, out)
    if fail_on and fails(summary.counts_that_fail, summary.groups, fail_on):
        raise typer.Exit(CHECK_FAILED)


def _print_audit(fleet: FleetSnapshot, summary: AuditSummary, out: Where | None) -> None:
    worst = next(iter(summary.worst), None)
    if worst and worst["group"] and worst["severity"] == FailOn.CRITICAL:
        terminal.lead_to([worst | {"advice_kind": "look"}], terminal.PLAN)
    say_answer(summary.answer)
    terminal.print_lists(summary.worst_by_finding(), "these findings")
    tables = {"findings": Table(summary.counts, summary.finding_rows(), is_detail=True)}
    tables |= terminal.programs_only(summary.for_programs()) | terminal.clusters_read(fleet)
    if summary.tracked is not None:
        tables |= terminal.programs_only({"changes": summary.changes()})
    show(tables, () if terminal.OUT.width >= ROOMY else ("what",))
    terminal.print_list("not run", summary.not_run_by_reason(), is_detail=True)
    terminal.say_clusters(fleet)
    if fleet.part:
        say(f"Only {fleet.part} were audited.")
    say_all(() if fleet.part else summary.idle_mutes)
    say_all(summary.sentences())
    terminal.say_written(out, *summary.tables)
