"""What a report tells, gathered from the capabilities or from what they have written."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import reduce
from importlib.metadata import version
from shlex import quote
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession, functions as F

from spark import FleetSnapshot, InputError, compare_fleet, fleet_of
from spark.audit import AuditSettings, FleetAudit, audit_fleet, read_audit, verdict
from spark.charts import balance_of, causes_of, trend_of
from spark.compare import best_of
from spark.files import Where, source_of
from spark.fleet import (
    TABLES,
    Part,
    compositions,
    is_like,
    is_named,
    read_result,
    whole,
)
from spark.history import lag_of
from spark.jobs.report_groups import told_groups
from spark.plan import summarize_groups
from spark.reassign import reassign_fleet
from spark.report import (
    Material,
    clusters_of,
    one_of,
    worst_groups,
)
from spark.settings import USUAL_STRATEGIES, Settings
from spark.terminal import as_rows, busy

SHOWN = 500
"""Findings that a page has; the audit's tables have all."""

WORST = 10
"""Groups that are told one by one."""

SAMPLED = 500
"""Groups above which strategies are compared in a sample of about so many."""

COLUMNS = (
    *("max_load", "min_load", "sum_squares", "moves", "takeovers"),
    *("local_reads", "remote_reads", "current_local_reads", "current_remote_reads"),
    "balance_optimal",
)
"""What a plan measures of each group."""


MADE_BY = {
    "plan": "plan {} --out PLAN",
    "audit": "audit {} --out AUDIT",
    "compare": "compare {} --out COMPARISON",
    "history": "history {} --out HISTORY",
    "reassign": "reassign {} --all --out MOVES",
    "explain": "explain {} --cluster CLUSTER --group GROUP",
}
"""The commands that make the tables of a report."""


@dataclass(frozen=True)
class Results:
    """Folders of results that are there already; what isn't is worked out."""

    plan: str | None
    audit: str | None
    history: str | None


def material_of(
    session: SparkSession,
    fleet: FleetSnapshot,
    results: Results,
    settings: Settings,
    levels: AuditSettings,
    title: str,
    store: str,
    previous: FleetSnapshot | None = None,
) -> Material:
    """All that the page tells, from results where they are there.

    `previous` is the fleet in the snapshot before, if there is one.
    """
    with ExitStack() as kept:
        with busy("auditing"):
            made = kept.enter_context(_audited(session, fleet, results.audit, levels, previous))
            facts = _planned(session, fleet, results.plan, made.facts).persist()
            kept.callback(facts.unpersist)
            statuses, current_and_planned = summarize_groups(facts)
            counts, worst = made.counts(), made.worst(SHOWN)
            groups = {row["status"]: row["groups"] for row in statuses}
        with busy("comparing strategies"):
            league, sampled = _league(fleet, settings, sum(groups.values()))
        with busy("looking at the past and at the worst groups"):
            past = _past(session, results.history, fleet)
            chosen = worst_groups(facts, WORST)
            some = _only(fleet, one_of(chosen))
            told = told_groups(some, chosen, settings, made.findings, past.get("changes"))
            beside = clusters_of(facts, made.findings)
        with busy("planning replicas and leaders"):
            planned = reassign_fleet(fleet).drop("files", "sentences").orderBy("cluster")
            brokers = [row.asDict(recursive=True) for row in planned.collect()]
        return Material(
            title=title,
            version=version("evenfleet"),
            made_at=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
            store=store,
            snapshot=fleet.id,
            clusters=dict(sorted(fleet.instants.items())),
            part=str(fleet.part) if fleet.part else "",
            made_by={
                name: f"evenfleet {text.format(quote(store))}" for name, text in MADE_BY.items()
            },
            goals=str(settings.goals.default),
            verdict=verdict(counts, groups, worst),
            statuses=groups,
            counts=counts,
            findings=worst,
            not_run=made.not_run,
            fleet=current_and_planned,
            balance=balance_of(facts),
            clusters_beside=[row | {"instant": fleet.instants[row["cluster"]]} for row in beside],
            league=league,
            best=best_of(league),
            sampled=sampled,
            racks=_racks(facts),
            brokers=brokers,
            trend=trend_of(past["states"], past.get("rebalances")) if "states" in past else (),
            rebalances=causes_of(past["rebalances"]) if "rebalances" in past else (),
            groups=told,
            plan=results.plan,
            now=size_of(fleet),
            before=size_of(previous) if previous else None,
        )


def fleet_before(
    session: SparkSession, store: Where, fleet: FleetSnapshot, settings: Settings
) -> FleetSnapshot | None:
    """The fleet in the snapshots before; None where there are none, or they can't be read."""
    try:
        older = compositions(session, store, whole(session, store, fleet.id), settings.max_age)[1]
        found = FleetSnapshot.compose(session, store, older) if older else None
        return found.matching(*fleet.part) if found else None
    except InputError:
        return None


def size_of(fleet: FleetSnapshot) -> dict[str, Any]:
    """How many groups and members a fleet has, and how many records its groups are behind."""
    members = fleet.tables["members"].agg(F.count("*"), F.countDistinct("cluster", "group"))
    of_members, with_members = members.collect()[0]
    stated = fleet.tables.get("groups")
    groups = with_members if stated is None else stated.count()
    return {"groups": groups, "members": of_members, "lag": lag_of(fleet.tables)}


def _audited(
    session: SparkSession,
    fleet: FleetSnapshot,
    out: str | None,
    levels: AuditSettings,
    previous: FleetSnapshot | None,
) -> FleetAudit:
    """The audit that is there, or the same that `audit` would make without a history."""
    if out:
        return read_audit(session, out, fleet.id)
    return audit_fleet(fleet, previous.validate() if previous else None, levels)


def _planned(
    session: SparkSession, fleet: FleetSnapshot, plan: str | None, facts: DataFrame
) -> DataFrame:
    """Facts of groups with the measures of a plan that is there, in place of the audit's own."""
    if plan is None:
        return facts
    groups = read_result(session, plan, "groups", fleet.id).rows
    measures = groups.select("cluster", "group", *COLUMNS)
    return facts.drop(*COLUMNS).join(measures, ["cluster", "group"], "left")


def _racks(facts: DataFrame) -> list[dict[str, Any]]:
    """Partitions that are read across racks, by cluster, where a plan tells of them."""
    found, planned = "current_remote_reads", "remote_reads"
    known = facts.where(f"{found} is not null and {planned} is not null").groupBy("cluster")
    sums = known.agg(F.sum(found).alias("current"), F.sum(planned).alias("planned"))
    return as_rows(sums.orderBy("cluster").collect())


def _league(
    fleet: FleetSnapshot, settings: Settings, groups: int
) -> tuple[list[dict[str, Any]], int | None]:
    """What each strategy would make of the fleet, or of a sample of its groups, and of how many."""
    every = groups // SAMPLED
    some = _sample(fleet, every) if every > 1 else fleet
    rows = as_rows(fleet_of(compare_fleet(some, USUAL_STRATEGIES, goals=settings.goals)).collect())
    measured = max((row["groups"] + row["not_evaluated"] for row in rows), default=0)
    return rows, measured if every > 1 else None


def _sample(fleet: FleetSnapshot, every: int) -> FleetSnapshot:
    """One of so many groups, by a hash of its name: always the same ones."""
    return _only(fleet, F.pmod(F.xxhash64("cluster", "group"), F.lit(every)) == 0)


def _only(fleet: FleetSnapshot, chosen: Column) -> FleetSnapshot:
    """Some groups, which are few, and the topics that they read."""
    tables = {
        name: rows.where(chosen) if TABLES[name].by_group else rows
        for name, rows in fleet.tables.items()
    }
    read = F.broadcast(tables["subscriptions"].select("cluster", "topic").distinct())
    tables["partitions"] = tables["partitions"].join(read, ["cluster", "topic"], "left_semi")
    return replace(fleet, tables=tables)


def _past(session: SparkSession, out: str | None, fleet: FleetSnapshot) -> dict[str, DataFrame]:
    """The tables of a history up to this snapshot, with a column `snapshot`."""
    if out is None:
        return {}
    source = source_of(session, out)
    found = {}
    for name in ("states", "changes", "rebalances"):
        ids = [one for one in source.ids(name) if one <= fleet.id]
        if rows := [stated.rows for stated in source.read_several(session, name, ids)]:
            found[name] = reduce(DataFrame.unionByName, rows)
    if "states" not in found:
        raise InputError(f"{out} has no history up to snapshot {fleet.id}: make it by `history`")
    return {name: rows.where(_fits(fleet.part)) for name, rows in found.items()}


def _fits(part: Part) -> Column:
    """Whether a row is about that part of a fleet."""
    of_cluster = F.lit(True) if part.cluster is None else is_named("cluster", [part.cluster])
    of_group = F.lit(True) if part.group is None else is_like("group", part.group)
    return of_cluster & of_group
