"""How far partitions go: their leaders know."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from kafka.protocol.consumer import ListOffsetsRequest, OffsetSpec

from spark.sources.live.connection import NoAnswer
from spark.sources.live.coordinators import Asked
from spark.sources.live.group import Claim
from spark.sources.live.wire_error import said

PARTITIONS_A_REQUEST = 20_000


def read_end_offsets(
    brokers: Asked, leaders: Mapping[Claim, int], wanted: Iterable[Claim]
) -> tuple[dict[Claim, int], list[str]]:
    """The end offsets of those partitions wanted that have a leader, and what could not be had."""
    by_leader: dict[int, list[Claim]] = defaultdict(list)
    for partition in sorted(set(wanted)):
        if leaders.get(partition, -1) >= 0:
            by_leader[leaders[partition]].append(partition)
    batches = [
        (leader, partitions[start : start + PARTITIONS_A_REQUEST])
        for leader, partitions in sorted(by_leader.items())
        for start in range(0, len(partitions), PARTITIONS_A_REQUEST)
    ]
    answers = brokers.ask([(leader, _request(partitions)) for leader, partitions in batches])
    found: dict[Claim, int] = {}
    refused: Counter[str] = Counter()
    for (_, partitions), answer in zip(batches, answers, strict=True):
        if isinstance(answer, NoAnswer):
            refused[answer.reason] += len(partitions)
            continue
        for topic in answer.topics:
            for partition in topic.partitions:
                if partition.error_code:
                    refused[said(partition.error_code)] += 1
                else:
                    found[topic.name, partition.partition_index] = partition.offset
    return found, [f"the end of {count} partitions: {why}" for why, count in refused.items()]


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
