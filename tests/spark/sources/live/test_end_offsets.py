"""How far partitions go, by recorded answers: leaders that change, go down or aren't there."""

from typing import Any

import pytest
from kafka.protocol.consumer import ListOffsetsRequest, OffsetSpec
from kafka.protocol.metadata import MetadataRequest

from spark.sources.live.collect import tables_of
from spark.sources.live.connection import NoAnswer
from spark.sources.live.read_cluster import read_cluster
from tests.spark.sources.live.recorded_brokers import CLUSTER, RecordedBrokers, is_about, three

pytestmark = pytest.mark.usefixtures("at_once")

DOWN = NoAnswer("broker 1 did not answer")


def asked_for_ends(brokers: RecordedBrokers) -> list[tuple[int, list[int]]]:
    """The brokers that were asked, and for which partitions."""
    return [
        (node, [p.partition_index for t in request.topics for p in t.partitions])
        for node, request in brokers.asked
        if isinstance(request, ListOffsetsRequest) and is_about(request, OffsetSpec.LATEST)
    ]


def test_a_partition_without_leader_is_not_asked_about_and_the_others_are() -> None:
    """Kafka's own tools fail for a whole group over one such partition."""
    brokers = three()
    lost = brokers.topic("orders").partitions[2]
    lost.leader_id = -1
    reading = read_cluster(CLUSTER, brokers)
    ((_, asked),) = asked_for_ends(brokers)
    assert sorted(asked) == sorted({0, 1, 2, 3} - {lost.partition_index})
    assert reading.notes == [
        "1 topic (orders) with partitions that have no leader, so that their end is not known"
    ]


def test_an_error_of_one_partition_leaves_the_others_their_ends() -> None:
    """As when a topic is deleted, or its leader changes, between two requests."""

    def change(answer: Any) -> None:
        answer.topics[0].partitions[0].error_code = 3

    reading = read_cluster(CLUSTER, three().on(ListOffsetsRequest, change))
    assert len(reading.end_offsets) == 3
    assert "UNKNOWN_TOPIC_OR_PARTITION" in reading.missing[0].upper()


@pytest.mark.parametrize("how", ["no answer", "moved"])
def test_the_new_leader_of_a_partition_is_asked_where_the_old_one_is_gone(how: str) -> None:
    """The first metadata name broker 1 as the leader of all."""
    brokers = three()
    brokers.lead_by(1)

    def change(answer: Any) -> Any:
        brokers.lead_by(3)
        for topic in answer.topics:
            for partition in topic.partitions:
                partition.error_code = 6
        return DOWN if how == "no answer" else None

    reading = read_cluster(CLUSTER, brokers.on(ListOffsetsRequest, change, 1))
    assert [node for node, _ in asked_for_ends(brokers)] == [1, 3]
    assert (len(reading.end_offsets), reading.missing) == (4, [])


def test_a_leader_that_stays_away_is_given_up_and_said() -> None:
    brokers = three().on(ListOffsetsRequest, lambda _: DOWN)
    reading = read_cluster(CLUSTER, brokers)
    assert len(asked_for_ends(brokers)) == 1 + CLUSTER.retries
    assert reading.end_offsets == {}
    assert reading.missing == ["the end of 4 partitions: broker 1 did not answer"]


def test_a_partition_whose_leader_is_still_elected_is_looked_up_once_more() -> None:
    """It has none when it is looked up, and has one the next time."""
    brokers, leaders = three(), iter([-1, 3])

    def lead(_: Any) -> Any:
        brokers.lead_by(next(leaders))
        return brokers.metadata

    brokers.on(MetadataRequest, lead).on(ListOffsetsRequest, lambda _: DOWN, 1)
    reading = read_cluster(CLUSTER, brokers)
    assert [node for node, _ in asked_for_ends(brokers)] == [1, 3]
    assert (len(reading.end_offsets), reading.missing) == (4, [])


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
    gone = NoAnswer("gone")

    def change(_: Any) -> Any:
        _, request = brokers.asked[-1]
        return gone if is_about(request, OffsetSpec.EARLIEST) else None

    reading = read_cluster(CLUSTER, brokers.on(ListOffsetsRequest, change))
    assert (reading.start_offsets, reading.missing) == ({}, [])
    assert reading.notes[-1].startswith("the start of ") and reading.notes[-1].endswith(": gone")
