"""How far partitions go: their leaders know."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Set
from itertools import groupby
from typing import Any

from kafka import errors
from kafka.protocol.consumer import ListOffsetsRequest, OffsetSpec
from kafka.protocol.metadata import MetadataRequest

from spark.sources.live.connection import Brokers, NoAnswer, ask_any, attempts
from spark.sources.live.error_text import error_text
from spark.sources.live.group import Claim

PARTITIONS_A_REQUEST = 20_000

LED_ANEW = {
    errors.LeaderNotAvailableError.errno,
    errors.NotLeaderForPartitionError.errno,
    errors.ReplicaNotAvailableError.errno,
    errors.OffsetNotAvailableError.errno,
}
"""Errors of a partition whose leader changes, or doesn't know yet how far the others are."""

Ends = dict[Claim, int | NoAnswer]


def read_end_offsets(
    brokers: Brokers, topics: Iterable[Any], wanted: Set[Claim], retries: int
) -> tuple[dict[Claim, int], list[str]]:
    """The end offsets of those partitions wanted that have a leader, and what could not be had.

    `topics` are those of a MetadataResponse. Where a leader is down, or isn't the leader any more,
    it is looked up and asked again `retries` times.
    """
    ends: Ends = {}
    leaders = _leaders(topics, wanted)
    again = set(leaders)
    for attempt in attempts(retries):
        if attempt:
            leaders = _leaders(_topics_now(brokers, again), again)
        more, moved = _ask(brokers, leaders)
        ends |= more
        # those that have no leader at the moment are still to be asked about
        again = again - more.keys() | moved
        if not again:
            break
    refused: dict[str, int] = defaultdict(int)
    for end in ends.values():
        if isinstance(end, NoAnswer):
            refused[end.reason] += 1
    result = {claim: end for claim, end in ends.items() if not isinstance(end, NoAnswer)}
    return result, [f"the end of {count} partitions: {why}" for why, count in refused.items()]


def _leaders(topics: Iterable[Any], wanted: Set[Claim]) -> dict[Claim, int]:
    """Who leads each of the partitions wanted, as far as somebody does."""
    return {
        claim: partition.leader_id
        for topic in topics
        for partition in topic.partitions
        if partition.leader_id >= 0 and (claim := (topic.name, partition.partition_index)) in wanted
    }


def _topics_now(brokers: Brokers, partitions: Iterable[Claim]) -> list[Any]:
    names = sorted({topic for topic, _ in partitions})
    item = MetadataRequest.MetadataRequestTopic
    request = MetadataRequest(
        topics=[item(name=name) for name in names],
        allow_auto_topic_creation=False,
        min_version=1,
    )
    answer = ask_any(brokers, request)
    return [] if isinstance(answer, NoAnswer) else list(answer.topics)


def _ask(brokers: Brokers, leaders: dict[Claim, int]) -> tuple[Ends, set[Claim]]:
    """The end of each partition or why there is none, and those that another broker may know."""
    by_leader: dict[int, list[Claim]] = defaultdict(list)
    for partition in sorted(leaders):
        by_leader[leaders[partition]].append(partition)
    batches = [
        (leader, partitions[start : start + PARTITIONS_A_REQUEST])
        for leader, partitions in sorted(by_leader.items())
        for start in range(0, len(partitions), PARTITIONS_A_REQUEST)
    ]
    answers = brokers.ask([(leader, _request(partitions)) for leader, partitions in batches])
    ends: Ends = {}
    again: set[Claim] = set()
    for (_, partitions), answer in zip(batches, answers, strict=True):
        if isinstance(answer, NoAnswer):
            ends |= dict.fromkeys(partitions, answer)
            again |= set(partitions)
            continue
        for topic in answer.topics:
            for partition in topic.partitions:
                claim = (topic.name, partition.partition_index)
                code = partition.error_code
                ends[claim] = NoAnswer(error_text(code)) if code else partition.offset
                if code in LED_ANEW:
                    again.add(claim)
    return ends, again


def _request(partitions: Iterable[Claim]) -> Any:
    of_topic = ListOffsetsRequest.ListOffsetsTopic
    of_partition = of_topic.ListOffsetsPartition
    return ListOffsetsRequest(
        topics=[
            of_topic(
                name=topic,
                partitions=[
                    of_partition(partition_index=number, timestamp=int(OffsetSpec.LATEST))
                    for _, number in numbers
                ],
            )
            for topic, numbers in groupby(partitions, key=lambda partition: partition[0])
        ],
        max_version=9,  # from 10 on brokers are told how long they may take
    )
