"""A cluster of recorded answers: as many brokers and groups as a test wants, and its errors.

The answers are those of a Kafka 4.3.1 to tests/live/record_answers.py, multiplied; each goes
through kafka-python's encoder and decoder.
"""

from __future__ import annotations

import base64
import copy
import json
from collections.abc import Callable
from typing import Any

from kafka.protocol.admin import (
    DescribeClusterRequest,
    DescribeClusterResponse,
    DescribeConfigsRequest,
    DescribeConfigsResponse,
    DescribeGroupsRequest,
    DescribeGroupsResponse,
    ListGroupsRequest,
    ListGroupsResponse,
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
)
from kafka.protocol.consumer import (
    ListOffsetsRequest,
    ListOffsetsResponse,
    OffsetFetchRequest,
    OffsetFetchResponse,
    OffsetSpec,
)
from kafka.protocol.metadata import (
    FindCoordinatorRequest,
    FindCoordinatorResponse,
    MetadataRequest,
    MetadataResponse,
)

from spark.sources.live.cluster import Cluster
from spark.sources.live.consumer_group_describe import (
    ConsumerGroupDescribeRequest,
    ConsumerGroupDescribeResponse,
)
from tests.paths import DATA

FILE = DATA / "kafka-4.3.1-answers.json"
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
        self.start = 0
        self.oldest_broker = False
        self.moving: list[Any] = []
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
        kinds = {name: kind for group in self.groups.values() for name, kind in group.items()}

        def of(entries: dict[str, Any], names: list[str]) -> list[Any]:
            return [named(entries[kinds[name]], name) for name in names]

        if isinstance(request, ListGroupsRequest):
            return ListGroupsResponse(version=5, groups=of(self._listed, [*self.groups[node]]))
        if isinstance(request, DescribeGroupsRequest):
            return DescribeGroupsResponse(version=6, groups=of(self._classic, request.groups))
        if isinstance(request, ConsumerGroupDescribeRequest):
            described = of(self._new, request.group_ids)
            return ConsumerGroupDescribeResponse(version=1, groups=described)
        if isinstance(request, FindCoordinatorRequest):
            coordinator = FindCoordinatorResponse.Coordinator
            result = [
                coordinator(version=4, key=key, node_id=node, host="", port=0, error_code=0)
                for key in request.coordinator_keys
            ]
            return FindCoordinatorResponse(version=4, coordinators=result)
        if isinstance(request, OffsetFetchRequest) and request.groups:
            asked = [group.group_id for group in request.groups]
            return OffsetFetchResponse(version=9, groups=of(self._offsets, asked))
        if isinstance(request, OffsetFetchRequest):
            return self._old_offsets(kinds[request.group_id])
        if isinstance(request, MetadataRequest):
            return self.metadata
        if isinstance(request, DescribeClusterRequest):
            may = {8}  # Describe
            return DescribeClusterResponse(
                version=0, cluster_id="c", brokers=[], authorized_operations=may
            )
        if isinstance(request, DescribeConfigsRequest):
            return self._configured(request)
        if isinstance(request, ListPartitionReassignmentsRequest):
            return ListPartitionReassignmentsResponse(
                version=0, throttle_time_ms=0, error_code=0, error_message=None, topics=self.moving
            )
        assert isinstance(request, ListOffsetsRequest)
        return self._offsets_of_logs(request)

    def _offsets_of_logs(self, request: Any) -> Any:
        """The ends that were recorded; every log begins at `start`."""
        answer = recorded(ListOffsetsResponse)
        asked = {item.timestamp for topic in request.topics for item in topic.partitions}
        if asked == {OffsetSpec.EARLIEST}:
            for topic in answer.topics:
                for partition in topic.partitions:
                    partition.offset = self.start
        return answer

    @staticmethod
    def _configured(request: Any) -> Any:
        """Topics have min.insync.replicas 2, and nothing else is told."""
        of_topic = DescribeConfigsResponse.DescribeConfigsResult
        config = of_topic.DescribeConfigsResourceResult(
            version=1,
            name="min.insync.replicas",
            value="2",
            read_only=False,
            config_source=5,
            is_sensitive=False,
            synonyms=[],
        )
        results = [
            of_topic(
                version=1,
                error_code=0,
                error_message=None,
                resource_type=resource.resource_type,
                resource_name=resource.resource_name,
                configs=[config],
            )
            for resource in request.resources
        ]
        return DescribeConfigsResponse(version=1, throttle_time_ms=0, results=results)

    @staticmethod
    def _old_offsets(kind: str) -> Any:
        topic = OffsetFetchResponse.OffsetFetchResponseTopic
        partition = topic.OffsetFetchResponsePartition
        item = partition(
            version=7,
            partition_index=1,
            committed_offset=1,
            committed_leader_epoch=-1,
            metadata="",
            error_code=0,
        )
        topics = [topic(version=7, name="orders", partitions=[item])] if kind == "simple" else []
        return OffsetFetchResponse(version=7, error_code=0, topics=topics)


def three() -> RecordedBrokers:
    """Each group has a letter, and each letter a broker."""
    return RecordedBrokers(
        {1: {"a-classic": "classic", "a-simple": "simple"}, 2: {"b-new": "new"}, 3: {}}
    )
