"""Kinds of groups, and what brokers hide, in a cluster of recorded answers.

Share groups (KIP-932) and those of Streams (KIP-1071) are messages as they go over the network.
"""

import copy
from typing import Any

import pytest
from kafka.protocol.admin import DescribeClusterRequest, DescribeGroupsRequest, ListGroupsRequest
from kafka.protocol.metadata import MetadataRequest

from spark.fleet import SHARE, STREAMS
from spark.sources.live.collect import tables_of
from spark.sources.live.coordinators import (
    ConsumerGroupDescribeRequest,
    DescribeShareGroupOffsetsRequest,
    DescribeShareGroupOffsetsResponse,
    ShareGroupDescribeResponse,
    StreamsGroupDescribeRequest,
    StreamsGroupDescribeResponse,
)
from spark.sources.live.group import DescribedGroup
from spark.sources.live.protocols import OF_STARTS, read_share_group, read_streams_group
from spark.sources.live.read_cluster import read_cluster
from tests.spark.sources.live.member_bytes import assignment, subscription
from tests.spark.sources.live.recorded_brokers import CLUSTER, RecordedBrokers, sent, three

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


def described_sharers() -> Any:
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
    group = read_share_group(described_sharers(), offsets(1), CLUSTER)
    assert (group.name, group.type, group.state, group.status) == (
        *("sharers", SHARE, "Stable", "unsupported"),
    )
    (member,) = group.members
    assert (member.topics, member.rack, member.owned) == (("orders", "payments"), "a", ())
    assert (group.committed, group.lags) == ({("orders", 0): 150}, {("orders", 0): 12})


def test_before_kafka_4_2_no_lag_is_known_and_without_offsets_the_members_are() -> None:
    group = read_share_group(described_sharers(), offsets(0), CLUSTER)
    assert (group.committed, group.lags) == ({("orders", 0): 150}, {})
    assert read_share_group(described_sharers(), None, CLUSTER).committed == {}


def test_all_topics_of_a_group_are_asked_for() -> None:
    request = OF_STARTS.request(["sharers"])
    assert isinstance(request, DescribeShareGroupOffsetsRequest)
    assert (request.groups[0].group_id, request.groups[0].topics) == ("sharers", None)


OF_STREAMS = StreamsGroupDescribeResponse.DescribedGroup
OF_TOPOLOGY = OF_STREAMS.Topology
SUBTOPOLOGY = OF_TOPOLOGY.Subtopology


def described_tasks(state: str = "Stable") -> Any:
    """Subtopology 0 reads orders and rates together, 1 what 0 has written by another key."""
    by_key = SUBTOPOLOGY.TopicInfo(
        name="app-by-key-repartition", partitions=2, replication_factor=1, topic_configs=[]
    )
    first = SUBTOPOLOGY(
        subtopology_id="0",
        source_topics=["rates", "orders"],
        repartition_sink_topics=["app-by-key-repartition"],
        state_changelog_topics=[],
        repartition_source_topics=[],
    )
    second = SUBTOPOLOGY(
        subtopology_id="1",
        source_topics=[],
        repartition_sink_topics=[],
        state_changelog_topics=[],
        repartition_source_topics=[by_key],
    )
    members = [member("a", {"0": [0, 2]}), member("b", {"0": [1], "1": [0, 1]}, {"0": [0]})]
    group = OF_STREAMS(
        group_id="app",
        group_state=state,
        group_epoch=7,
        assignment_epoch=7,
        topology=OF_TOPOLOGY(epoch=1, subtopologies=[first, second]),
        members=members,
    )
    return sent(StreamsGroupDescribeResponse(version=0, groups=[group]))


def member(name: str, active: dict[str, list[int]], standby: dict[str, list[int]] = {}) -> Any:  # noqa: B006
    of_member = OF_STREAMS.Member
    tasks = of_member.Assignment
    active_tasks, standby_tasks = (
        [tasks.TaskIds(subtopology_id=id_, partitions=numbers) for id_, numbers in item.items()]
        for item in (active, standby)
    )
    return of_member(
        member_id=name,
        member_epoch=7,
        rack_id="r",
        client_id="client",
        client_host="/10.0.0.1",
        topology_epoch=1,
        process_id="p",
        client_tags=[],
        task_offsets=[],
        task_end_offsets=[],
        assignment=tasks(active_tasks=active_tasks, standby_tasks=standby_tasks, warmup_tasks=[]),
        target_assignment=tasks(active_tasks=[], standby_tasks=[], warmup_tasks=[]),
        is_classic=False,
    )


def test_active_tasks_are_claims_on_what_their_subtopology_reads() -> None:
    """Of rates, which has two partitions, task 2 has none; standby tasks read nothing of it."""
    sizes = {"orders": 3, "rates": 2, "app-by-key-repartition": 2}
    group = read_streams_group(described_tasks().groups[0], CLUSTER, sizes)
    assert (group.name, group.type, group.status) == ("app", STREAMS, "unsupported")
    a, b = group.members
    assert a.owned == (("orders", 0), ("orders", 2), ("rates", 0))
    by_key = "app-by-key-repartition"
    assert b.owned == ((by_key, 0), (by_key, 1), ("orders", 1), ("rates", 1))
    assert a.topics == b.topics == (by_key, "orders", "rates")
    assert (a.rack, a.client_id, a.generation, group.generation) == ("r", "client", 7, 7)


def test_before_its_topology_is_known_a_group_reads_nothing() -> None:
    answer = described_tasks("NotReady").groups[0]
    answer.topology = None
    group = read_streams_group(answer, CLUSTER, {})
    assert [(m.topics, m.owned) for m in group.members] == [((), ())] * 2
    assert read_streams_group(described_tasks("Dead").groups[0], CLUSTER, {}).members == ()


def test_a_cluster_is_asked_about_them_and_their_offsets() -> None:
    """The group b-new, as if it were one; its recorded offsets are those of its topics."""

    def list_streams(answer: Any) -> None:
        answer.groups[0].group_type = "Streams"

    def describe(_: Any) -> Any:
        answer = described_tasks()
        answer.groups[0].group_id = "b-new"
        return answer

    brokers = three().on(ListGroupsRequest, list_streams, 2)
    brokers.on(StreamsGroupDescribeRequest, describe)
    reading = read_cluster(CLUSTER, brokers)
    assert brokers.nodes_asked(StreamsGroupDescribeRequest) == [2]
    group = reading.groups[2]
    assert (group.type, len(group.members)) == (STREAMS, 2)
    tables = {name: table.to_pylist() for name, table in tables_of(CLUSTER, reading).items()}
    subscribed = {row["topic"] for row in tables["subscriptions"] if row["group"] == "b-new"}
    assert "orders" in subscribed
