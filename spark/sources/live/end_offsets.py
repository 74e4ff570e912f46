"""How far partitions go, and where they begin: their leaders know."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Set
from itertools import groupby
from typing import Any

from kafka import errors
from kafka.protocol.consumer import ListOffsetsRequest, OffsetSpec

from spark.sources.live.connection import Brokers, NoAnswer, ask_topics, attempts
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

Offsets = dict[Claim, int | NoAnswer]


def read_end_offsets(
    brokers: Brokers, topics: Iterable[Any], wanted: Set[Claim], retries: int
) -> tuple[dict[Claim, int], list[str]]:
    """The end offsets of those partitions wanted that have a leader, and what could not be had.

    `topics` are those of a MetadataResponse. Where a leader is down, or isn't the leader any more,
    it is looked up and asked again `retries` times.
    """
    ends: Offsets = {}
    leaders = _leaders(topics, wanted)
    again = set(leaders)
    for attempt in attempts(retries):
        if attempt:
            leaders = _leaders(_topics_now(brokers, again), again)
        more, moved = _ask(brokers, leaders, OffsetSpec.LATEST)
        ends |= more
        # those that have no leader at the moment are still to be asked about
        again = again - more.keys() | moved
        if not again:
            break
    return _offsets_and_reasons(ends, "end")


def read_start_offsets(
    brokers: Brokers, topics: Iterable[Any], wanted: Set[Claim]
) -> tuple[dict[Claim, int], list[str]]:
    """Where the logs of those partitions wanted begin that have a leader, and what isn't known."""
    starts, _ = _ask(brokers, _leaders(topics, wanted), OffsetSpec.EARLIEST)
    return _offsets_and_reasons(starts, "start")


def _offsets_and_reasons(offsets: Offsets, what: str) -> tuple[dict[Claim, int], list[str]]:
    """The offsets that brokers told, and why the others aren't known."""
    result = {claim: item for claim, item in offsets.items() if not isinstance(item, NoAnswer)}
    refused = Counter(item.reason for item in offsets.values() if isinstance(item, NoAnswer))
    return result, [f"the {what} of {count} partitions: {why}" for why, count in refused.items()]


def _leaders(topics: Iterable[Any], wanted: Set[Claim]) -> dict[Claim, int]:
    """Who leads each of the partitions wanted, as far as somebody does."""
    return {
        claim: partition.leader_id
        for topic in topics
        for partition in topic.partitions
        if partition.leader_id >= 0 and (claim := (topic.name, partition.partition_index)) in wanted
    }


def _topics_now(brokers: Brokers, partitions: Iterable[Claim]) -> list[Any]:
    answer = ask_topics(brokers, sorted({topic for topic, _ in partitions}), min_version=1)
    return [] if isinstance(answer, NoAnswer) else list(answer.topics)


def _ask(
    brokers: Brokers, leaders: dict[Claim, int], spec: OffsetSpec
) -> tuple[Offsets, set[Claim]]:
    """An offset of each partition or why there is none, and those that another broker may know."""
    by_leader: dict[int, list[Claim]] = defaultdict(list)
    for partition in sorted(leaders):
        by_leader[leaders[partition]].append(partition)
    batches = [
        (leader, partitions[start : start + PARTITIONS_A_REQUEST])
        for leader, partitions in sorted(by_leader.items())
        for start in range(0, len(partitions), PARTITIONS_A_REQUEST)
    ]
    answers = brokers.ask([(leader, _request(partitions, spec)) for leader, partitions in batches])
    offsets: Offsets = {}
    again: set[Claim] = set()
    for (_, partitions), answer in zip(batches, answers, strict=True):
        if isinstance(answer, NoAnswer):
            offsets |= dict.fromkeys(partitions, answer)
            again |= set(partitions)
            continue
        for topic in answer.topics:
            for partition in topic.partitions:
                claim = (topic.name, partition.partition_index)
                code = partition.error_code
                offsets[claim] = NoAnswer(error_text(code)) if code else partition.offset
                if code in LED_ANEW:
                    again.add(claim)
    return offsets, again


def _request(partitions: Iterable[Claim], spec: OffsetSpec) -> Any:
    of_topic = ListOffsetsRequest.ListOffsetsTopic
    of_partition = of_topic.ListOffsetsPartition
    return ListOffsetsRequest(
        topics=[
            of_topic(
                name=topic,
                partitions=[
                    of_partition(partition_index=number, timestamp=int(spec))
                    for _, number in numbers
                ],
            )
            for topic, numbers in groupby(partitions, key=lambda partition: partition[0])
        ],
        max_version=9,  # from 10 on brokers are told how long they may take
    )
