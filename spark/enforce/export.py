"""The plan of one group, as consumers read it."""

from __future__ import annotations

import base64
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from optimizer.assignor.plan_faults import CLASSIC
from optimizer.assignor.plan_file import GroupPlan, Topics
from spark.errors import InputError
from spark.fleet import CONNECT, CONSUMER, FleetSnapshot, escaped


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
    chosen = _cluster_of(groups.where(F.col("group") == group), group, cluster)
    of_group = (F.col("cluster") == chosen) & (F.col("group") == group)
    protocol = _protocol(fleet, of_group, group)
    present = (
        fleet.tables["members"]
        .where(of_group)
        .selectExpr("member_id", "instance_id", f"{escaped('client_id')} as client_id", _IS_ODD)
        .orderBy("member_id")
        .collect()
    )
    keys = _keys(present)
    members: dict[str, Topics] = {key: {} for key in keys.values()}
    for row in (
        assignments.where(of_group & F.col("member_id").isNotNull())
        .groupBy("member_id", "topic")
        .agg(F.sort_array(F.collect_list("partition")).alias("partitions"))
        .orderBy("member_id", "topic")
        .toLocalIterator()
    ):
        if row.member_id not in keys:
            raise InputError(f"the snapshot has no member {row.member_id!r}: is the plan of it?")
        members[keys[row.member_id]][row.topic] = row.partitions
    read = {topic for topics in members.values() for topic in topics}
    # who has a group.instance.id has another member id after each restart
    dynamic = {keys[row.member_id]: row.member_id for row in present if not row.instance_id}
    return GroupPlan(
        chosen,
        group,
        fleet.id,
        members,
        topic_ids=_topic_ids(fleet.tables["partitions"].where(F.col("cluster") == chosen), read),
        protocol=protocol,
        member_ids=dynamic if protocol == CONSUMER else {},
    )


def _protocol(fleet: FleetSnapshot, of_group: Column, group: str) -> str:
    """The group's type, which is classic where the snapshot doesn't tell."""
    if "groups" not in fleet.tables:
        return CLASSIC
    types = {
        (row.type or CLASSIC).lower()
        for row in fleet.tables["groups"].where(of_group).select("type").collect()
    }
    if CONNECT in types:
        raise InputError(
            f"group {group!r} is a cluster of Connect workers, which take no plan: their leader "
            "assigns tasks by itself"
        )
    return CONSUMER if CONSUMER in types else CLASSIC


def _topic_ids(partitions: DataFrame, topics: set[str]) -> dict[str, str]:
    """The ids of topics, as Kafka prints them, as far as the snapshot has them."""
    rows = (
        partitions.where(F.col("topic_id").isNotNull())
        .groupBy("topic")
        .agg(F.min("topic_id").alias("topic_id"))
        .toLocalIterator()
    )
    return {row.topic: _as_kafka_prints(row.topic_id) for row in rows if row.topic in topics}


def _as_kafka_prints(topic_id: str) -> str:
    """A topic id, which a store may also have in hex digits, in Kafka's 22 characters."""
    digits = topic_id.replace("-", "")
    if len(topic_id) == 22 or len(digits) != 32:
        return topic_id
    return base64.urlsafe_b64encode(bytes.fromhex(digits)).decode().rstrip("=")


def _cluster_of(groups: DataFrame, group: str, cluster: str | None) -> str:
    """The cluster whose group has a plan."""
    found = {row.cluster: row for row in groups.orderBy("cluster").collect()}
    if not found or (cluster is not None and cluster not in found):
        where = f" of cluster {cluster!r}" if cluster is not None else ""
        raise InputError(f"the plan has no group {group!r}{where}")
    if cluster is None and len(found) > 1:
        raise InputError(
            f"several clusters have a group {group!r}: choose its cluster of {', '.join(found)}"
        )
    row = found[cluster] if cluster is not None else next(iter(found.values()))
    if row.max_load is None:
        raise InputError(f"group {group!r} has no plan, it is {row.status}: {row.reason}")
    name: str = row.cluster
    return name


_IS_ODD = "not coalesce(is_valid_utf8(client_id), true) as is_odd"


def _keys(members: Iterable[Any]) -> dict[str, str]:
    """The key of each member by its id."""
    keys = {}
    for row in members:
        if row.is_odd and not row.instance_id:
            raise InputError(
                f"member {row.member_id!r} has a client.id that isn't valid UTF-8, "
                f"{row.client_id}: give it another, or a group.instance.id"
            )
        keys[row.member_id] = row.instance_id or row.client_id
    by_key = defaultdict(list)
    for member_id, key in keys.items():
        by_key[key].append(member_id)
    for key, alike in by_key.items():
        if key is None or len(alike) > 1:
            what = "no group.instance.id and no client.id" if key is None else f"one key, {key!r}"
            raise InputError(
                f"{len(alike)} of its members have {what}: give each a group.instance.id or a "
                "client.id of its own, by which it knows its part of the plan"
            )
    return keys
