"""What a report tells, gathered from the capabilities or from what they have written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import reduce
from importlib.metadata import version
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession, functions as F

from spark.audit import AuditSettings, FleetAudit, audit_fleet, read_audit, verdict
from spark.charts import trend_of
from spark.compare import best_of, compare_fleet, fleet_of
from spark.errors import InputError
from spark.files import SNAPSHOT, Where, source_of
from spark.fleet import (
    FleetSnapshot,
    Part,
    compositions,
    escaped_rows,
    is_like,
    is_named,
    is_one_of,
    read_result,
    whole,
)
from spark.history import hours_between, lags_of
from spark.plan import IDLE_TO_BUSY, plan_fleet
from spark.reassign import reassign_fleet
from spark.report.groups import detailed_groups
from spark.report.material import GroupMaterial, Material
from spark.report.sums import (
    answers_of,
    as_rows,
    clusters_of,
    figures_of,
    kinds_of,
    loads_of,
    statuses_of,
    sums_of,
    together,
    weights_of,
    worst_groups,
)
from spark.scale import fleet_of_scale, savings_first, verdict_of
from spark.settings import USUAL_STRATEGIES, Settings

FINDINGS_SHOWN = 500
"""Findings that a page has in full; the audit's tables have all."""

ROWS = 2_000
"""Groups that a page has a row of, the worst ones."""

WORST = 10
"""Groups that a page says more about."""

SAMPLED = 500
"""Groups above which strategies are compared in a sample of about so many."""

COLUMNS = (
    *("max_load", "min_load", "sum_squares", "moves", "takeovers"),
    *("local_reads", "remote_reads", "current_local_reads", "current_remote_reads"),
    "balance_optimal",
)
"""What a plan measures of each group."""

Doing = Callable[[str], AbstractContextManager[object]]
"""What shows that something is going on, while it does."""


@dataclass(frozen=True)
class Results:
    """Folders of results that other commands wrote; the report computes the others."""

    plan: str | None = None
    audit: str | None = None
    history: str | None = None
    compare: str | None = None
    by_weight: str | None = None
    scale: str | None = None


def material_of(
    session: SparkSession,
    fleet: FleetSnapshot,
    results: Results,
    settings: Settings,
    levels: AuditSettings,
    title: str,
    store: str,
    previous: FleetSnapshot | None = None,
    doing: Doing = nullcontext,
) -> Material:
    """Everything on the page but its commands, from `results` where they are there.

    `previous` is the fleet in the snapshot before, if there is one; `doing` shows what goes on.
    """
    with ExitStack() as kept:
        with doing("auditing"):
            made = kept.enter_context(_audited(session, fleet, results.audit, levels, previous))
            facts, assignments = _planned(session, fleet, results.plan, made.facts, kept)
            counts, findings = made.counts(), made.worst(FINDINGS_SHOWN)
        with doing("comparing strategies"):
            sample = _sample(fleet, sum(made.groups().values()))
            compared = _kept(_compared(session, sample, results.compare, settings), kept)
            league = as_rows(fleet_of(compared))
            weighed = _kept(_by_weight(session, sample, results.by_weight, settings), kept)
            by_weight = [row for row in as_rows(fleet_of(weighed)) if _is_known(row)]
        with doing("looking at the past and at the worst groups"):
            past = _past(session, results.history, fleet)
            loads = loads_of(assignments, fleet.tables["members"])
            beside = [kinds_of(made.findings), loads, answers_of(compared), weights_of(weighed)]
            beside += [lags_in(fleet), *_assignors(fleet), *_rebalances_a_day(past)]
            every = _kept(together(facts, beside), kept)
            groups = worst_groups(every, ROWS)
            details = _details(fleet, groups, settings, past.get("changes"))
            sums = sums_of(every)
            before = _figures_before(previous, kept) if previous else None
        with doing("planning replicas and leaders"):
            brokers = as_rows(reassign_fleet(fleet).drop("files", "sentences").orderBy("cluster"))
        return Material(
            **_heading(fleet, title, store),
            goals=str(settings.goals.default),
            verdict=verdict(counts, statuses_of(sums), findings),
            statuses=statuses_of(sums),
            counts=counts,
            findings=findings,
            not_run=made.not_run,
            now=figures_of(sums),
            before=before,
            groups=groups,
            details=details,
            league=league,
            by_weight=by_weight,
            clusters_beside=_clusters(fleet, clusters_of(sums, made.findings)),
            best=best_of(league),
            sampled=None if sample is fleet else _measured(league),
            brokers=brokers,
            trend=trend_of(past["states"], past.get("rebalances")) if past else (),
            **_scaled(session, results.scale, fleet),
            plan=results.plan,
        )


def _clusters(fleet: FleetSnapshot, rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The clusters with the snapshot that each was read from."""
    return [row | {"instant": fleet.instants[row["cluster"]]} for row in rows]


def _kept(rows: DataFrame, kept: ExitStack) -> DataFrame:
    kept.callback(rows.unpersist)
    return rows.persist()


def _heading(fleet: FleetSnapshot, title: str, store: str) -> dict[str, Any]:
    """What the page is about, and when and by what it was made."""
    return {
        "title": title,
        "version": version("evenfleet"),
        "made_at": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "store": store,
        "snapshot": fleet.id,
        "clusters": dict(sorted(fleet.instants.items())),
        "part": str(fleet.part) if fleet.part else "",
    }


def _details(
    fleet: FleetSnapshot,
    groups: Sequence[Mapping[str, Any]],
    settings: Settings,
    changes: DataFrame | None,
) -> list[GroupMaterial]:
    """More about the worst groups that have a plan."""
    planned = [row for row in groups if row["max_load"] is not None]
    wanted = [(row["cluster"], row["group"]) for row in planned[:WORST]]
    return detailed_groups(fleet.with_groups(is_one_of(wanted)), wanted, settings, changes)


def fleet_before(
    session: SparkSession, store: Where, fleet: FleetSnapshot, settings: Settings
) -> FleetSnapshot | None:
    """The fleet in the snapshots before; None where there are none, or they can't be read."""
    try:
        older = compositions(session, store, whole(session, store, fleet.id), settings.max_age)[1]
        result = FleetSnapshot.compose(session, store, older) if older else None
        return result.matching(*fleet.part) if result else None
    except InputError:
        return None


def _figures_before(previous: FleetSnapshot, kept: ExitStack) -> dict[str, Any]:
    solved = kept.enter_context(plan_fleet(previous)).solved
    measured = solved.withColumn("idle_to_busy", F.expr(IDLE_TO_BUSY))
    columns = (
        "cluster",
        "group",
        "status",
        "members",
        "idle_to_busy",
        *COLUMNS,
        "current_max_load",
    )
    return figures_of(sums_of(together(measured.select(*columns), [lags_in(previous)])))


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
    session: SparkSession, fleet: FleetSnapshot, plan: str | None, facts: DataFrame, kept: ExitStack
) -> tuple[DataFrame, DataFrame]:
    """Facts of groups with the measures of a plan, and its assignments."""
    if plan is None:
        return facts, kept.enter_context(plan_fleet(fleet)).assignments
    groups, assignments = (
        read_result(session, plan, name, fleet.id).rows for name in ("groups", "assignments")
    )
    measures = groups.select("cluster", "group", *COLUMNS)
    planned = facts.drop(*COLUMNS).join(measures, ["cluster", "group"], "left")
    return planned, assignments


def _compared(
    session: SparkSession, fleet: FleetSnapshot, out: str | None, settings: Settings
) -> DataFrame:
    """The comparison that is there, or that of the usual strategies."""
    if out:
        return read_result(session, out, "comparison", fleet.id).rows
    return compare_fleet(fleet, USUAL_STRATEGIES, goals=settings.goals)


def _by_weight(
    session: SparkSession, fleet: FleetSnapshot, out: str | None, settings: Settings
) -> DataFrame:
    """The same by weight; empty where the snapshot has no weights."""
    if out:
        return read_result(session, out, "comparison", fleet.id).rows
    goals = settings.goals
    if not goals.weights:
        goals = goals.overridden(balance="weight", weight="column")
    if "weight" not in fleet.tables["partitions"].columns:
        fleet = replace(fleet, tables={n: t.limit(0) for n, t in fleet.tables.items()})
    return compare_fleet(fleet, USUAL_STRATEGIES, goals=goals)


def _is_known(row: dict[str, Any]) -> bool:
    return row["mean_over_bound"] is not None


def lags_in(fleet: FleetSnapshot) -> DataFrame:
    """Each group's `lag`; no rows where the snapshot has none."""
    if "offsets" in fleet.tables:
        return lags_of(fleet.tables)
    nobody = fleet.tables["members"].select("cluster", "group").limit(0)
    return nobody.withColumn("lag", F.lit(None).cast("long"))


def _assignors(fleet: FleetSnapshot) -> Iterator[DataFrame]:
    """The assignor that each group uses, where the snapshot has them."""
    values = fleet.tables.get("groups")
    if values is not None and "strategy" in values.columns:
        yield escaped_rows(values.select("cluster", "group", "strategy"))


def _rebalances_a_day(past: dict[str, DataFrame]) -> Iterator[DataFrame]:
    """`rebalances` of each group a day, over the time that the history covers, if it has any."""
    if "rebalances" not in past:
        return
    span = (
        past["states"]
        .groupBy("cluster")
        .agg(F.min(SNAPSHOT).alias("first"), F.max(SNAPSHOT).alias("last"))
    )
    days = span.withColumn("days", hours_between(F.col("first"), F.col("last")) / 24)
    times = (
        past["rebalances"]
        .groupBy("cluster", "group")
        .agg(F.sum(F.coalesce("generations", F.lit(1))).alias("times"))
    )
    a_day = F.try_divide("times", "days").alias("rebalances")
    yield times.join(days, "cluster").select("cluster", "group", a_day)


def _sample(fleet: FleetSnapshot, groups: int) -> FleetSnapshot:
    """The fleet, or some of very many groups: always the same ones, by a hash of their names."""
    every = groups // SAMPLED
    if every < 2:
        return fleet
    return fleet.with_groups(F.pmod(F.xxhash64("cluster", "group"), F.lit(every)) == 0)


def _measured(league: list[dict[str, Any]]) -> int:
    return max((row["groups"] + row["not_evaluated"] for row in league), default=0)


def _past(session: SparkSession, out: str | None, fleet: FleetSnapshot) -> dict[str, DataFrame]:
    """The tables of a history up to this snapshot, with a column `snapshot`."""
    if out is None:
        return {}
    source = source_of(session, out)
    result = {}
    for name in ("states", "changes", "rebalances"):
        ids = [text for text in source.ids(name) if text <= fleet.id]
        if rows := [values.rows for values in source.read_several(session, name, ids)]:
            result[name] = reduce(DataFrame.unionByName, rows)
    if "states" not in result:
        raise InputError(f"{out} has no history up to snapshot {fleet.id}: make it by `history`")
    return {name: rows.where(_fits(fleet.part)) for name, rows in result.items()}


def _scaled(session: SparkSession, out: str | None, fleet: FleetSnapshot) -> dict[str, Any]:
    """What policies come to and what to set, where `scale` has written it."""
    if out is None:
        return {}
    rows = read_result(session, out, "scale", fleet.id).rows.where(_fits(fleet.part))
    groups = as_rows(rows)
    sentences = [
        f"{row['group']} of {row['cluster']}: {row['sentence']}"
        for row in savings_first(groups)[:WORST]
    ]
    return {"scaling": as_rows(fleet_of_scale(rows)), "sizes": [verdict_of(groups), *sentences]}


def _fits(part: Part) -> Column:
    """Whether a row is about that part of a fleet."""
    of_cluster = F.lit(True) if part.cluster is None else is_named("cluster", [part.cluster])
    of_group = F.lit(True) if part.group is None else is_like("group", part.group)
    return of_cluster & of_group
