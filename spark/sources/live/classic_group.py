"""Groups of the classic protocol, from what DescribeGroups answers."""

from dataclasses import replace
from typing import Any

from spark.fleet import CLASSIC, CONNECT, group_type, type_of_protocol
from spark.sources.live.cluster import Cluster
from spark.sources.live.connect_group import read_connect_group
from spark.sources.live.group import (
    DescribedGroup,
    DescribedMember,
    gone,
    unknown,
    while_rebalancing,
    with_inferred_subscriptions,
)
from spark.sources.live.member_metadata import Subscription, read_assignment, read_subscription


def read_classic_group(described: Any, cluster: Cluster) -> DescribedGroup:
    """A group of DescribeGroupsResponse.

    Ownership is `member_assignment`, what the leader gave at the last rebalance; the partitions in
    a member's metadata are those that it had before. The group's generation isn't told: the highest
    that a member states is of the time before the last join, and stands for all its members, who
    share the current one. While a group rebalances, its members come without metadata and with the
    assignment of before.
    """
    name = described.group_id
    if described.group_state == "Dead":
        return gone(name)
    kind = type_of_protocol(described.protocol_type)
    if kind == CONNECT:
        return read_connect_group(described, cluster)
    if kind != CLASSIC:
        return _unsupported(described, kind)
    members = [_member(member, cluster) for member in described.members]
    readable = [member for member in members if member is not None]
    if len(readable) < len(members):
        return unknown(name, "the assignment of a member can't be decoded")
    settings = [member.generation for member in readable if member.generation is not None]
    generation = max(settings, default=None)
    return with_inferred_subscriptions(
        DescribedGroup(
            name,
            described.group_state,
            described.protocol_data or None,
            generation,
            tuple(replace(member, generation=generation) for member in readable),
            reason=while_rebalancing(described.group_state),
            type=group_type(kind, described.protocol_data, [m.client_id for m in readable]),
        )
    )


def _unsupported(described: Any, kind: str) -> DescribedGroup:
    """A group whose members say what no consumer would, for each other alone."""
    return DescribedGroup(
        described.group_id,
        described.group_state,
        described.protocol_data or None,
        members=tuple(
            DescribedMember(
                member.member_id,
                member.group_instance_id,
                member.client_id,
                member.client_host,
                topics=(),
            )
            for member in described.members
        ),
        reason=f"its members speak {described.protocol_type!r}, not 'consumer'",
        type=kind,
    )


def _member(described: Any, cluster: Cluster) -> DescribedMember | None:
    """A member; None when what it owns can't be decoded. No bytes at all: it owns nothing."""
    owned = read_assignment(described.member_assignment) if described.member_assignment else ()
    if owned is None:
        return None
    subscription = read_subscription(described.member_metadata)
    topics = None if subscription is None else subscription.topics
    subscription = subscription or Subscription(())
    return DescribedMember(
        member_id=described.member_id,
        instance_id=described.group_instance_id,
        client_id=described.client_id,
        host=described.client_host,
        rack=subscription.rack or cluster.rack_in(described.client_id),
        generation=subscription.generation,
        topics=topics,
        owned=owned,
    )
