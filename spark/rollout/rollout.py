"""Bring groups of a fleet to another assignor or protocol."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from pyspark.sql import DataFrame, Window, functions as F

from optimizer.coordinator import SUMMED_COSTS, ClientSettings, figures_of
from optimizer.figures import did_you_mean, duration, partition_time, plural
from optimizer.model import Problem, classes_of, group_of
from optimizer.scenarios import Event, Migrate, Upgrade
from optimizer.strategies import CLASSIC_ASSIGNORS
from spark.errors import InputError
from spark.fleet import CONNECT, CONSUMER, HUB, LENGTH_OF_UUID, FleetSnapshot, components, escape
from spark.groups import EncodedRow, Int, Text, encode, failure_of, read_or_failed
from spark.settings import NO_CONSUMERS, STRATEGY_SECONDS, ConsumerSettings, FleetConsumers
from spark.solve import TimeLimit
from spark.trial import CostRow, run_events, try_groups

if TYPE_CHECKING:
    import pandas as pd


@dataclass(slots=True, kw_only=True)
class RolloutRow(CostRow):
    """A rolling restart of a group, and what it brings; what isn't known is null.

    `status`: `ready`; `done`, where there is nothing to do; or `unable`, and the `reason` says why.
    `step` counts from 1; in `deploy` is what each member is to be configured with then. `members`
    restart one after the other.
    """

    uses: Text = None
    members: Int = None
    step: Int = None
    steps: Int = None
    deploy: Text = None


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
    check_target(to)
    encoded = encode(snapshot.validate(), racks=True)

    def steps_of(row: EncodedRow, limit: TimeLimit) -> Iterator[RolloutRow]:
        return steps_of_group(row, to, consumers, limit)

    steps = try_groups(encoded, RolloutRow, steps_of, strategy_seconds)
    return _in_waves(steps, coupled_parts(whole or snapshot))


def check_target(to: str) -> None:
    """Raise InputError unless groups can be brought to that."""
    if to not in TARGETS:
        near = did_you_mean(to, TARGETS)
        raise InputError(f"unknown target {to!r}: give {' or '.join(TARGETS)}{near}")


def coupled_parts(fleet: FleetSnapshot) -> DataFrame:
    """A row a group that reads anything: cluster, group, component (its first group's name).

    One task looks at each cluster.
    """
    names = (f"{escape(f'`{name}`')} as `{name}`" for name in ("cluster", "group", "topic"))
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

    def step(status: str, reason: str | None = None, **costs: Any) -> RolloutRow:
        outcome = group.outcome(row) | {"status": status, "reason": reason}
        uses, members = row.group_strategy, len(row.member_ids)
        return RolloutRow(**outcome, uses=uses, members=members, **costs)

    if group.problem is None:
        yield step(UNABLE, group.reason)
        return
    config = consumers.of(row.cluster, row.group)
    way = upgrade_path(row, to, config, float(config.get("restart_seconds", RESTART_SECONDS)))
    if not way.restarts:
        yield step(UNABLE if way.reason else DONE, way.reason)
        return
    try:
        for columns in _costs_of(row, group.problem, way, consumers, limit):
            yield step(READY, **columns)
    except Exception as error:
        yield step(UNABLE, failure_of(error).reason)


def _costs_of(
    row: EncodedRow, problem: Problem, way: UpgradePath, consumers: FleetConsumers, limit: TimeLimit
) -> Iterator[dict[str, Any]]:
    """Each step with its own figures: those of a run up to it without those of the run before."""
    events = [event for _, event in way.restarts]
    named = group_of(problem, classes_of(problem).kept)
    parameters = consumers.parameters(row.cluster, row.group).with_assignors(way.offered)
    before = dict.fromkeys(SUMMED_COSTS, 0)
    for number, (deploy, _) in enumerate(way.restarts, start=1):
        figures = figures_of(run_events(row, named, events[:number], parameters, limit).timeline)
        summed = [name for name in SUMMED_COSTS if figures[name] is not None]
        own = {name: round(figures[name] - before[name], 3) for name in summed}
        before = figures
        yield {"step": number, "steps": len(events), "deploy": deploy, **figures, **own}


COOPERATIVE = "cooperative-sticky"

TARGETS = (COOPERATIVE, CONSUMER)
"""Targets that groups can be brought to: an assignor, or the protocol of KIP-848."""

NEW_PROTOCOL = "group.protocol=consumer, without partition.assignment.strategy"
"""Settings of members for KIP-848."""

LEAST_BROKER = (4, 0)
"""The first version of brokers that has the new protocol for general use (KIP-848)."""


class UpgradePath(NamedTuple):
    """The list of assignors that members offer now, and the restarts that are needed, in words too.

    `reason` says why there is no way; no restarts and no reason: the group is there already.
    """

    offered: tuple[str, ...]
    restarts: tuple[tuple[str, Event], ...] = ()
    reason: str | None = None


def upgrade_path(row: EncodedRow, to: str, config: ConsumerSettings, seconds: float) -> UpgradePath:
    """The upgrade path of an encoded group; each restart takes a member a number of seconds.

    A list of assignors that is stated for it counts if its own assignor is in it. Without one,
    range stands for the client's default, and any other assignor for itself.
    """
    offered, reason = offered_by(row, config), _why_not(row, to, config)
    is_there = row.type == CONSUMER or (to, offered) == (COOPERATIVE, (COOPERATIVE,))
    if reason or is_there:
        return UpgradePath(offered, reason=reason)
    if to == CONSUMER:
        return UpgradePath(offered, ((NEW_PROTOCOL, Migrate(seconds=seconds)),))
    both = () if COOPERATIVE in offered else ((COOPERATIVE, *offered),)
    restarts = (
        (f"partition.assignment.strategy={','.join(names)}", Upgrade(names, seconds=seconds))
        for names in (*both, (COOPERATIVE,))
    )
    return UpgradePath(offered, tuple(restarts))


def offered_by(row: EncodedRow, config: ConsumerSettings) -> tuple[str, ...]:
    """The assignors that members are taken to offer, the preferred one first."""
    own = row.group_strategy
    listed = tuple(config.get("partition_assignment_strategy", ()))
    if listed and (own is None or own in listed):
        return listed
    if own in CLASSIC_ASSIGNORS and own != ClientSettings().assignors[0]:
        return (str(own),)
    return ClientSettings().assignors


def _why_not(row: EncodedRow, to: str, config: ConsumerSettings) -> str | None:
    own = row.group_strategy
    if row.type == CONNECT:
        return "workers of Connect have protocols of their own (connect.protocol)"
    new = sum(len(member) == LENGTH_OF_UUID for member in row.member_ids)
    if row.type == CONSUMER and 0 < new < len(row.member_ids):
        return f"{new} of {len(row.member_ids)} members use the new protocol and the others don't"
    if row.type == CONSUMER:
        is_done = to == CONSUMER
        return None if is_done else "the coordinator assigns already (protocol consumer)"
    if own is not None and own not in CLASSIC_ASSIGNORS:
        return f"the group has an assignor of its own, {own}"
    version = config.get("broker_version")
    if to == CONSUMER and version and _numbers(version) < LEAST_BROKER:
        return f"the brokers have version {version}; the new protocol needs 4.0"
    return None


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


Row = Mapping[str, Any]


def step_for_people(row: Row) -> dict[str, Any]:
    """A step in a table that people read."""
    return {
        "wave": row["wave"],
        "cluster": row["cluster"],
        "group": row["group"],
        "step": f"{row['step']} of {row['steps']}",
        "deploy": row["deploy"].partition("=")[2].partition(", ")[0],
        "unread": duration(row["unread_seconds"]),
    }


def rollout_report(rows: Sequence[Row], to: str) -> list[str]:
    """Sentences on all steps of `spark.rollout.rollout_fleet`: the verdict, and how to go about it.

    The verdict is how many groups get there, in how many restarts and waves, and what that costs.
    """
    ready = [row for row in rows if row["status"] == READY]
    done, unable = (sum(row["status"] == status for row in rows) for status in (DONE, UNABLE))
    others = f"{plural(done, 'group')} there already, {unable:,} can't."
    if not ready:
        return [f"No group to bring to {to}: {others}"]
    restarts = Counter(row["steps"] for row in ready if row["step"] == 1)
    groups = " and ".join(
        f"{plural(count, 'group')} in {plural(steps, 'rolling restart')}"
        for steps, count in sorted(restarts.items())
    )
    rebalances, unread = (sum(row[of] for row in ready) for of in ("rebalances", "unread_seconds"))
    sentences = [
        f"Bring {groups} to {to}, in {plural(max(row['wave'] for row in ready), 'wave')}: "
        f"{plural(rebalances, 'rebalance')}, {partition_time(unread)} unread. {others}",
        f"Waves don't share topics (ignoring topics with over {HUB} readers). "
        "Finish one before the next.",
    ]
    if any(row["steps"] > 1 for row in ready):
        sentences.append("Start a group's second restart when all its members have had the first.")
    if fatal := sum(row["fatal"] or 0 for row in ready):
        sentences.append(
            f"{plural(fatal, 'member')} {'ends' if fatal == 1 else 'end'} in an error."
        )
    return sentences


def why_not(rows: Sequence[Row]) -> list[str]:
    """Groups that can't get there, by reason."""
    reasons = Counter(row["reason"] for row in rows if row["status"] == UNABLE)
    return [f"{plural(count, 'group')}: {reason}" for reason, count in reasons.most_common()]
