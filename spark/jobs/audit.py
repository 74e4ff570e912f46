"""`evenfleet audit`: what is wrong with a fleet, how bad it is, and what to do first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import timedelta
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from pyspark.sql import SparkSession
from rich.padding import Padding
from rich.text import Text

from spark import FleetAudit, FleetHistory, FleetSnapshot, InputError, audit_fleet, verdict
from spark.audit import (
    FINDINGS,
    SEVERITIES,
    AuditSettings,
    Change,
    Tracked,
    changes_since,
    counts_of,
    fails,
    last_tracked,
    metrics_of,
    read_audit_settings,
    rows_of,
    state_of,
)
from spark.errors import UnreadableError, first_line, unreadable_file
from spark.files import Where, replace_text, table_in, write_tables
from spark.fleet import (
    AUDIT,
    RESULTS,
    WHOLE,
    Composition,
    Part,
    Stored,
    check_out,
    compositions,
    snapshot_id,
    whole,
    within_reach,
)
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

WORST = 10
"""Findings that are shown with what to do."""

ENOUGH = 3
"""So many snapshots in the time that is looked at tell what takes time; two are compared."""

ROOMY = 76
"""Columns of a terminal on which the table has room to say what each finding tells."""

Counts = Sequence[dict[str, Any]]
"""`FleetAudit.counts`."""

Groups = Mapping[str, int]
"""`FleetAudit.groups`."""


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
            "Also report what is new, worse and gone since the last audit in --out; --fail-on then "
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
        counts, groups = audit_store(
            *(
                spark,
                source.where,
                out,
                source.snapshot,
                prometheus,
                audit_settings,
                settings.max_age,
            ),
            *(source.part, history, since_last),
        )
    if fail_on and fails(counts, groups, fail_on):
        raise typer.Exit(CHECK_FAILED)


def audit_store(
    session: SparkSession,
    store: Where,
    out: Where | None,
    snapshot: str | None,
    prometheus: Path | None,
    settings: AuditSettings,
    max_age: timedelta,
    part: Part = WHOLE,
    history: bool = False,
    since_last: bool = False,
) -> tuple[Counts, Groups]:
    """Audit one fleet, print and write what is found; how much of each kind, and who was judged.

    That is the newest of what is whole and can be read, unless `snapshot` names one. With `history`
    the snapshots before it are looked at as well. With `since_last` only what is new or worse since
    the last audit in `out` is counted.
    """
    if out:
        check_out(session, out, AUDIT)
    stored = whole(session, store, snapshot)
    while True:
        now, before = _snapshots_to_audit(session, store, snapshot, stored, max_age)
        try:
            fleet = read_and_report(
                session, store, "audit", partial(FleetSnapshot.compose, session, store, now)
            )
            fleet = part_of(fleet, part)
            past = _past(session, store, fleet, stored, settings, max_age) if history else None
            with _audit_one(session, store, fleet, before, settings, past) as made:
                return _print_audit(made, fleet, out, prometheus, settings, since_last)
        except Exception as error:
            broken = _unreadable(error)
            if broken is None or broken == snapshot or stored.why_not(broken) is not None:
                raise
            stored = stored.without(broken)
            if not any(stored.newest_first()):
                raise
            what = error if isinstance(error, InputError) else f"{broken}: {first_line(error)}"
            say(f"Skipped: {what}")


def _snapshots_to_audit(
    session: SparkSession, store: Where, snapshot: str | None, stored: Stored, max_age: timedelta
) -> tuple[Composition, Composition | None]:
    """What is audited, and what it is compared with."""
    if snapshot is None:
        return compositions(session, store, stored, max_age)
    older = next((name for name in stored.newest_first() if name < snapshot), None)
    return Composition(snapshot), Composition(older) if older else None


def _unreadable(error: Exception) -> str | None:
    """The snapshot with a file that can't be read, if that is what went wrong."""
    where = str(error) if isinstance(error, UnreadableError) else unreadable_file(error)
    found_text = re.search(r"/snapshot=([\w.-]+)", where or "")
    return found_text[1].rstrip(".:") if found_text else None


def _past(
    session: SparkSession,
    store: Where,
    fleet: FleetSnapshot,
    stored: Stored,
    settings: AuditSettings,
    max_age: timedelta,
) -> FleetHistory | None:
    """The snapshots up to that of the fleet, if there are enough to tell what takes time."""
    up_to = [item for item in stored.whole if item <= fleet.id]
    if not up_to or len(within_reach(up_to, settings.window)) < ENOUGH:
        return None
    try:
        result = FleetHistory.read(session, store, settings.reach, fleet.id, max_age)
        return result.matching(*fleet.part)
    except UnreadableError:
        raise
    except InputError as error:
        say(f"History findings were skipped: {error}.")
        return None


def _audit_one(
    session: SparkSession,
    store: Where,
    fleet: FleetSnapshot,
    before: Composition | None,
    settings: AuditSettings,
    past: FleetHistory | None,
) -> FleetAudit:
    """The audit of a fleet, beside what it was before."""
    previous = None
    if before:
        try:
            previous = FleetSnapshot.compose(session, store, before)
            previous = previous.matching(*fleet.part).validate()
        except UnreadableError:
            raise
        except InputError as error:
            say(f"Not compared with the previous snapshot: {error}.")
    with busy(f"auditing snapshot {fleet.id}"):
        return audit_fleet(fleet, previous, settings, past)


def _print_audit(
    made: FleetAudit,
    fleet: FleetSnapshot,
    out: Where | None,
    prometheus: Path | None,
    settings: AuditSettings,
    since_last: bool,
) -> tuple[Counts, Groups]:
    """Print and write an audit, when all of it is there."""
    session, tracked = made.findings.sparkSession, None
    with busy(f"auditing snapshot {made.snapshot}"):
        counts = made.counts()
        groups, kinds = made.groups(), made.kinds()
        worst = made.worst(WORST)
        if out:
            findings = made.findings.repartition(1).sortWithinPartitions(
                "cluster", "group", "finding", "subject"
            )
            facts = made.facts.repartition(1).sortWithinPartitions("cluster", "group")
            written = {"findings": findings, "groups": facts}
            if made.coordinators:
                rows = made.coordinators.coalesce(1).sortWithinPartitions("cluster", "broker")
                written["coordinators"] = rows
            if since_last:
                last = last_tracked(session, out, made.snapshot)
                tracked = changes_since(made, last or [], fleet.instants)
                written["tracked"] = rows_of(session, tracked)
            write_tables(session, out, snapshot_id(made.snapshot), written, RESULTS[AUDIT])
        if prometheus:
            replace_text(prometheus, metrics_of(made, settings.worst_groups, tracked))
    sentence = verdict(counts, groups, worst)
    not_run = [{"finding": name, "why": why} for name, why in made.not_run.items()]
    result = [row | {"what": FINDINGS[row["finding"]].tells} for row in counts if _total(row)]
    state = state_of(counts, groups)
    beside = {
        "worst": worst,
        "not_run": not_run,
        "other_kinds": [{"kind": kind, "groups": count} for kind, count in kinds.items()],
        "groups": [{"status": status, "groups": count} for status, count in groups.items()],
        "verdict": [
            {
                **{"snapshot": made.snapshot, "state": state, "verdict": sentence},
                "uneven_groups": made.uneven(),
            }
        ],
    }
    hide = () if OUT.width >= ROOMY else ("what",)
    tables = {"findings": Table(counts, result)} | programs_only(beside) | clusters_read(fleet)
    if tracked is not None:
        tables |= {"changes": Table(_changed(tracked), most=WORST)}
    show(tables, hide)
    if is_for_people():
        _show_worst(worst)
        _show_not_run(not_run)
    say_clusters(fleet)
    if fleet.part:
        say(f"Only {fleet.part} were audited.")
    if kinds:
        listed = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
        say(f"Groups that aren't consumer groups: {listed}.")
    if out:
        say(f"All findings are in {table_in(out, 'findings')}.")
        if made.coordinators:
            say(f"The groups of each coordinator are in {table_in(out, 'coordinators')}.")
    elif sum(map(_total, counts)) > len(worst):
        say(f"These are the worst {len(worst)}: --out FOLDER writes all.")
    if tracked is not None:
        kinds_of_change = Counter(one.change for one in tracked)
        said = ", ".join(f"{kinds_of_change[one]} {one}" for one in Change)
        say(f"Warnings and critical findings since the last audit: {said}.")
    say(f"Snapshot {made.snapshot}. {sentence} {made.uneven_sentence()}")
    return counts if tracked is None else counts_of(tracked), groups


def _changed(tracked: Sequence[Tracked]) -> list[dict[str, Any]]:
    """What is new, worse or gone, the new first."""
    names = ("change", "severity", "cluster", "group", "finding", "subject", "since", "sentence")
    order = [*Change]
    changed = sorted(
        (one for one in tracked if one.change), key=lambda one: order.index(one.change)
    )
    return [{name: getattr(one, name) for name in names} for one in changed]


def _show_worst(worst: Sequence[dict[str, Any]]) -> None:
    """For people: the worst with what to do."""
    of_kind: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for row in worst:
        of_kind.setdefault((row["severity"], row["finding"], row["advice"]), []).append(row)
    for (severity, name, advice), rows in of_kind.items():
        print_list(f"{severity}: {name}", [f"{row['cluster']}: {row['sentence']}" for row in rows])
        OUT.print(Padding(Text(f"→ {advice}"), (0, 0, 1, 2)))


def _show_not_run(not_run: Sequence[dict[str, Any]]) -> None:
    why: dict[str, list[str]] = {}
    for row in not_run:
        why.setdefault(row["why"], []).append(row["finding"])
    if why:
        print_list("not run", [f"{', '.join(names)}: {reason}." for reason, names in why.items()])


def _total(row: Mapping[str, Any]) -> int:
    return sum(row[severity] for severity in SEVERITIES)
