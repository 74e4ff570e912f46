"""A cluster of recorded answers: thousands of groups, and errors when nobody wants them."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import pytest
from kafka.protocol.admin import (
    DescribeGroupsRequest,
    ListGroupsRequest,
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
)
from kafka.protocol.consumer import OffsetFetchRequest
from kafka.protocol.metadata import FindCoordinatorRequest

from spark.sources.live.cluster import Cluster, ClusterSelection
from spark.sources.live.collect import tables_of
from spark.sources.live.connection import NoAnswer
from spark.sources.live.coordinators import OFFSETS_TOPIC, ConsumerGroupDescribeRequest
from spark.sources.live.read_cluster import Answers, read_cluster
from tests.spark.sources.live.recorded_brokers import CLUSTER, RecordedBrokers, three

pytestmark = pytest.mark.usefixtures("at_once")

Prepare = Callable[[RecordedBrokers], Any]

ALL = {"a-classic": "Stable", "a-simple": "Empty", "b-new": "Stable"}
OF_A = {"a-classic": "Stable", "a-simple": "Empty"}
"""States of the groups, and of those that broker 1 coordinates."""


def states(reading: Answers) -> dict[str, str]:
    return {group.name: group.state for group in reading.groups}


def answers(brokers: RecordedBrokers, request: Any, node: int, *codes: int) -> RecordedBrokers:
    """The first answers are but these errors."""
    left = [*codes]

    def change(answer: Any) -> None:
        if left:
            answer.error_code, answer.groups = left.pop(0), []

    return brokers.on(request, change, node)


def of_groups(*codes: int) -> Callable[[Any], None]:
    """Each group of the first answers has such an error, one after the other, the last for good."""
    left = [*codes]

    def change(answer: Any) -> None:
        code = left.pop(0) if len(left) > 1 else left[0]
        for group in answer.groups:
            group.error_code = code

    return change


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
    assert [group.type for group in reading.groups] == ["classic", "classic", "consumer"]
    assert [group.coordinator for group in reading.groups] == [1, 1, 2]
    assert (classic.strategy, len(classic.members), simple.state) == ("range", 2, "Empty")
    assert simple.committed == {("orders", 1): 1}
    assert (new.strategy, new.generation, new.members[0].rack) == ("uniform", 3, "a")
    # a pattern, (^ord.*), which doesn't match __consumer_offsets
    assert {member.topics for member in new.members} == {("orders",)}
    types = tables_of(CLUSTER, reading)["groups"].column("type").to_pylist()
    assert types == ["classic", "classic", "consumer"]


def heard_late(brokers: RecordedBrokers) -> None:
    """A broker gives no error, but then the replicas of what keeps groups are out of sync."""
    brokers.topic(OFFSETS_TOPIC).partitions[0].replica_nodes = [1, 4]
    answers(brokers, ListGroupsRequest, 2, 0)


def no_leader(brokers: RecordedBrokers) -> None:
    brokers.topic(OFFSETS_TOPIC).partitions[0].leader_id = -1


LISTS: dict[str, tuple[Prepare, dict[str, str], str]] = {
    "doesn't answer": (
        lambda b: b.on(object, lambda _: NoAnswer("gone"), 1),
        {"b-new": "Stable"},
        "gone: the groups that it coordinates are missing",
    ),
    "loads, and is asked again": (lambda b: answers(b, ListGroupsRequest, 1, 14), ALL, ""),
    "stays busy": (
        lambda b: answers(b, ListGroupsRequest, 2, *[15] * 9),
        OF_A,
        "COORDINATOR_NOT_AVAILABLE",
    ),
    "heard late, and is asked twice": (heard_late, ALL, ""),
    "no leader": (no_leader, ALL, "of __consumer_offsets without a leader: their groups are"),
}
"""What a broker does, which groups are known then, and what is missing."""


@pytest.mark.parametrize("case", LISTS)
def test_a_broker_that_lists_no_groups(case: str) -> None:
    prepare, known, missing = LISTS[case]
    prepare(brokers := three())
    reading = read_cluster(CLUSTER, brokers)
    assert states(reading) == known
    assert bool(reading.missing) == bool(missing)
    assert missing in "".join(reading.missing[:1])


@pytest.mark.parametrize(
    ("change", "asked"),
    [
        (lambda _: NoAnswer("broker 2 did not answer"), [2, 1]),
        (of_groups(16), [2, 1]),  # NOT_COORDINATOR
        (of_groups(14, 14, 0), [2, 1, 1]),  # the new coordinator still loads its groups
    ],
)
def test_groups_are_asked_about_at_their_new_coordinator(change: Any, asked: list[int]) -> None:
    """FindCoordinator of these brokers names the one that answers, which is the first."""
    brokers = three()
    node = None if len(asked) > 2 else 2
    brokers.on(ConsumerGroupDescribeRequest, change, node)
    reading = read_cluster(CLUSTER, brokers)
    assert (states(reading), reading.missing) == (ALL, [])
    assert brokers.nodes_asked(ConsumerGroupDescribeRequest) == asked
    assert reading.groups[2].coordinator == asked[-1]


def test_a_coordinator_that_is_down_leaves_its_groups_unknown_with_the_reason() -> None:
    """Who is asked for the new coordinator names itself, and has no such group."""
    brokers = three().on(DescribeGroupsRequest, of_groups(16))
    asked = (DescribeGroupsRequest, OffsetFetchRequest, FindCoordinatorRequest)
    brokers.on(asked, lambda _: NoAnswer("broker 1 did not answer: timeout"), 1)
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

    def change(answer: Any) -> None:
        gone = answer.groups[0]
        if how == "left out":
            answer.groups = answer.groups[1:]
        gone.members = []
        gone.error_code, gone.group_state = (69, "") if how == "an error" else (0, "Dead")

    reading = read_cluster(CLUSTER, three().on(DescribeGroupsRequest, change))
    assert states(reading) == ALL | {"a-classic": "Dead"}
    assert reading.groups[0].status == "empty"
    assert reading.missing == []


def test_a_group_that_we_may_not_describe_is_unknown() -> None:
    brokers = three().on(DescribeGroupsRequest, of_groups(30))
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
    assert (1, 0, -1) in columns(emptied, "offsets", "committed_offset", "end_offset", "lag")


def columns(reading: Answers, table: str, *names: str) -> Iterable[tuple[Any, ...]]:
    rows = tables_of(CLUSTER, reading)[table].to_pylist()
    return [tuple(row[name] for name in names) for row in rows]


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
    number = partition.partition_index
    partition.replica_nodes, partition.isr_nodes = [2, 3, 1], [1, 2]
    moving = ListPartitionReassignmentsResponse.OngoingTopicReassignment
    item = moving.OngoingPartitionReassignment(number, [2, 3, 1], [2, 3], [1])
    brokers.moving = [moving(name=topic.name, partitions=[item])]
    names = ("topic", "partition", "replicas", "isr", "adding_replicas", "removing_replicas")
    reading = read_cluster(CLUSTER, brokers)
    rows = columns(reading, "partitions", *names)
    assert [row for row in rows if row[4] or row[5]] == [
        (topic.name, number, [1], [1], [2, 3], [1])
    ]
    assert set(columns(reading, "partitions", "min_insync_replicas")) == {(2,)}


@pytest.mark.parametrize(("codes", "notes"), [([41, 0], 0), ([31], 1)])
def test_who_does_not_tell_what_is_being_reassigned(codes: list[int], notes: int) -> None:
    """Another is asked where only the controller knows (41); what isn't allowed (31) is told."""
    left = codes.copy()

    def change(answer: Any) -> None:
        answer.error_code = left.pop(0)

    reading = read_cluster(CLUSTER, three().on(ListPartitionReassignmentsRequest, change))
    assert len([note for note in reading.notes if "being reassigned" in note]) == notes
    assert left == []
