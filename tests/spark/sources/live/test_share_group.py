"""Share groups (KIP-932), from messages as they go over the network."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("kafka", reason="the extra `live` is not installed")

from spark.fleet import SHARE
from spark.sources.live.share_group import OF_OFFSETS, read_share_group
from spark.sources.live.share_group_requests import (
    DescribeShareGroupOffsetsRequest,
    DescribeShareGroupOffsetsResponse,
    ShareGroupDescribeResponse,
)
from tests.spark.sources.live.recorded_brokers import CLUSTER


def sent(message: Any) -> Any:
    """A message after its way over the network."""
    return type(message).decode(bytes(message.encode()), version=message.API_VERSION)


def described() -> Any:
    of_group = ShareGroupDescribeResponse.DescribedGroup
    member = of_group.Member(
        version=1,
        member_id="m",
        rack_id="a",
        member_epoch=3,
        client_id="client",
        client_host="/10.0.0.1",
        subscribed_topic_names=["payments", "orders"],
        assignment=of_group.Member.Assignment(version=1, topic_partitions=[]),
    )
    group = of_group(
        version=1,
        error_code=0,
        error_message=None,
        group_id="sharers",
        group_state="Stable",
        group_epoch=3,
        assignment_epoch=3,
        assignor_name="simple",
        members=[member],
        authorized_operations=0,
    )
    return sent(ShareGroupDescribeResponse(version=1, throttle_time_ms=0, groups=[group])).groups[0]


def offsets(version: int) -> Any:
    of_group = DescribeShareGroupOffsetsResponse.OffsetsGroup
    of_topic = of_group.OffsetsTopic

    def partition(number: int, start: int, lag: int, error: int = 0) -> Any:
        return of_topic.OffsetsPartition(
            version=version,
            partition_index=number,
            start_offset=start,
            leader_epoch=0,
            lag=lag,
            error_code=error,
            error_message=None,
        )

    topic = of_topic(
        version=version,
        topic_name="orders",
        topic_id=None,
        partitions=[partition(0, 150, 12), partition(1, -1, -1), partition(2, 7, 0, error=3)],
    )
    group = of_group(
        version=version, group_id="sharers", topics=[topic], error_code=0, error_message=None
    )
    response = DescribeShareGroupOffsetsResponse(
        version=version, throttle_time_ms=0, groups=[group]
    )
    return sent(response).groups[0]


def test_members_start_offsets_and_lags() -> None:
    group = read_share_group(described(), offsets(1), CLUSTER)
    assert (group.name, group.type, group.state, group.status) == (
        *("sharers", SHARE, "Stable", "unsupported"),
    )
    (member,) = group.members
    assert (member.topics, member.rack, member.owned) == (("orders", "payments"), "a", ())
    assert (group.committed, group.lags) == ({("orders", 0): 150}, {("orders", 0): 12})


def test_before_kafka_4_2_no_lag_is_known() -> None:
    group = read_share_group(described(), offsets(0), CLUSTER)
    assert (group.committed, group.lags) == ({("orders", 0): 150}, {})


def test_without_offsets_the_members_are_known() -> None:
    assert read_share_group(described(), None, CLUSTER).committed == {}


def test_all_topics_of_a_group_are_asked_for() -> None:
    request = OF_OFFSETS.request(["sharers"])
    assert isinstance(request, DescribeShareGroupOffsetsRequest)
    assert (request.groups[0].group_id, request.groups[0].topics) == ("sharers", None)
