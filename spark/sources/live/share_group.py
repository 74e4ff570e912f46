"""Share groups (KIP-932): members, what they read, and from where on. They are never planned."""

from typing import Any

from spark.fleet import SHARE
from spark.sources.live.cluster import Cluster
from spark.sources.live.coordinators import Question
from spark.sources.live.group import Claim, DescribedGroup, DescribedMember
from spark.sources.live.group_requests import (
    DescribeShareGroupOffsetsRequest,
    ShareGroupDescribeRequest,
)

OF_GROUP = Question(lambda groups: ShareGroupDescribeRequest(group_ids=groups))


def _offsets_of(groups: list[str]) -> Any:
    of_group = DescribeShareGroupOffsetsRequest.OffsetsGroup
    return DescribeShareGroupOffsetsRequest(
        groups=[of_group(group_id=group, topics=None) for group in groups]
    )


OF_OFFSETS = Question(_offsets_of)


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
        tuple(_member(member, cluster) for member in described.members),
        type=SHARE,
        committed=starts,
        lags=lags,
    )


def _member(described: Any, cluster: Cluster) -> DescribedMember:
    return DescribedMember(
        member_id=described.member_id,
        client_id=described.client_id,
        host=described.client_host,
        rack=described.rack_id or cluster.rack_in(described.client_id),
        generation=described.member_epoch,
        topics=tuple(sorted(described.subscribed_topic_names)),
    )
