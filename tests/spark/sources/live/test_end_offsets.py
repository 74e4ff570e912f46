"""How far partitions go, by recorded answers: leaders that change, go down or aren't there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

kafka = pytest.importorskip("kafka", reason="the extra `live` is not installed")

from kafka.protocol.consumer import ListOffsetsRequest, OffsetSpec  # noqa: E402
from kafka.protocol.metadata import MetadataRequest  # noqa: E402

from spark.sources.live.connection import NoAnswer  # noqa: E402
from spark.sources.live.read_cluster import read_cluster  # noqa: E402
from spark.sources.live.tables import tables_of  # noqa: E402
from tests.spark.sources.live.recorded_brokers import CLUSTER, RecordedBrokers, three  # noqa: E402

pytestmark = pytest.mark.usefixtures("at_once")


def is_about(request: Any, spec: OffsetSpec) -> bool:
    """Whether it asks for the ends of logs, or for where they begin."""
    if not isinstance(request, ListOffsetsRequest):
        return False
    return {item.timestamp for topic in request.topics for item in topic.partitions} == {spec}


def test_a_partition_without_leader_is_not_asked_about_and_the_others_are() -> None:
    """Kafka's own tools fail for a whole group over one such partition."""
    brokers = three()
    (orders,) = [topic for topic in brokers.metadata.topics if topic.name == "orders"]
    orders.partitions[2].leader_id = -1
    lost = orders.partitions[2].partition_index
    asked: list[int] = []

    def spoil(node: int, request: Any, answer: Any) -> Any:
        if is_about(request, OffsetSpec.LATEST):
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


def ends_spoiled(brokers: RecordedBrokers, spoil: Callable[[int, Any], Any]) -> list[int]:
    """Change the answers about ends; what comes back is who has been asked for them so far."""
    asked: list[int] = []

    def only_ends(node: int, request: Any, answer: Any) -> Any:
        if not is_about(request, OffsetSpec.LATEST):
            return answer
        asked.append(node)
        return spoil(node, answer)

    brokers.spoil = only_ends
    return asked


@pytest.mark.parametrize("how", ["no answer", "moved"])
def test_the_new_leader_of_a_partition_is_asked_where_the_old_one_is_gone(how: str) -> None:
    """The first metadata name broker 1 as the leader of all."""
    brokers = three()

    def lead_by(node: int) -> None:
        for topic in brokers.metadata.topics:
            for partition in topic.partitions:
                partition.leader_id = node

    def spoil(node: int, answer: Any) -> Any:
        if node != 1:
            return answer
        lead_by(3)
        if how == "no answer":
            return NoAnswer("broker 1 did not answer")
        for topic in answer.topics:
            for partition in topic.partitions:
                partition.error_code = 6
        return answer

    lead_by(1)
    asked = ends_spoiled(brokers, spoil)
    reading = read_cluster(CLUSTER, brokers)
    assert asked == [1, 3]
    assert len(reading.end_offsets) == 4
    assert reading.missing == []


def test_a_leader_that_stays_away_is_given_up_and_said() -> None:
    brokers = three()
    asked = ends_spoiled(brokers, lambda node, answer: NoAnswer("broker 1 did not answer"))
    reading = read_cluster(CLUSTER, brokers)
    assert len(asked) == 1 + CLUSTER.retries
    assert reading.end_offsets == {}
    assert reading.missing == ["the end of 4 partitions: broker 1 did not answer"]


def test_a_partition_whose_leader_is_still_elected_is_looked_up_once_more() -> None:
    """It has none when it is looked up, and has one the next time."""
    brokers = three()
    leaders = iter([-1, 3])

    def spoil(node: int, request: Any, answer: Any) -> Any:
        if isinstance(request, MetadataRequest):
            leader = next(leaders)
            for topic in answer.topics:
                for partition in topic.partitions:
                    partition.leader_id = leader
        if isinstance(request, ListOffsetsRequest) and node != 3:
            return NoAnswer("broker 1 did not answer")
        return answer

    brokers.spoil = spoil
    reading = read_cluster(CLUSTER, brokers)
    assert len(reading.end_offsets) == 4
    assert reading.missing == []


def test_a_log_that_a_group_is_behind_on_has_its_start() -> None:
    """a-simple has committed offset 1 of orders-1; partitions that are read up need no start."""
    brokers = three()
    brokers.start = 2
    offsets = tables_of(CLUSTER, read_cluster(CLUSTER, brokers))["offsets"].to_pylist()
    behind = [row for row in offsets if row["committed_offset"] is not None and row["lag"]]
    assert {(row["group"], row["start_offset"]) for row in behind} >= {("a-simple", 2)}
    assert {row["start_offset"] for row in offsets if row not in behind} <= {None, 2}
    assert all(row["start_offset"] == 2 for row in behind)


def test_a_start_that_no_broker_tells_is_a_note_and_no_more() -> None:
    brokers = three()

    def spoil(node: int, request: Any, answer: Any) -> Any:
        return NoAnswer("gone") if is_about(request, OffsetSpec.EARLIEST) else answer

    brokers.spoil = spoil
    reading = read_cluster(CLUSTER, brokers)
    assert (reading.start_offsets, reading.missing) == ({}, [])
    assert reading.notes[-1].startswith("the start of ") and reading.notes[-1].endswith(": gone")
