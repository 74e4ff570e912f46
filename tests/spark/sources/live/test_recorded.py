"""A cluster of recorded answers: thousands of groups, and errors when nobody wants them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

kafka = pytest.importorskip("kafka", reason="the extra `live` is not installed")

from kafka.protocol.admin import (  # noqa: E402
    DescribeGroupsRequest,
    ListGroupsRequest,
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
)

from spark.sources.live.cluster import Cluster, ClusterSelection  # noqa: E402
from spark.sources.live.connection import NoAnswer  # noqa: E402
from spark.sources.live.consumer_group_describe import ConsumerGroupDescribeRequest  # noqa: E402
from spark.sources.live.list_groups import OFFSETS_TOPIC  # noqa: E402
from spark.sources.live.read_cluster import Reading, read_cluster  # noqa: E402
from spark.sources.live.tables import tables_of  # noqa: E402
from tests.spark.sources.live.recorded_brokers import CLUSTER, RecordedBrokers, three  # noqa: E402

pytestmark = pytest.mark.usefixtures("at_once")


def states(reading: Reading) -> dict[str, str]:
    return {group.name: group.state for group in reading.groups}


def test_thousands_of_groups_cost_requests_by_the_thousand() -> None:
    """Each of 3 brokers lists 1,500, and tells 1,000 at once.

    That is so of 1,000 classic ones, of 500 new ones and of all their offsets. One leader tells the
    ends of the only topic, and the controller what is being reassigned, anybody
    how topics are configured, and each broker how it is itself.
    """
    kinds = ["classic", "classic", "new"]
    brokers = RecordedBrokers(
        {n: {f"{n}-{at:04}": kinds[at % 3] for at in range(1500)} for n in (1, 2, 3)}
    )
    reports: list[tuple[int, int]] = []
    reading = read_cluster(CLUSTER, brokers, lambda done, of: reports.append((done, of)))
    assert reports == [(0, 4500), (4500, 4500)]
    assert brokers.requests == 3 * (1 + 1 + 1 + 2 + 1) + 1 + 1 + 1
    tables = tables_of(CLUSTER, reading)
    assert {name: len(table) for name, table in tables.items()} == {
        "groups": 4500,
        "members": 9000,
        "subscriptions": 9000,
        "partitions": len([p for t in reading.topics for p in t.partitions]),
        "assignments": 18_000,
        "offsets": 18_000,
        "brokers": 3,
        "configs": 1 + len(reading.topics) + 3,
    }
    assert reading.missing == []
    assert {group.status for group in reading.groups} == {"ok"}
    groups = tables["groups"].to_pylist()
    assert all(group["group"].startswith(f"{group['coordinator']}-") for group in groups)


def test_a_group_of_each_kind_is_as_it_was_recorded() -> None:
    reading = read_cluster(CLUSTER, three())
    classic, simple, new = reading.groups
    assert (classic.strategy, len(classic.members), simple.state) == ("range", 2, "Empty")
    assert simple.committed == {("orders", 1): 1}
    assert (new.strategy, new.generation, new.members[0].rack) == ("uniform", 3, "a")
    # a pattern, (^ord.*), which doesn't match __consumer_offsets
    assert {member.topics for member in new.members} == {("orders",)}


def test_a_broker_that_does_not_list_is_said_and_the_others_are_read() -> None:
    brokers = three()
    brokers.spoil = lambda node, request, answer: NoAnswer("gone") if node == 1 else answer
    reading = read_cluster(CLUSTER, brokers)
    assert states(reading) == {"b-new": "Stable"}
    assert reading.missing[0] == "gone: the groups that it coordinates are missing"


def test_a_broker_that_still_loads_its_groups_is_asked_again() -> None:
    brokers = three()
    loading = [True]

    def spoil(node: int, request: Any, answer: Any) -> Any:
        if isinstance(request, ListGroupsRequest) and node == 1 and loading.pop(0):
            loading.append(False)
            answer.error_code, answer.groups = 14, []
        return answer

    brokers.spoil = spoil
    reading = read_cluster(CLUSTER, brokers)
    assert (len(reading.groups), reading.missing) == (3, [])


def test_a_coordinator_that_stays_busy_is_given_up() -> None:
    brokers = three()

    def spoil(node: int, request: Any, answer: Any) -> Any:
        if isinstance(request, ListGroupsRequest) and node == 2:
            answer.error_code, answer.groups = 15, []
        return answer

    brokers.spoil = spoil
    reading = read_cluster(CLUSTER, brokers)
    assert states(reading) == {"a-classic": "Stable", "a-simple": "Empty"}
    assert "COORDINATOR_NOT_AVAILABLE" in reading.missing[0].upper()


def offsets_topic(brokers: RecordedBrokers) -> Any:
    (result,) = [t for t in brokers.metadata.topics if t.name == OFFSETS_TOPIC]
    return result


def test_a_broker_that_has_not_heard_of_its_new_groups_is_asked_twice() -> None:
    """It gives no error, but then the replicas of what keeps groups are out of sync."""
    brokers = three()
    offsets_topic(brokers).partitions[0].replica_nodes = [1, 4]
    heard = []

    def spoil(node: int, request: Any, answer: Any) -> Any:
        if isinstance(request, ListGroupsRequest) and node == 2:
            answer.groups = answer.groups if heard else []
            heard.append(node)
        return answer

    brokers.spoil = spoil
    assert "b-new" in states(read_cluster(CLUSTER, brokers))


def test_groups_whose_partition_has_no_leader_are_said_to_be_missing() -> None:
    brokers = three()
    offsets_topic(brokers).partitions[0].leader_id = -1
    reading = read_cluster(CLUSTER, brokers)
    assert len(reading.missing) == 1
    assert "of __consumer_offsets without a leader: their groups are missing" in reading.missing[0]


@pytest.mark.parametrize("how", ["no answer", "moved"])
def test_groups_are_asked_about_at_their_new_coordinator(how: str) -> None:
    """FindCoordinator of these brokers names the one that answers."""
    brokers = three()

    def spoil(node: int, request: Any, answer: Any) -> Any:
        if node != 2 or not isinstance(request, ConsumerGroupDescribeRequest):
            return answer
        if how == "no answer":
            return NoAnswer("broker 2 did not answer")
        for group in answer.groups:
            group.error_code = 16
        return answer

    brokers.spoil = spoil
    reading = read_cluster(CLUSTER, brokers)
    assert states(reading)["b-new"] == "Stable"
    assert reading.missing == []
    coordinators = {group.name: group.coordinator for group in reading.groups}
    assert coordinators.pop("b-new") in (1, 3)
    assert len(coordinators) == 2
    assert {group.coordinator for group in read_cluster(CLUSTER, three()).groups} == {1, 2}


def test_a_coordinator_that_is_not_there_yet_is_looked_up_again() -> None:
    """The partition of __consumer_offsets has a new leader, which still loads its groups."""
    brokers = three()
    asked: list[int] = []

    def spoil(node: int, request: Any, answer: Any) -> Any:
        if isinstance(request, ConsumerGroupDescribeRequest):
            asked.append(node)
            for group in answer.groups:
                group.error_code = 14 if len(asked) < 3 else 0
        return answer

    brokers.spoil = spoil
    assert states(read_cluster(CLUSTER, brokers))["b-new"] == "Stable"
    assert len(asked) == 3


def test_a_coordinator_that_is_down_leaves_its_groups_unknown_with_the_reason() -> None:
    brokers = three()

    def spoil(node: int, request: Any, answer: Any) -> Any:
        lists = isinstance(request, ListGroupsRequest)
        return answer if lists or node != 1 else NoAnswer("broker 1 did not answer: timeout")

    brokers.spoil = spoil
    # who is asked for the new coordinator names itself, and has no such group
    described = brokers._answer

    def not_here(node: int, request: Any) -> Any:
        answer = described(node, request)
        if isinstance(request, DescribeGroupsRequest) and node != 1:
            for group in answer.groups:
                group.error_code = 16
        return answer

    brokers._answer = not_here  # type: ignore[method-assign]
    reading = read_cluster(CLUSTER, brokers)
    result = {group.name: group for group in reading.groups}
    assert result["a-classic"].status == "invalid"
    assert result["a-classic"].state.startswith("Unknown: ")
    assert "NOT_COORDINATOR" in result["a-classic"].state.upper()
    assert result["b-new"].status == "ok"
    assert any("2 groups (a-classic, a-simple)" in reason for reason in reading.missing)


@pytest.mark.parametrize("how", ["an error", "Dead", "left out"])
def test_a_group_that_vanishes_between_two_requests_is_dead(how: str) -> None:
    """DescribeGroups says so by an error since version 6, before by the state."""
    brokers = three()

    def spoil(node: int, request: Any, answer: Any) -> Any:
        if isinstance(request, DescribeGroupsRequest):
            gone = answer.groups[0]
            if how == "left out":
                answer.groups = answer.groups[1:]
            gone.members = []
            gone.error_code, gone.group_state = (69, "") if how == "an error" else (0, "Dead")
        return answer

    brokers.spoil = spoil
    reading = read_cluster(CLUSTER, brokers)
    assert states(reading)["a-classic"] == "Dead"
    assert reading.groups[0].status == "empty"
    assert reading.missing == []


def test_a_group_that_we_may_not_describe_is_unknown() -> None:
    brokers = three()

    def spoil(node: int, request: Any, answer: Any) -> Any:
        if isinstance(request, DescribeGroupsRequest):
            answer.groups[0].error_code = 30
        return answer

    brokers.spoil = spoil
    reading = read_cluster(CLUSTER, brokers)
    assert "GROUP_AUTHORIZATION_FAILED" in states(reading)["a-classic"].upper()
    assert len(reading.missing) == 1


def test_brokers_before_3_0_are_asked_about_the_offsets_of_one_group_at_a_time() -> None:
    brokers = three()
    brokers.oldest_broker = True
    reading = read_cluster(CLUSTER, brokers)
    assert reading.groups[1].committed == {("orders", 1): 1}
    assert reading.missing == []


def test_what_is_committed_beyond_the_end_stays_to_be_seen() -> None:
    """The topic was made anew, or its log was cut off."""
    reading = read_cluster(CLUSTER, three())
    emptied = replace(reading, end_offsets=dict.fromkeys(reading.end_offsets, 0))
    offsets = tables_of(CLUSTER, emptied)["offsets"].to_pylist()
    result = {(row["committed_offset"], row["end_offset"], row["lag"]) for row in offsets}
    assert (1, 0, -1) in result


def test_topics_that_are_not_described_are_noted() -> None:
    brokers = three()
    for topic in brokers.metadata.topics:
        topic.error_code = 29
    reading = read_cluster(CLUSTER, brokers)
    assert reading.topics == []
    assert "TOPIC_AUTHORIZATION_FAILED" in reading.notes[0].upper()


def test_groups_are_chosen_by_their_names() -> None:
    wanted = Cluster("recorded", ("broker:9092",), groups=ClusterSelection(("a-*",), ("*-simple",)))
    assert [*states(read_cluster(wanted, three()))] == ["a-classic"]


def test_replicas_that_are_being_added_are_no_replicas_yet() -> None:
    brokers = three()
    topic = brokers.metadata.topics[0]
    partition = topic.partitions[0]
    partition.replica_nodes, partition.isr_nodes = [2, 3, 1], [1, 2]
    of_topic = ListPartitionReassignmentsResponse.OngoingTopicReassignment
    item = of_topic.OngoingPartitionReassignment(
        version=0,
        partition_index=partition.partition_index,
        replicas=[2, 3, 1],
        adding_replicas=[2, 3],
        removing_replicas=[1],
    )
    brokers.moving = [of_topic(version=0, name=topic.name, partitions=[item])]
    rows = tables_of(CLUSTER, read_cluster(CLUSTER, brokers))["partitions"].to_pylist()
    moving = [row for row in rows if row["adding_replicas"] or row["removing_replicas"]]
    assert [(row["topic"], row["partition"]) for row in moving] == [
        (topic.name, partition.partition_index)
    ]
    assert {row["min_insync_replicas"] for row in rows} == {2}
    assert moving[0]["replicas"] == [1] == moving[0]["isr"]
    assert (moving[0]["adding_replicas"], moving[0]["removing_replicas"]) == ([2, 3], [1])


@pytest.mark.parametrize(("codes", "notes"), [([41, 0], 0), ([31], 1)])
def test_who_does_not_tell_what_is_being_reassigned(codes: list[int], notes: int) -> None:
    """Another is asked where only the controller knows (41); what isn't allowed (31) is told."""
    brokers = three()
    left = codes.copy()

    def spoil(node: int, request: Any, answer: Any) -> Any:
        if isinstance(request, ListPartitionReassignmentsRequest):
            answer.error_code = left.pop(0)
        return answer

    brokers.spoil = spoil
    reading = read_cluster(CLUSTER, brokers)
    assert len([note for note in reading.notes if "being reassigned" in note]) == notes
    assert left == []
