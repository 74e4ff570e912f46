"""Kinds of groups, and what brokers hide, in a cluster of recorded answers."""

import copy
from typing import Any

import pytest
from kafka.protocol.admin import DescribeClusterRequest, DescribeGroupsRequest, ListGroupsRequest
from kafka.protocol.metadata import MetadataRequest

from spark.sources.live.collect import tables_of
from spark.sources.live.group import DescribedGroup
from spark.sources.live.group_requests import ConsumerGroupDescribeRequest
from spark.sources.live.read_cluster import read_cluster
from tests.spark.sources.live.member_bytes import assignment, subscription
from tests.spark.sources.live.recorded_brokers import CLUSTER, RecordedBrokers, three

pytestmark = pytest.mark.usefixtures("at_once")


def test_groups_of_other_protocols_are_unsupported_and_not_asked_about() -> None:
    """Those of share groups and Kafka Streams are asked about with messages of their own."""

    def change(answer: Any) -> None:
        answer.groups[0].group_type = "Novel"

    brokers = three().on(ListGroupsRequest, change, 2)
    reading = read_cluster(CLUSTER, brokers)
    group = reading.groups[2]
    assert (group.state, group.type, group.status) == ("Stable", "other", "unsupported")
    assert "aren't consumers" in (group.why_unsupported or "")
    assert reading.missing == brokers.nodes_asked(ConsumerGroupDescribeRequest) == []


def of_protocol(protocol: str, strategy: str, error: int = 0) -> DescribedGroup:
    """The recorded group a-classic, as if its members spoke another protocol."""

    def change(answer: Any) -> None:
        answer.groups[0].protocol_type = protocol

    def describe(answer: Any) -> None:
        group = answer.groups[0]
        group.protocol_type, group.protocol_data, group.error_code = protocol, strategy, error

    brokers = three().on(ListGroupsRequest, change, 1).on(DescribeGroupsRequest, describe, 1)
    reading = read_cluster(CLUSTER, brokers)
    assert len(reading.missing) == bool(error)
    return reading.groups[0]


def test_classic_groups_that_are_no_consumers_are_unsupported() -> None:
    """A registry's members say no subscriptions to each other; Streams' tasks keep their owners."""
    registry = of_protocol("sr", "v0")
    assert (registry.type, registry.status, registry.state) == ("other", "unsupported", "Stable")
    assert registry.reason == "its members speak 'sr', not 'consumer'"
    assert [(member.topics, member.owned) for member in registry.members] == [((), ())] * 2
    streams = of_protocol("consumer", "stream")
    assert (streams.type, streams.status) == ("streams", "unsupported")
    assert sum(len(member.owned) for member in streams.members) > 0
    undescribed = of_protocol("sr", "v0", error=30)  # it is of the type that was listed
    assert (undescribed.type, undescribed.status) == ("other", "unsupported")


READS, NINE = subscription(["orders"], 3), subscription(["orders"], 8, "c", version=9) + b"more"
OWNS = assignment({"orders": [0, 1]})


@pytest.mark.parametrize(
    ("said", "state", "status", "reason"),
    [
        ([(READS, b"rubbish")], "Unknown: the assignment", "invalid", "can't be decoded"),
        ([(b"\7", OWNS)] * 2, "Stable", "inferred", "of 2 of 2 members can't be decoded"),
        ([(b"\7", OWNS), (READS, b"")], "Stable", "inferred", "of 1 of 2 members can't be"),
        ([(NINE, OWNS)], "Stable", "ok", ""),
    ],
)
def test_members_whose_bytes_are_odd(
    said: list[tuple[bytes, bytes]], state: str, status: str, reason: str
) -> None:
    """Members that say nothing readable read what their group owns; a later version is read."""

    def change(answer: Any) -> None:
        members = answer.groups[0].members
        answer.groups[0].members = members[: len(said)]
        for member, (metadata, owned) in zip(members, said, strict=False):
            member.member_metadata, member.member_assignment = metadata, owned

    group = read_cluster(CLUSTER, three().on(DescribeGroupsRequest, change)).groups[0]
    assert group.state.startswith(state)
    assert group.status == status
    assert reason in (group.reason or "")
    if status != "invalid":
        assert {member.topics for member in group.members} == {("orders",)}
    if status == "ok":
        assert (group.generation, group.members[0].rack) == (8, "c")


@pytest.mark.parametrize(("code", "is_hidden"), [(29, True), (3, False)])
def test_topics_that_groups_read_and_metadata_leaves_out(code: int, is_hidden: bool) -> None:
    """Code 3 is of a topic that has just been deleted, which nobody hides."""
    brokers = three()
    orders = brokers.topic("orders")
    brokers.metadata.topics = [topic for topic in brokers.metadata.topics if topic is not orders]

    def refuse(answer: Any) -> None:
        refused = copy.copy(orders)
        refused.error_code, refused.partitions = code, []
        answer.topics = [refused]

    reading = read_cluster(CLUSTER, brokers.on(MetadataRequest, refuse))
    missing = reading.missing
    asked = [request for _, request in brokers.asked if isinstance(request, MetadataRequest)]
    assert [[topic.name for topic in request.topics] for request in asked] == [["orders"]]
    assert any("1 topic (orders) hidden" in item for item in missing) is is_hidden
    hidden = {group.name: group.hidden_topics for group in reading.groups}
    assert hidden == dict.fromkeys(hidden, ("orders",) if is_hidden else ())
    statuses = {group.status for group in reading.groups if group.members}
    assert statuses == ({"invalid"} if is_hidden else {"ok"})
    (rows,) = {tuple(r["hidden_topics"]) for r in tables_of(CLUSTER, reading)["groups"].to_pylist()}
    assert rows == (("orders",) if is_hidden else ())


@pytest.mark.parametrize("may", [set(), {8}])
def test_a_cluster_without_groups_and_one_that_hides_them(may: set[int]) -> None:
    def change(answer: Any) -> None:
        answer.authorized_operations = may

    brokers = RecordedBrokers({1: {}, 2: {}}).on(DescribeClusterRequest, change)
    missing = read_cluster(CLUSTER, brokers).missing
    assert ["may not list all" in item for item in missing] == ([] if may else [True])
