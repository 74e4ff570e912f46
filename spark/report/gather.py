"""The material of a report, gathered from the capabilities or from what they have written."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from operator import itemgetter
from typing import Any

from pyspark.sql import DataFrame, SparkSession, functions as F
from pyspark.util import inheritable_thread_target

from spark.audit import AuditSettings, FleetAudit, audit_fleet, read_audit, verdict
from spark.charts import trend_of
from spark.compare import best_first, best_of, compare_fleet, fleet_of
from spark.fleet import (
    GROUP_KEYS,
    FleetSnapshot,
    as_rows,
    escape,
    escaped_rows,
    read_results,
    worst_first,
)
from spark.plan import plan_fleet
from spark.reassign import reassign_fleet
from spark.report.groups import WORST, detailed_groups
from spark.report.material import Material, goals_text
from spark.report.sums import (
    MEASURES,
    clusters_of,
    figures_before,
    figures_by_cluster,
    figures_of,
    findings_by_group,
    lags_in,
    loads_of,
    merge,
    names_of,
    past_of,
    rebalances_a_day,
    weights_of,
    worst_groups,
)
from spark.scale import fleet_of_scale, verdict_of, what_to_set
from spark.settings import USUAL_STRATEGIES, FleetGoals, Settings

FINDINGS_SHOWN = 500
"""Findings that a page has in full; the audit's tables have all."""

ROWS = 2_000
"""Groups that a page has a row of, the worst ones."""

SAMPLED = 500
"""Fleets of more groups are compared by a sample of about this number."""

Doing = Callable[[str], AbstractContextManager[object]]
"""Shows that something is going on, while it does."""


@dataclass(frozen=True)
class Results:
    """Folders of results that other commands wrote; the report computes the others."""

    plan: str | None = None
    audit: str | None = None
    history: str | None = None
    compare: str | None = None
    by_weight: str | None = None
    scale: str | None = None

    def tables(self, session: SparkSession, snapshot: str) -> dict[str, list[DataFrame]]:
        """The tables of those that are there; InputError for one that can't be read."""
        return {
            name: [table.rows for table in read_results(session, folder, tables, snapshot)]
            for name, tables in TABLES.items()
            if (folder := getattr(self, name))
        }

    @property
    def sources(self) -> str:
        """Sentences on what was read, and what the library was asked for."""
        folders = {name: folder for name, folder in asdict(self).items() if folder}
        asked = [name for name in ("audit", "plan", "compare") if name not in folders]
        read = (f"{name.replace('_', ' ')} in {folder}" for name, folder in folders.items())
        sentences = (("Read", ", ".join(read)), ("Asked for this page", ", ".join(asked)))
        return " ".join(f"{what}: {names}." for what, names in sentences if names)


TABLES = {
    "plan": ("groups", "assignments"),
    **dict.fromkeys(("compare", "by_weight"), ("comparison", "fleet")),
    "scale": ("scale",),
}
"""Tables of results that a page is made of; those of an audit and of a history are read there."""


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

    `previous` is the snapshot before, `doing` shows what goes on.
    """
    tables, past = results.tables(session, fleet.id), past_of(session, results.history, fleet)
    with ExitStack() as kept:
        submit = _in_turn(session, kept)
        before = submit(figures_before, previous, settings.goals, levels.levels)
        brokers = submit(_brokers, fleet)
        with doing("auditing"):
            made = kept.enter_context(_audit_of(session, fleet, results.audit, levels, previous))
            shown = _fleet_on_page(fleet, made)
            rows, assignments = _plan_of(shown, tables.get("plan"), made, settings.goals, kept)
            counts, findings = made.counts(), made.worst(FINDINGS_SHOWN)
        with doing("comparing strategies"):
            sample = _sample(fleet, sum(made.groups().values()))
            compared = tables.get("compare") or _comparison_of(sample, settings, kept)
            by_weight = tables.get("by_weight", compared)
            league, weighed = (
                as_rows(table.coalesce(1).sortWithinPartitions(*best_first()))
                for _, table in (compared, by_weight)
            )
        with doing("looking at the past and at the worst groups"):
            beside = [
                findings_by_group(made.unmuted),
                weights_of(by_weight[0]),
                loads_of(assignments, fleet.tables["members"]),
                *(names_of(shown), lags_in(fleet)),
                *(*_assignors(fleet), *rebalances_a_day(past)),
            ]
            every = _keep(merge(rows, beside), kept)
            groups = worst_groups(every, ROWS)
            of_page = fleet, groups, settings, levels.levels, past.get("changes")
            details = detailed_groups(*of_page)
            figures = figures_by_cluster(every)
        with doing("planning replicas and leaders"):
            brokers.result(), before.result()
        statuses, is_whole = made.groups(), sample is fleet or results.compare is not None
        measured = (row["groups"] + row["not_evaluated"] for row in league)
        return Material(
            **_heading(fleet, title, store),
            goals=goals_text(settings.goals.default),
            verdict=verdict(counts, statuses, findings, made.not_run),
            statuses=statuses,
            counts=counts,
            findings=findings,
            not_run=made.not_run,
            now=figures_of(figures),
            before=before.result(),
            groups=groups,
            details=details,
            league=league,
            by_weight=[row for row in weighed if row["mean_over_bound"] is not None],
            best=best_of(league),
            sampled=None if is_whole else max(measured, default=0),
            clusters_beside=clusters_of(fleet, figures, made.unmuted),
            brokers=brokers.result(),
            trend=trend_of(past["states"], past.get("rebalances")) if past else (),
            **_scaling_of(tables.get("scale"), fleet),
            sources=results.sources,
        )


def _heading(fleet: FleetSnapshot, title: str, store: str) -> dict[str, Any]:
    """The page's subject, and when and by what it was made."""
    return {
        "title": title,
        "version": version("evenfleet"),
        "made_at": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "store": store,
        "snapshot": fleet.id,
        "clusters": dict(sorted(fleet.instants.items())),
        "part": str(fleet.part) if fleet.part else "",
    }


def _in_turn(session: SparkSession, kept: ExitStack) -> Callable[..., Future[Any]]:
    """Calls functions in a thread of their own, one after the other, beside what goes on.

    Jobs on few rows leave cores idle while Spark plans the next one.
    """
    pool = ThreadPoolExecutor(1)
    kept.callback(pool.shutdown, cancel_futures=True)

    def submit(function: Callable[..., Any], *of: Any) -> Future[Any]:
        return pool.submit(inheritable_thread_target(session)(function), *of)

    return submit


def _brokers(fleet: FleetSnapshot) -> list[dict[str, Any]]:
    """Moves that `reassign` would plan, a row a cluster."""
    rows = as_rows(reassign_fleet(fleet).drop("files", "sentences"))
    return sorted(rows, key=itemgetter("cluster"))


def _keep(rows: DataFrame, kept: ExitStack) -> DataFrame:
    kept.callback(rows.unpersist)
    return rows.persist()


def _audit_of(
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


def _plan_of(
    shown: FleetSnapshot,
    plan: Sequence[DataFrame] | None,
    made: FleetAudit,
    goals: FleetGoals,
    kept: ExitStack,
) -> tuple[DataFrame, DataFrame]:
    """Rows of groups with the measures of a plan, and its assignments."""
    if plan is None:
        return made.group_rows, kept.enter_context(
            plan_fleet(shown, goals=goals, advice=False)
        ).assignments
    groups, assignments = plan
    measures = groups.select("cluster", "group", *MEASURES)
    planned = made.group_rows.drop(*MEASURES).join(measures, ["cluster", "group"], "left")
    return planned, assignments


def _fleet_on_page(fleet: FleetSnapshot, made: FleetAudit) -> FleetSnapshot:
    """The fleet, or of very many groups those that the page has a row of."""
    if sum(made.groups().values()) <= ROWS:
        return fleet
    first = made.group_rows.orderBy(*worst_first()).limit(ROWS)
    keys = [row.key for row in first.select(F.xxhash64(*GROUP_KEYS).alias("key")).collect()]
    names = ", ".join(escape(f"`{name}`") for name in GROUP_KEYS)
    return fleet.with_groups(F.expr(f"xxhash64({names}) in ({', '.join(map(str, keys))})"))


def _comparison_of(fleet: FleetSnapshot, settings: Settings, kept: ExitStack) -> list[DataFrame]:
    """The comparison of the usual strategies: a row a group and strategy, and one a strategy."""
    rows = _keep(compare_fleet(fleet, USUAL_STRATEGIES, goals=settings.goals), kept)
    return [rows, fleet_of(rows)]


def _assignors(fleet: FleetSnapshot) -> Iterator[DataFrame]:
    """The assignor that each group uses, and its type, where the snapshot has them."""
    table = fleet.tables.get("groups")
    if table is not None and "strategy" in table.columns:
        columns = [name for name in (*GROUP_KEYS, "strategy", "type") if name in table.columns]
        yield escaped_rows(table.select(*columns))


def _sample(fleet: FleetSnapshot, groups: int) -> FleetSnapshot:
    """The fleet, or some of very many groups: always the same ones, by a hash of their names."""
    every = groups // SAMPLED
    if every < 2:
        return fleet
    return fleet.with_groups(F.pmod(F.xxhash64("cluster", "group"), F.lit(every)) == 0)


def _scaling_of(tables: Sequence[DataFrame] | None, fleet: FleetSnapshot) -> dict[str, Any]:
    """Costs of policies, and what to set, where `scale` has written it."""
    if tables is None:
        return {}
    rows = tables[0].where(fleet.part.has_row())
    groups = as_rows(rows)
    sizes = [verdict_of(groups), *what_to_set(groups)[:WORST]]
    return {"scaling": as_rows(fleet_of_scale(rows)), "sizes": sizes}
