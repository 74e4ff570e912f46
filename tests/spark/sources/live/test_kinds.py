"""Kinds of groups in a cluster of recorded answers, as the brokers tell them."""

from __future__ import annotations

from typing import Any

import pytest

kafka = pytest.importorskip("kafka", reason="the extra `live` is not installed")

from kafka.protocol.admin import DescribeGroupsRequest, ListGroupsRequest  # noqa: E402

from spark.sources.live.consumer_group_describe import ConsumerGroupDescribeRequest  # noqa: E402
from spark.sources.live.read_cluster import Reading, read_cluster  # noqa: E402
from spark.sources.live.tables import tables_of  # noqa: E402
from tests.spark.sources.live.recorded_brokers import CLUSTER, three  # noqa: E402

pytestmark = pytest.mark.usefixtures("at_once")


@pytest.mark.parametrize(
    ("listed", "kind", "reason"),
    [
        ("Streams", "streams", "one owner each"),
        ("Novel", "other", "aren't consumers"),
    ],
)
def test_groups_of_other_protocols_are_unsupported_and_not_asked_about(
    listed: str, kind: str, reason: str
) -> None:
    """Share groups are asked about with messages of their own: see test_share_group.py."""
    brokers = three()

    def spoil(node: int, request: Any, answer: Any) -> Any:
        assert not isinstance(request, ConsumerGroupDescribeRequest)
        if isinstance(request, ListGroupsRequest) and node == 2:
            answer.groups[0].group_type = listed
        return answer

    brokers.spoil = spoil
    reading = read_cluster(CLUSTER, brokers)
    (group,) = [group for group in reading.groups if group.name == "b-new"]
    assert (group.state, group.type, group.status) == ("Stable", kind, "unsupported")
    assert reason in (group.why_unsupported or "")
    assert reading.missing == []


def test_groups_have_their_types() -> None:
    table = tables_of(CLUSTER, read_cluster(CLUSTER, three()))["groups"]
    result = dict(zip(*(table.column(name).to_pylist() for name in ("group", "type")), strict=True))
    assert result == {"a-classic": "classic", "a-simple": "classic", "b-new": "consumer"}


def of_protocol(protocol: str, strategy: str) -> Reading:
    """The recorded group a-classic, as if its members spoke another protocol."""
    brokers = three()

    def spoil(node: int, request: Any, answer: Any) -> Any:
        if isinstance(request, ListGroupsRequest | DescribeGroupsRequest) and node == 1:
            groups = next(group for group in answer.groups if group.group_id == "a-classic")
            groups.protocol_type = protocol
            if isinstance(request, DescribeGroupsRequest):
                groups.protocol_data = strategy
        return answer

    brokers.spoil = spoil
    return read_cluster(CLUSTER, brokers)


def test_a_registrys_own_group_is_unsupported() -> None:
    """Its members are there; what they say to each other is no subscription."""
    reading = of_protocol("sr", "v0")
    group = reading.groups[0]
    assert (group.type, group.status, group.state) == ("other", "unsupported", "Stable")
    assert group.reason == "its members speak 'sr', not 'consumer'"
    assert [(member.topics, member.owned) for member in group.members] == [((), ())] * 2
    assert reading.missing == []


def test_streams_on_the_classic_protocol_is_unsupported_with_its_owners() -> None:
    group = of_protocol("consumer", "stream").groups[0]
    assert (group.type, group.status) == ("classic", "unsupported")
    assert sum(len(member.owned) for member in group.members) > 0


def test_a_group_that_could_not_be_described_is_of_the_type_that_was_listed() -> None:
    brokers = three()

    def spoil(node: int, request: Any, answer: Any) -> Any:
        if isinstance(request, ListGroupsRequest) and node == 1:
            answer.groups[0].protocol_type = "sr"
        if isinstance(request, DescribeGroupsRequest):
            answer.groups[0].error_code = 30
        return answer

    brokers.spoil = spoil
    group = read_cluster(CLUSTER, brokers).groups[0]
    assert (group.name, group.type, group.status) == ("a-classic", "other", "unsupported")
