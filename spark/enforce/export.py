"""The plans of groups, as consumers read them."""

import base64
from collections.abc import Iterator
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, Row, functions as F

from optimizer.assignor.plan_file import CLASSIC, GroupPlan, Topics, why_not_follow
from spark.enforce.evaluate_group import why_not
from spark.errors import InputError
from spark.fleet import (
    CONNECT,
    CONSUMER,
    GROUP_KEYS,
    FleetSnapshot,
    escape,
    is_like,
    near_miss,
)


@dataclass(frozen=True)
class Exported:
    """A group's plan, and why the group as it was would ignore it, if it would.

    It `follows` the plan if its assignor is known to.
    """

    plan: GroupPlan
    ignored: str | None
    follows: bool = False

    @property
    def cluster(self) -> str:
        return self.plan.cluster


@dataclass(frozen=True)
class NoPlan:
    """A group that has no plan to export, or ignores it: of which `kind` it is, and why.

    The reason is a sentence without the group's name.
    """

    cluster: str
    group: str
    kind: str
    reason: str


SHARED, NAMELESS = "members share a client.id", "members have no client.id to tell them by"
FOREIGN, CONNECTED = "the plan has members of another snapshot", "Connect workers take no plan"


def group_plan(
    fleet: FleetSnapshot,
    groups: DataFrame,
    assignments: DataFrame,
    group: str,
    cluster: str | None = None,
) -> GroupPlan:
    """The plan of one group; `groups` and `assignments` are those of the snapshot's fleet plan.

    Members are named by group.instance.id, or else by client.id, which outlive a restart. Raises
    InputError when there is no such group or no plan of it, when several clusters have a group of
    that name and none is chosen, when it is one of Connect's workers, and when a member can't be
    told from others.
    """
    return exported_plan(fleet, groups, assignments, group, cluster).plan


def exported_plan(
    fleet: FleetSnapshot,
    groups: DataFrame,
    assignments: DataFrame,
    group: str,
    cluster: str | None = None,
) -> Exported:
    """The plan of `group_plan`, and why the group would ignore it, if it would."""
    plans = list(_plans(fleet, groups, assignments, F.col("group") == group, cluster))
    if not plans:
        where = f" of cluster {cluster!r}" if cluster is not None else ""
        near = near_miss(fleet, "group", group, cluster)
        raise InputError(f"the plan has no group {group!r}{where}{near}")
    if len(plans) > 1:
        raise InputError(
            f"several clusters have a group {group!r}: choose its cluster of "
            f"{', '.join(plan.cluster for plan in plans)}"
        )
    (plan,) = plans
    if isinstance(plan, NoPlan):
        raise InputError(f"group {group!r} {plan.reason}")
    return plan


def group_plans(
    fleet: FleetSnapshot,
    groups: DataFrame,
    assignments: DataFrame,
    pattern: str = "*",
    cluster: str | None = None,
) -> Iterator[Exported | NoPlan]:
    """The plans of all groups whose names fit a pattern, one after the other, in order.

    A group without a plan, or with members that can't be told apart, is there as a NoPlan.
    """
    return _plans(fleet, groups, assignments, is_like("group", pattern), cluster)


def _plans(
    fleet: FleetSnapshot,
    groups: DataFrame,
    assignments: DataFrame,
    column: Column,
    cluster: str | None,
) -> Iterator[Exported | NoPlan]:
    if cluster is not None:
        column &= F.col("cluster") == cluster
    rows = (
        groups.where(column)
        .select(*GROUP_KEYS, "status", "reason", "max_load")
        .join(_types(fleet, column), [*GROUP_KEYS], "left")
        .join(_members(fleet, column), [*GROUP_KEYS], "left")
        .join(_assignments_of(fleet, assignments.where(column)), [*GROUP_KEYS], "left")
        .orderBy(*GROUP_KEYS)
    )
    return (_plan(row, fleet.id) for row in rows.toLocalIterator())


def _plan(row: Row, snapshot: str) -> Exported | NoPlan:
    def without(kind: str, reason: str) -> NoPlan:
        return NoPlan(row.cluster, row.group, kind, reason)

    types = {(kind or CLASSIC).lower() for kind in row.types or ()}
    if CONNECT in types:
        leader = "is a cluster of Connect workers, which take no plan: their leader assigns tasks"
        return without(CONNECTED, f"{leader} by itself")
    if row.max_load is None:
        return without(row.status, f"has no plan, it is {row.status}: {row.reason}")
    present = sorted(row.present or (), key=lambda member: member.member_id)
    names = ([getattr(member, name) for member in present] for name in ("instance_id", "client_id"))
    if reason := why_not_follow(None, *names):
        kind = SHARED if "share" in reason else NAMELESS
        why = f"has members that a plan can't tell apart: {reason}; give each a group.instance.id"
        return without(kind, f"{why} or a client.id of its own")
    keys = {member.member_id: member.instance_id or member.client_id for member in present}
    members: dict[str, Topics] = {key: {} for key in keys.values()}
    ids: dict[str, str] = {}
    for assigned in sorted(row.assigned or (), key=lambda row: (row.member_id, row.topic)):
        if assigned.member_id not in keys:
            named = f"has a plan with a member, {assigned.member_id!r}, that isn't in the snapshot"
            return without(FOREIGN, f"{named}: is it the plan of that?")
        members[keys[assigned.member_id]][assigned.topic] = assigned.partitions
        if assigned.topic_id is not None:
            ids[assigned.topic] = _as_kafka_prints(assigned.topic_id)
    protocol = CONSUMER if CONSUMER in types else CLASSIC
    # who has a group.instance.id has another member id after each restart
    dynamic = {
        keys[element.member_id]: element.member_id for element in present if not element.instance_id
    }
    plan = GroupPlan(
        row.cluster,
        row.group,
        snapshot,
        members,
        topic_ids=ids,
        protocol=protocol,
        member_ids=dynamic if protocol == CONSUMER else {},
    )
    strategy = row.strategies[0] if row.strategies else None
    ignored = why_not(protocol, strategy, len(members)) if strategy else None
    return Exported(plan, ignored, strategy is not None and ignored is None)


def _types(fleet: FleetSnapshot, column: Column) -> DataFrame:
    """Types and strategies of each group, as far as the snapshot tells them."""
    table = fleet.tables.get("groups")
    if table is None:
        nobody = fleet.tables["members"].select(*GROUP_KEYS).limit(0)
        return nobody.selectExpr("*", "array(null) as types", "array(null) as strategies")
    return (
        table.where(column)
        .groupBy(*GROUP_KEYS)
        .agg(F.collect_set("type").alias("types"), F.collect_set("strategy").alias("strategies"))
    )


def _members(fleet: FleetSnapshot, column: Column) -> DataFrame:
    members = fleet.tables["members"].where(column)
    of_member = F.struct("member_id", "instance_id", "client_id")
    return (
        members.select(*GROUP_KEYS, "member_id", "instance_id", F.expr(_CLIENT))
        .groupBy(*GROUP_KEYS)
        .agg(F.collect_list(of_member).alias("present"))
    )


def _assignments_of(fleet: FleetSnapshot, assignments: DataFrame) -> DataFrame:
    """Partitions that each member gets of each topic, with the topic's id where it is known."""
    parts = (
        assignments.where(F.col("member_id").isNotNull())
        .groupBy(*GROUP_KEYS, "member_id", "topic")
        .agg(F.sort_array(F.collect_list("partition")).alias("partitions"))
    )
    partitions = fleet.tables["partitions"].where(F.col("topic_id").isNotNull())
    ids = partitions.groupBy("cluster", "topic").agg(F.min("topic_id").alias("topic_id"))
    gets = F.struct("member_id", "topic", "partitions", "topic_id")
    return (
        parts.join(ids, ["cluster", "topic"], "left")
        .groupBy(*GROUP_KEYS)
        .agg(F.collect_list(gets).alias("assigned"))
    )


_CLIENT = f"{escape('client_id')} as client_id"


def _as_kafka_prints(topic_id: str) -> str:
    """A topic id, which a store may also have in hex digits, in Kafka's 22 characters."""
    digits = topic_id.replace("-", "")
    if len(topic_id) == 22 or len(digits) != 32:
        return topic_id
    return base64.urlsafe_b64encode(bytes.fromhex(digits)).decode().rstrip("=")
