"""Share groups (KIP-932), from messages as they go over the network."""

from typing import Any

from spark.fleet import SHARE
from spark.sources.live.group_requests import (
    DescribeShareGroupOffsetsRequest,
    DescribeShareGroupOffsetsResponse,
    ShareGroupDescribeResponse,
)
from spark.sources.live.protocols import OF_STARTS, read_share_group
from tests.spark.sources.live.recorded_brokers import CLUSTER, sent


def described() -> Any:
    of_group = ShareGroupDescribeResponse.DescribedGroup
    member = of_group.Member(
        member_id="m",
        rack_id="a",
        member_epoch=3,
        client_id="client",
        client_host="/10.0.0.1",
        subscribed_topic_names=["payments", "orders"],
        assignment=of_group.Member.Assignment(topic_partitions=[]),
    )
    group = of_group(
        group_id="sharers",
        group_state="Stable",
        group_epoch=3,
        assignment_epoch=3,
        assignor_name="simple",
        members=[member],
    )
    return sent(ShareGroupDescribeResponse(version=1, groups=[group])).groups[0]


def offsets(version: int) -> Any:
    of_group = DescribeShareGroupOffsetsResponse.OffsetsGroup
    of_topic = of_group.OffsetsTopic
    columns = ("partition_index", "start_offset", "lag", "error_code")
    rows = [(0, 150, 12, 0), (1, -1, -1, 0), (2, 7, 0, 3)]
    partitions = [of_topic.OffsetsPartition(**dict(zip(columns, row, strict=True))) for row in rows]
    topic = of_topic(topic_name="orders", topic_id=None, partitions=partitions)
    group = of_group(group_id="sharers", topics=[topic])
    return sent(DescribeShareGroupOffsetsResponse(version=version, groups=[group])).groups[0]


def test_members_start_offsets_and_lags() -> None:
    group = read_share_group(described(), offsets(1), CLUSTER)
    assert (group.name, group.type, group.state, group.status) == (
        *("sharers", SHARE, "Stable", "unsupported"),
    )
    (member,) = group.members
    assert (member.topics, member.rack, member.owned) == (("orders", "payments"), "a", ())
    assert (group.committed, group.lags) == ({("orders", 0): 150}, {("orders", 0): 12})


def test_before_kafka_4_2_no_lag_is_known_and_without_offsets_the_members_are() -> None:
    group = read_share_group(described(), offsets(0), CLUSTER)
    assert (group.committed, group.lags) == ({("orders", 0): 150}, {})
    assert read_share_group(described(), None, CLUSTER).committed == {}


def test_all_topics_of_a_group_are_asked_for() -> None:
    request = OF_STARTS.request(["sharers"])
    assert isinstance(request, DescribeShareGroupOffsetsRequest)
    assert (request.groups[0].group_id, request.groups[0].topics) == ("sharers", None)
