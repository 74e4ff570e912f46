"""Groups of each protocol, from what their coordinators answer.

Planned are those of consumers, classic and new (KIP-848), and of Connect's workers; never share
groups (KIP-932) nor those of Kafka Streams (KIP-1071).

"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from spark.fleet import (
    CLASSIC,
    CONNECT,
    CONSUMER,
    REBALANCING_STATES,
    SHARE,
    STREAMS,
    connector_topic,
    group_type,
    type_of_protocol,
)
from spark.sources.live.cluster import Cluster
from spark.sources.live.coordinators import (
    DescribeShareGroupOffsetsRequest,
    Query,
    ShareGroupDescribeRequest,
    StreamsGroupDescribeRequest,
)
from spark.sources.live.group import (
    Claim,
    DescribedGroup,
    DescribedMember,
    gone_group,
    unknown,
    while_rebalancing,
    with_inferred_subscriptions,
)
from spark.sources.live.member_metadata import (
    INSTANCE,
    Orders,
    Subscription,
    Task,
    read_assignment,
    read_subscription,
    read_worker_assignment,
    read_worker_metadata,
)


def read_consumer_group(described: Any, cluster: Cluster, topics: Sequence[str]) -> DescribedGroup:
    """A group of ConsumerGroupDescribeResponse; `topics` are those that patterns may match.

    What a member owns is its current assignment; the target is where the group is going. The
    generation is the group's epoch, and a member's the epoch that it has reached.
    """
    if described.group_state == "Dead":
        return gone_group(described.group_id)
    return with_inferred_subscriptions(
        DescribedGroup(
            described.group_id,
            described.group_state,
            described.assignor_name or None,
            described.group_epoch,
            tuple(
                _member(
                    member,
                    cluster,
                    topics=_subscription(member, topics),
                    owned=tuple(
                        (owned.topic_name, partition)
                        for owned in member.assignment.topic_partitions
                        for partition in owned.partitions
                    ),
                )
                for member in described.members
            ),
            reason=while_rebalancing(described.group_state),
            type=CONSUMER,
        )
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


OF_SHARE = Query(lambda groups: ShareGroupDescribeRequest(group_ids=groups))


def _offsets_of(groups: list[str]) -> Any:
    of_group = DescribeShareGroupOffsetsRequest.OffsetsGroup
    return DescribeShareGroupOffsetsRequest(
        groups=[of_group(group_id=group, topics=None) for group in groups]
    )


OF_STARTS = Query(_offsets_of)


def read_share_group(described: Any, offsets: Any, cluster: Cluster) -> DescribedGroup:
    """A group of ShareGroupDescribeResponse; `offsets` is one of the response about these, or None.

    Several members read one partition, so that it belongs to none of them: nothing is `owned`.
    What is `committed` is the start offset, before which all records are done with.
    """
    starts: dict[Claim, int] = {}
    lags: dict[Claim, int] = {}
    for topic in offsets.topics if offsets is not None else ():
        for partition in topic.partitions:
            claim = (topic.topic_name, partition.partition_index)
            if not partition.error_code and partition.start_offset >= 0:
                starts[claim] = partition.start_offset
                if (partition.lag or 0) >= 0 and partition.lag is not None:
                    lags[claim] = partition.lag
    return DescribedGroup(
        described.group_id,
        described.group_state,
        described.assignor_name or None,
        described.group_epoch,
        tuple(
            _member(m, cluster, topics=tuple(sorted(m.subscribed_topic_names)))
            for m in described.members
        ),
        type=SHARE,
        committed=starts,
        lags=lags,
    )


OF_STREAMS = Query(lambda groups: StreamsGroupDescribeRequest(group_ids=groups))


def read_streams_group(
    described: Any, cluster: Cluster, sizes: Mapping[str, int]
) -> DescribedGroup:
    """A group of StreamsGroupDescribeResponse; `sizes` are the partitions of each topic.

    Each member subscribes to the source topics of all subtopologies, those of repartitions among
    them. What it owns are its active tasks: a task has the partitions of its number of each topic
    that its subtopology reads, where that exists. Standby tasks read changelogs alone.
    """
    if described.group_state == "Dead":
        return gone_group(described.group_id)
    topology = described.topology
    sources = {
        part.subtopology_id: {
            *part.source_topics,
            *(t.name for t in part.repartition_source_topics),
        }
        for part in (topology.subtopologies or () if topology else ())
    }
    topics = tuple(sorted({topic for names in sources.values() for topic in names}))
    return DescribedGroup(
        described.group_id,
        described.group_state,
        generation=described.group_epoch,
        members=tuple(
            _member(member, cluster, topics=topics, owned=tuple(_claims(member, sources, sizes)))
            for member in described.members
        ),
        reason=while_rebalancing(described.group_state),
        type=STREAMS,
    )


def _claims(member: Any, sources: Mapping[str, set[str]], sizes: Mapping[str, int]) -> list[Claim]:
    return sorted(
        (topic, partition)
        for task in member.assignment.active_tasks
        for topic in sources.get(task.subtopology_id, ())
        for partition in task.partitions
        if partition < sizes.get(topic, partition + 1)
    )


def read_connect_group(described: Any, cluster: Cluster) -> DescribedGroup:
    """A group of DescribeGroupsResponse whose members are workers.

    Connectors are its topics, which every worker may run, and their tasks partitions. What a worker
    runs is what it ran when it joined, without what its leader stopped, and what it was given since
    (WorkerCoordinator.onJoinComplete). Connectors themselves, which do next to no work, are left
    out; and so are those without tasks. While workers rebalance, nothing tells what they run.
    """
    name, state = described.group_id, described.group_state
    if state in REBALANCING_STATES:
        members = tuple(_member(member, cluster) for member in described.members)
        reason = (
            f"the workers are rebalancing (state {state}): Connect doesn't report their tasks "
            "meanwhile"
        )
        return DescribedGroup(name, state, members=members, reason=reason, type=CONNECT)
    read = [_read(member) for member in described.members]
    running = [ran for ran in read if ran is not None]
    if len(running) < len(read):
        return unknown(name, "what a worker runs can't be decoded", CONNECT)
    claimed = {
        (connector_topic(name, connector), number)
        for before, orders in running
        for connector, number in (*before, *orders.run, *orders.stop)
        if number != INSTANCE
    }
    tasks: dict[str, int] = {}
    for topic, number in sorted(claimed):
        tasks[topic] = number + 1
    return DescribedGroup(
        name,
        state,
        described.protocol_data or None,
        members=tuple(
            _member(
                member,
                cluster,
                topics=tuple(tasks),
                owned=tuple(
                    (connector_topic(name, connector), number)
                    for connector, number in _runs(*ran)
                    if number != INSTANCE
                ),
            )
            for member, ran in zip(described.members, running, strict=True)
        ),
        type=CONNECT,
        tasks=tasks,
    )


def _read(described: Any) -> tuple[tuple[Task, ...], Orders] | None:
    """Tasks that a worker ran when it joined, and its orders since. No bytes: there are none."""
    before = read_worker_metadata(described.member_metadata)
    member_assignment = described.member_assignment
    orders = read_worker_assignment(member_assignment) if member_assignment else Orders()
    return None if before is None or orders is None else (before, orders)


def _runs(before: tuple[Task, ...], orders: Orders) -> list[Task]:
    stopped = set(orders.stop)
    return sorted({task for task in before if task not in stopped}.union(orders.run))


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
        return gone_group(name)
    kind = type_of_protocol(described.protocol_type)
    if kind == CONNECT:
        return read_connect_group(described, cluster)
    if kind != CLASSIC:
        return _of_no_consumer(described, kind, cluster)
    members = [_classic(member, cluster) for member in described.members]
    readable = [member for member in members if member is not None]
    if len(readable) < len(members):
        return unknown(name, "the assignment of a member can't be decoded")
    generations = [member.generation for member in readable if member.generation is not None]
    generation = max(generations, default=None)
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


def _of_no_consumer(described: Any, kind: str, cluster: Cluster) -> DescribedGroup:
    """A group whose members say what no consumer would, for each other alone."""
    return DescribedGroup(
        described.group_id,
        described.group_state,
        described.protocol_data or None,
        members=tuple(_member(member, cluster) for member in described.members),
        reason=f"its members speak {described.protocol_type!r}, not 'consumer'",
        type=kind,
    )


def _classic(described: Any, cluster: Cluster) -> DescribedMember | None:
    """A member; None when what it owns can't be decoded. No bytes at all: it owns nothing."""
    owned = read_assignment(described.member_assignment) if described.member_assignment else ()
    if owned is None:
        return None
    subscription = read_subscription(described.member_metadata)
    topics = None if subscription is None else subscription.topics
    subscription = subscription or Subscription(())
    return _member(
        described,
        cluster,
        rack=subscription.rack,
        generation=subscription.generation,
        topics=topics,
        owned=owned,
    )


def _member(described: Any, cluster: Cluster, **values: Any) -> DescribedMember:
    """A member: what all protocols say of one, and `values`; groups name the same differently."""
    instance = getattr(described, "instance_id", None)
    rack = values.pop("rack", None) or getattr(described, "rack_id", None)
    common: dict[str, Any] = {"topics": (), "generation": getattr(described, "member_epoch", None)}
    return DescribedMember(
        member_id=described.member_id,
        instance_id=instance or getattr(described, "group_instance_id", None),
        client_id=described.client_id,
        host=described.client_host,
        rack=rack or cluster.rack_in(described.client_id),
        **common | values,
    )
