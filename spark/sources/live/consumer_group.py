"""Groups of the new consumer protocol (KIP-848), from what ConsumerGroupDescribe answers."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from spark.fleet import CONSUMER
from spark.sources.live.cluster import Cluster
from spark.sources.live.group import (
    DescribedGroup,
    DescribedMember,
    gone,
    while_rebalancing,
    with_inferred_subscriptions,
)


def read_consumer_group(described: Any, cluster: Cluster, topics: Sequence[str]) -> DescribedGroup:
    """A group of ConsumerGroupDescribeResponse; `topics` are those that patterns may match.

    What a member owns is its current assignment; the target is where the group is going. The
    generation is the group's epoch, and a member's the epoch that it has reached.
    """
    if described.group_state == "Dead":
        return gone(described.group_id)
    return with_inferred_subscriptions(
        DescribedGroup(
            described.group_id,
            described.group_state,
            described.assignor_name or None,
            described.group_epoch,
            tuple(_member(member, cluster, topics) for member in described.members),
            reason=while_rebalancing(described.group_state),
            type=CONSUMER,
        )
    )


def _member(described: Any, cluster: Cluster, topics: Sequence[str]) -> DescribedMember:
    return DescribedMember(
        member_id=described.member_id,
        instance_id=described.instance_id,
        client_id=described.client_id,
        host=described.client_host,
        rack=described.rack_id or cluster.rack_in(described.client_id),
        generation=described.member_epoch,
        topics=_subscription(described, topics),
        owned=tuple(
            (owned.topic_name, partition)
            for owned in described.assignment.topic_partitions
            for partition in owned.partitions
        ),
    )


def _subscription(described: Any, topics: Sequence[str]) -> tuple[str, ...] | None:
    """The topics named and those that the pattern matches; None when the pattern can't be used.

    The coordinator matches with RE2/J, Arrow with RE2: the same language, and neither can be made
    to search for ever.
    """
    named = set(described.subscribed_topic_names)
    if described.subscribed_topic_regex:
        whole = f"^(?:{described.subscribed_topic_regex})$"
        try:
            matching = pc.match_substring_regex(pa.array(topics, pa.string()), whole)
        except pa.ArrowInvalid:
            return None
        named |= {topic for topic, fits in zip(topics, matching.to_pylist(), strict=True) if fits}
    return tuple(sorted(named))
