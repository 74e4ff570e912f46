"""Groups of Kafka Streams (KIP-1071), from messages as they go over the network."""

from typing import Any

from kafka.protocol.admin import ListGroupsRequest

from spark.fleet import STREAMS
from spark.sources.live.collect import tables_of
from spark.sources.live.group_requests import (
    StreamsGroupDescribeRequest,
    StreamsGroupDescribeResponse,
)
from spark.sources.live.protocols import read_streams_group
from spark.sources.live.read_cluster import read_cluster
from tests.spark.sources.live.recorded_brokers import CLUSTER, sent, three

OF_STREAMS = StreamsGroupDescribeResponse.DescribedGroup
OF_TOPOLOGY = OF_STREAMS.Topology
SUBTOPOLOGY = OF_TOPOLOGY.Subtopology


def described(state: str = "Stable") -> Any:
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
    group = read_streams_group(described().groups[0], CLUSTER, sizes)
    assert (group.name, group.type, group.status) == ("app", STREAMS, "unsupported")
    a, b = group.members
    assert a.owned == (("orders", 0), ("orders", 2), ("rates", 0))
    by_key = "app-by-key-repartition"
    assert b.owned == ((by_key, 0), (by_key, 1), ("orders", 1), ("rates", 1))
    assert a.topics == b.topics == (by_key, "orders", "rates")
    assert (a.rack, a.client_id, a.generation, group.generation) == ("r", "client", 7, 7)


def test_before_its_topology_is_known_a_group_reads_nothing() -> None:
    answer = described("NotReady").groups[0]
    answer.topology = None
    group = read_streams_group(answer, CLUSTER, {})
    assert [(m.topics, m.owned) for m in group.members] == [((), ())] * 2
    assert read_streams_group(described("Dead").groups[0], CLUSTER, {}).members == ()


def test_a_cluster_is_asked_about_them_and_their_offsets() -> None:
    """The group b-new, as if it were one; its recorded offsets are those of its topics."""

    def list_streams(answer: Any) -> None:
        answer.groups[0].group_type = "Streams"

    def describe(_: Any) -> Any:
        answer = described()
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
