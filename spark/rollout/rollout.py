"""Bring groups of a fleet to another assignor or protocol."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame, Window, functions as F

from optimizer.coordinator import figures_of
from optimizer.model import Problem, classes_of
from spark.errors import InputError
from spark.fleet import FleetSnapshot, components, escaped
from spark.groups import (
    EncodedRow,
    Flag,
    Int,
    Long,
    Outcome,
    Real,
    Text,
    encode,
    failed,
    named_group,
    read_or_failed,
)
from spark.rollout.upgrade_path import TARGETS, UpgradePath, upgrade_path
from spark.settings import NO_CONSUMERS, STRATEGY_SECONDS, FleetConsumers
from spark.solve import TimeLimit
from spark.trial import simulated, tried

if TYPE_CHECKING:
    import pandas as pd


@dataclass(slots=True, kw_only=True)
class RolloutRow(Outcome):
    """A rolling restart of a group, and what it brings; what isn't known is null.

    `status`: `ready`; `done`, where there is nothing to do; or `unable`, and the `reason` says why.
    `step` counts from 1; in `deploy` is what each member is to be configured with then. `members`
    restart one after the other. What that costs is simulated as in `spark.whatif`: `rebalances`,
    `unread_seconds`, `longest_pause`, `stopped_needlessly`, `moves`, `read_twice_seconds`, `fatal`.
    """

    uses: Text = None
    members: Int = None
    step: Int = None
    steps: Int = None
    deploy: Text = None
    rebalances: Int = None
    unread_seconds: Real = None
    longest_pause: Real = None
    stopped_needlessly: Long = None
    moves: Long = None
    read_twice_seconds: Real = None
    fatal: Int = None
    at_rest: Flag = None


READY, DONE, UNABLE = "ready", "done", "unable"

RESTART_SECONDS = 30
"""For how long a restart keeps a member away, where the configuration doesn't say."""


def rollout_fleet(
    snapshot: FleetSnapshot,
    to: str,
    consumers: FleetConsumers = NO_CONSUMERS,
    strategy_seconds: float = STRATEGY_SECONDS,
    whole: FleetSnapshot | None = None,
) -> DataFrame:
    """A `RolloutRow` for each step of each group, with its `wave` and `component`.

    `to` is `cooperative-sticky` or `consumer` (KIP-848). Groups that share topics, directly or
    through others, are of one component, and never in one wave; `whole` is the fleet that tells so,
    if the snapshot is a part of it. A step of a group comes in the wave of its group; those who
    cost the least go first. Groups without steps have no wave.

    InputError for another `to`, and for null keys.
    """
    if to not in TARGETS:
        raise InputError(f"groups can be brought to {' or '.join(TARGETS)}, not to {to!r}")
    encoded = encode(snapshot.validate(), racks=True)

    def steps_of(row: EncodedRow, limit: TimeLimit) -> Iterator[RolloutRow]:
        return steps_of_group(row, to, consumers, limit)

    steps = tried(encoded, RolloutRow, steps_of, strategy_seconds)
    return _in_waves(steps, coupled_parts(whole or snapshot))


def coupled_parts(fleet: FleetSnapshot) -> DataFrame:
    """A row a group that reads anything: cluster, group, component (its first group's name).

    One task looks at each cluster.
    """
    names = (f"{escaped(f'`{name}`')} as `{name}`" for name in ("cluster", "group", "topic"))
    read = fleet.tables["subscriptions"].selectExpr(*names).distinct()
    schema = "cluster string, `group` string, component string"
    return read.groupBy("cluster").applyInPandas(_components, schema)


def _components(rows: pd.DataFrame) -> pd.DataFrame:
    first = components(rows["group"].tolist(), rows["topic"].tolist())
    names = {"group": [*first], "component": [*first.values()]}
    return type(rows)({"cluster": rows["cluster"].iloc[0], **names})


def _in_waves(steps: DataFrame, parts: DataFrame) -> DataFrame:
    of_group = Window.partitionBy("cluster", "group")
    cost = F.sum(F.coalesce("unread_seconds", F.lit(0.0))).over(of_group)
    of_part = Window.partitionBy("cluster", "component", F.col("status") == READY)
    in_order = of_part.orderBy("cost", "group")
    wave = F.when(F.col("status") == READY, F.dense_rank().over(in_order))
    return (
        steps.join(parts, ["cluster", "group"], "left")
        .withColumn("component", F.coalesce("component", "group"))
        .withColumn("cost", cost)
        .withColumn("wave", wave)
        .drop("cost")
    )


def steps_of_group(
    row: EncodedRow, to: str, consumers: FleetConsumers, limit: TimeLimit
) -> Iterator[RolloutRow]:
    """The rows of a group; a failure becomes a row, and doesn't stop other groups."""
    group = read_or_failed(row)
    if group.problem is None:
        yield _row(row, UNABLE, group.reason)
        return
    values = consumers.of(row.cluster, row.group)
    way = upgrade_path(row, to, values, float(values.get("restart_seconds", RESTART_SECONDS)))
    if not way.restarts:
        yield _row(row, UNABLE if way.reason else DONE, way.reason)
        return
    try:
        yield from _priced(row, group.problem, way, consumers, limit)
    except Exception as error:
        yield _row(row, UNABLE, failed(error).reason)


def _row(row: EncodedRow, status: str, reason: str | None = None, **result: Any) -> RolloutRow:
    return RolloutRow(
        cluster=row.cluster,
        group=row.group,
        status=status,
        reason=reason,
        uses=row.group_strategy,
        members=len(row.member_ids),
        **result,
    )


SUMMED = (
    *("rebalances", "unread_seconds", "stopped_needlessly", "moves", "read_twice_seconds"),
    "fatal",
)
"""Figures that a run of several steps has the sums of."""


def _priced(
    row: EncodedRow, problem: Problem, way: UpgradePath, consumers: FleetConsumers, limit: TimeLimit
) -> Iterator[RolloutRow]:
    """Each step with its own figures: those of a run up to it without those of the run before."""
    events = [event for _, event in way.restarts]
    named = named_group(row, problem, classes_of(problem).kept)
    parameters = consumers.parameters(row.cluster, row.group).with_assignors(way.offered)
    before: dict[str, Any] = dict.fromkeys(SUMMED, 0)
    for number, (deploy, _) in enumerate(way.restarts, start=1):
        figures = figures_of(simulated(row, named, events[:number], parameters, limit).timeline)
        own = {name: round(figures[name] - before[name], 3) for name in SUMMED}
        own |= {name: figures[name] for name in ("longest_pause", "at_rest")}
        before = figures
        yield _row(row, READY, step=number, steps=len(events), deploy=deploy, **own)
