"""A cluster of recorded answers: thousands of groups, and errors that come when nobody wants them.

The answers are those of a Kafka 4.3.1 to tests/live/record_answers.py, multiplied; each goes
through kafka-python's encoder and decoder.
"""

import base64
import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

kafka = pytest.importorskip("kafka", reason="the extra `live` is not installed")

from kafka.protocol.admin import (  # noqa: E402
    DescribeGroupsRequest,
    DescribeGroupsResponse,
    ListGroupsRequest,
    ListGroupsResponse,
)
from kafka.protocol.consumer import (  # noqa: E402
    ListOffsetsRequest,
    ListOffsetsResponse,
    OffsetFetchRequest,
    OffsetFetchResponse,
)
from kafka.protocol.metadata import (  # noqa: E402
    FindCoordinatorRequest,
    FindCoordinatorResponse,
    MetadataResponse,
)

from spark.sources.live import coordinators, listing  # noqa: E402
from spark.sources.live.cluster import Cluster, Wanted  # noqa: E402
from spark.sources.live.connection import NoAnswer  # noqa: E402
from spark.sources.live.consumer_group_describe import (  # noqa: E402
    ConsumerGroupDescribeRequest,
    ConsumerGroupDescribeResponse,
)
from spark.sources.live.reading import Reading, read_cluster  # noqa: E402
from spark.sources.live.rows import tables_of  # noqa: E402

FILE = Path(__file__).parents[2] / "data" / "kafka-4.3.1-answers.json"
RECORDED = json.loads(FILE.read_text())
CLUSTER = Cluster("recorded", ("broker:9092",))


def recorded(message: Any) -> Any:
    kept = RECORDED[message.__name__]
    return message.decode(base64.b64decode(kept["data"]), version=kept["version"])


def named(group: Any, name: str) -> Any:
    group = copy.copy(group)
    group.group_id = name
    return group


class RecordedBrokers:
    """Brokers 1, 2, … that coordinate the groups given, by name: kind (classic, new, simple).

    `spoil` may change or replace the answer to a request of a broker.
    """

    def __init__(self, groups: dict[int, dict[str, str]]) -> None:
        self.requests = 0
        self.oldest_broker = False
        self.spoil: Callable[[int, Any, Any], Any] = lambda node, request, answer: answer
        self.groups = groups
        self.metadata = recorded(MetadataResponse)
        self.metadata.brokers = [self._broker(node) for node in groups]
        self._listed = {g.group_id: g for g in recorded(ListGroupsResponse).groups}
        self._classic = {g.group_id: g for g in recorded(DescribeGroupsResponse).groups}
        self._new = {g.group_id: g for g in recorded(ConsumerGroupDescribeResponse).groups}
        self._offsets = {g.group_id: g for g in recorded(OffsetFetchResponse).groups}

    def speaks(self, message: type, version: int) -> bool:
        return not self.oldest_broker

    def ask(self, questions: list[tuple[int, Any]]) -> list[Any]:
        self.requests += len(questions)
        return [self.spoil(node, r, self._sent(self._answer(node, r))) for node, r in questions]

    def _broker(self, node: int) -> Any:
        broker = copy.copy(self.metadata.brokers[0])
        broker.node_id = node
        return broker

    @staticmethod
    def _sent(answer: Any) -> Any:
        """As it is after a way over the network."""
        return type(answer).decode(bytes(answer.encode()), version=answer.API_VERSION)

    def _answer(self, node: int, request: Any) -> Any:  # noqa: PLR0911, one an API
        kinds = {name: kind for some in self.groups.values() for name, kind in some.items()}

        def of(known: dict[str, Any], names: list[str]) -> list[Any]:
            return [named(known[kinds[name]], name) for name in names]

        if isinstance(request, ListGroupsRequest):
            return ListGroupsResponse(version=5, groups=of(self._listed, [*self.groups[node]]))
        if isinstance(request, DescribeGroupsRequest):
            return DescribeGroupsResponse(version=6, groups=of(self._classic, request.groups))
        if isinstance(request, ConsumerGroupDescribeRequest):
            described = of(self._new, request.group_ids)
            return ConsumerGroupDescribeResponse(version=1, groups=described)
        if isinstance(request, FindCoordinatorRequest):
            one = FindCoordinatorResponse.Coordinator
            found = [
                one(version=4, key=key, node_id=node, host="", port=0, error_code=0)
                for key in request.coordinator_keys
            ]
            return FindCoordinatorResponse(version=4, coordinators=found)
        if isinstance(request, OffsetFetchRequest) and request.groups:
            asked = [group.group_id for group in request.groups]
            return OffsetFetchResponse(version=9, groups=of(self._offsets, asked))
        if isinstance(request, OffsetFetchRequest):
            return self._old_offsets(kinds[request.group_id])
        assert isinstance(request, ListOffsetsRequest)
        return recorded(ListOffsetsResponse)

    @staticmethod
    def _old_offsets(kind: str) -> Any:
        topic = OffsetFetchResponse.OffsetFetchResponseTopic
        partition = topic.OffsetFetchResponsePartition
        one = partition(
            version=7,
            partition_index=1,
            committed_offset=1,
            committed_leader_epoch=-1,
            metadata="",
            error_code=0,
        )
        topics = [topic(version=7, name="orders", partitions=[one])] if kind == "simple" else []
        return OffsetFetchResponse(version=7, error_code=0, topics=topics)


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing comes of waiting for recorded brokers."""
    for module in (coordinators, listing):
        monkeypatch.setattr(module, "PAUSE", 0)
    monkeypatch.setattr(listing, "SETTLES_IN", 0)


def three() -> RecordedBrokers:
    """Each group has a letter, and each letter a broker."""
    return RecordedBrokers(
        {1: {"a-classic": "classic", "a-simple": "simple"}, 2: {"b-new": "new"}, 3: {}}
    )


def states(reading: Reading) -> dict[str, str]:
    return {group.name: group.state for group in reading.groups}


def test_thousands_of_groups_cost_requests_by_the_thousand() -> None:
    """Each of 3 brokers lists 1,500: of 1,000 classic ones, 500 new ones and all their offsets it
    tells 1,000 at once. One leader tells the ends of the only topic."""
    kinds = ["classic", "classic", "new"]
    brokers = RecordedBrokers(
        {n: {f"{n}-{at:04}": kinds[at % 3] for at in range(1500)} for n in (1, 2, 3)}
    )
    reading = read_cluster(CLUSTER, brokers)
    assert brokers.requests == 3 * (1 + 1 + 1 + 2) + 1
    tables = tables_of(CLUSTER, reading)
    assert {name: len(table) for name, table in tables.items()} == {
        "groups": 4500,
        "members": 9000,
        "subscriptions": 9000,
        "partitions": len([p for t in reading.topics for p in t.partitions]),
        "assignments": 18_000,
        "offsets": 18_000,
        "brokers": 3,
    }
    assert reading.missing == []
    assert {group.status for group in reading.groups} == {"ok"}


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
    (found,) = [t for t in brokers.metadata.topics if t.name == listing.OFFSETS_TOPIC]
    return found


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
    found = {group.name: group for group in reading.groups}
    assert found["a-classic"].status == "invalid"
    assert found["a-classic"].state.startswith("Unknown: ")
    assert "NOT_COORDINATOR" in found["a-classic"].state.upper()
    assert found["b-new"].status == "ok"
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


def test_share_groups_have_no_owners() -> None:
    brokers = three()

    def spoil(node: int, request: Any, answer: Any) -> Any:
        if isinstance(request, ListGroupsRequest) and node == 2:
            answer.groups[0].group_type = "share"
        return answer

    brokers.spoil = spoil
    reading = read_cluster(CLUSTER, brokers)
    assert states(reading)["b-new"] == "Unknown: a share group, whose partitions have no one owner"
    assert reading.missing == []


def test_brokers_before_3_0_are_asked_about_the_offsets_of_one_group_at_a_time() -> None:
    brokers = three()
    brokers.oldest_broker = True
    reading = read_cluster(CLUSTER, brokers)
    assert reading.groups[1].committed == {("orders", 1): 1}
    assert reading.missing == []


def test_a_partition_without_leader_is_not_asked_about_and_the_others_are() -> None:
    """Kafka's own tools fail for a whole group over one such partition."""
    brokers = three()
    (orders,) = [topic for topic in brokers.metadata.topics if topic.name == "orders"]
    orders.partitions[2].leader_id = -1
    lost = orders.partitions[2].partition_index
    asked: list[int] = []

    def spoil(node: int, request: Any, answer: Any) -> Any:
        if isinstance(request, ListOffsetsRequest):
            asked.extend(p.partition_index for t in request.topics for p in t.partitions)
        return answer

    brokers.spoil = spoil
    reading = read_cluster(CLUSTER, brokers)
    assert sorted(asked) == sorted({0, 1, 2, 3} - {lost})
    assert reading.notes == [
        "1 topic (orders) with partitions that have no leader, so that their end is not known"
    ]


def test_an_error_of_one_partition_leaves_the_others_their_ends() -> None:
    """As when a topic is deleted, or its leader changes, between two requests."""
    brokers = three()

    def spoil(node: int, request: Any, answer: Any) -> Any:
        if isinstance(request, ListOffsetsRequest):
            answer.topics[0].partitions[0].error_code = 3
        return answer

    brokers.spoil = spoil
    reading = read_cluster(CLUSTER, brokers)
    assert len(reading.end_offsets) == 3
    assert "UNKNOWN_TOPIC_OR_PARTITION" in reading.missing[0].upper()


def test_topics_that_are_not_described_are_noted() -> None:
    brokers = three()
    for topic in brokers.metadata.topics:
        topic.error_code = 29
    reading = read_cluster(CLUSTER, brokers)
    assert reading.topics == []
    assert "TOPIC_AUTHORIZATION_FAILED" in reading.notes[0].upper()


def test_groups_are_chosen_by_their_names() -> None:
    wanted = Cluster("recorded", ("broker:9092",), groups=Wanted(("a-*",), ("*-simple",)))
    assert [*states(read_cluster(wanted, three()))] == ["a-classic"]
