"""Groups of Kafka Streams (KIP-1071): members, tasks, what they read. They are never planned."""

from collections.abc import Mapping
from typing import Any

from spark.fleet import STREAMS
from spark.sources.live.cluster import Cluster
from spark.sources.live.coordinators import Question
from spark.sources.live.group import Claim, DescribedGroup, DescribedMember, gone, while_rebalancing
from spark.sources.live.group_requests import StreamsGroupDescribeRequest

OF_GROUP = Question(lambda groups: StreamsGroupDescribeRequest(group_ids=groups))


def read_streams_group(
    described: Any, cluster: Cluster, sizes: Mapping[str, int]
) -> DescribedGroup:
    """A group of StreamsGroupDescribeResponse; `sizes` are the partitions of each topic.

    Each member subscribes to the source topics of all subtopologies, those of repartitions among
    them. What it owns are its active tasks: a task has the partitions of its number of each topic
    that its subtopology reads, where that exists. Standby tasks read changelogs alone.
    """
    if described.group_state == "Dead":
        return gone(described.group_id)
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
            DescribedMember(
                member_id=member.member_id,
                instance_id=member.instance_id,
                client_id=member.client_id,
                host=member.client_host,
                rack=member.rack_id or cluster.rack_in(member.client_id),
                generation=member.member_epoch,
                topics=topics,
                owned=tuple(_owned(member, sources, sizes)),
            )
            for member in described.members
        ),
        reason=while_rebalancing(described.group_state),
        type=STREAMS,
    )


def _owned(member: Any, sources: Mapping[str, set[str]], sizes: Mapping[str, int]) -> list[Claim]:
    return sorted(
        (topic, partition)
        for task in member.assignment.active_tasks
        for topic in sources.get(task.subtopology_id, ())
        for partition in task.partitions
        if partition < sizes.get(topic, partition + 1)
    )
