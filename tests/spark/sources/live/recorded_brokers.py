"""A cluster of recorded answers: as many brokers and groups as a test wants, and its errors.

The answers are those of a Kafka 4.3.1 to tests/live/record_answers.py, multiplied; each goes
through kafka-python's encoder and decoder.
"""

from __future__ import annotations

import base64
import copy
import json
from collections.abc import Callable, Iterable, Sequence
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
from spark.sources.live.connection import Connection
from spark.sources.live.coordinators import (
    ConsumerGroupDescribeRequest,
    ConsumerGroupDescribeResponse,
    StreamsGroupDescribeRequest,
    StreamsGroupDescribeResponse,
)
from tests.paths import DATA

RECORDED = json.loads((DATA / "kafka-4.3.1-answers.json").read_text())
CLUSTER = Cluster("recorded", ("broker:9092",))

Change = Callable[[Any], Any]
"""Alters an answer, or returns what comes in its place."""


def recorded(message: Any) -> Any:
    kept = RECORDED[message.__name__]
    return message.decode(base64.b64decode(kept["data"]), version=kept["version"])


def sent(message: Any) -> Any:
    """A message as it is after a way over the network."""
    return type(message).decode(bytes(message.encode()), version=message.API_VERSION)


class RecordedBrokers(Connection):
    """Brokers 1, 2, … that coordinate the groups given, by name: kind (classic, new, simple)."""

    def __init__(self, groups: dict[int, dict[str, str]]) -> None:
        self.requests = 0
        self.asked: list[tuple[int, Any]] = []
        self.start = 0
        self.oldest_broker = False
        self.moving: list[Any] = []
        self.groups = groups
        self.metadata = recorded(MetadataResponse)
        self.metadata.brokers = [self._broker(node) for node in groups]
        self._changes: list[tuple[Any, int | None, Change]] = []
        self._kinds = {name: kind for some in groups.values() for name, kind in some.items()}
        self._listed = {g.group_id: g for g in recorded(ListGroupsResponse).groups}
        self._classic = {g.group_id: g for g in recorded(DescribeGroupsResponse).groups}
        self._new = {g.group_id: g for g in recorded(ConsumerGroupDescribeResponse).groups}
        self._offsets = {g.group_id: g for g in recorded(OffsetFetchResponse).groups}

    def on(self, request: Any, change: Change, node: int | None = None) -> RecordedBrokers:
        """Change the answers to such requests, of one broker or of all; gives itself back."""
        self._changes.append((request, node, change))
        return self

    def topic(self, name: str) -> Any:
        """A topic of the metadata, to change."""
        return next(topic for topic in self.metadata.topics if topic.name == name)

    def lead_by(self, node: int) -> None:
        """Let that broker lead all partitions."""
        for topic in self.metadata.topics:
            for partition in topic.partitions:
                partition.leader_id = node

    def nodes_asked(self, request: Any) -> list[int]:
        return [node for node, item in self.asked if isinstance(item, request)]

    def speaks(self, message: type, version: int) -> bool:
        return not self.oldest_broker

    def ask(self, questions: Sequence[tuple[int, Any]]) -> list[Any]:
        self.requests += len(questions)
        self.asked += questions
        return [self._changed(node, request) for node, request in questions]

    def _changed(self, node: int, request: Any) -> Any:
        answer = sent(self._answer(node, request))
        for message, at, change in self._changes:
            if isinstance(request, message) and at in (None, node):
                other = change(answer)
                answer = answer if other is None else other
        return answer

    def _broker(self, node: int) -> Any:
        broker = copy.copy(self.metadata.brokers[0])
        broker.node_id = node
        return broker

    def _of(self, entries: dict[str, Any], names: Iterable[str]) -> list[Any]:
        """The recorded entry of each group's kind, under the group's name."""
        result = [copy.copy(entries[self._kinds[name]]) for name in names]
        for group, name in zip(result, names, strict=True):
            group.group_id = name
        return result

    def _answer(self, node: int, request: Any) -> Any:  # noqa: PLR0911, one an API
        if isinstance(request, ListGroupsRequest):
            return ListGroupsResponse(version=5, groups=self._of(self._listed, self.groups[node]))
        if isinstance(request, DescribeGroupsRequest):
            return DescribeGroupsResponse(version=6, groups=self._of(self._classic, request.groups))
        if isinstance(request, ConsumerGroupDescribeRequest):
            described = self._of(self._new, request.group_ids)
            return ConsumerGroupDescribeResponse(version=1, groups=described)
        if isinstance(request, StreamsGroupDescribeRequest):
            return StreamsGroupDescribeResponse(version=0, groups=[])
        if isinstance(request, FindCoordinatorRequest):
            coordinator = FindCoordinatorResponse.Coordinator
            found = [coordinator(key=key, node_id=node) for key in request.coordinator_keys]
            return FindCoordinatorResponse(version=4, coordinators=found)
        if isinstance(request, OffsetFetchRequest) and request.groups:
            names = [group.group_id for group in request.groups]
            return OffsetFetchResponse(version=9, groups=self._of(self._offsets, names))
        if isinstance(request, OffsetFetchRequest):
            return _old_offsets(self._kinds[request.group_id])
        if isinstance(request, MetadataRequest):
            return self.metadata
        if isinstance(request, DescribeClusterRequest):
            may = {8}  # Describe
            return DescribeClusterResponse(version=0, cluster_id="c", authorized_operations=may)
        if isinstance(request, DescribeConfigsRequest):
            return _configured(request)
        if isinstance(request, ListPartitionReassignmentsRequest):
            return ListPartitionReassignmentsResponse(version=0, topics=self.moving)
        return self._offsets_of_logs(request)

    def _offsets_of_logs(self, request: Any) -> Any:
        """The ends that were recorded; every log begins at `start`."""
        answer = recorded(ListOffsetsResponse)
        if is_about(request, OffsetSpec.EARLIEST):
            for topic in answer.topics:
                for partition in topic.partitions:
                    partition.offset = self.start
        return answer


def is_about(request: ListOffsetsRequest, spec: OffsetSpec) -> bool:
    """Whether it asks for the ends of logs, or for where they begin."""
    return {item.timestamp for topic in request.topics for item in topic.partitions} == {spec}


def _configured(request: Any) -> Any:
    """Topics have min.insync.replicas 2, and nothing else is told."""
    result = DescribeConfigsResponse.DescribeConfigsResult
    config = result.DescribeConfigsResourceResult(
        name="min.insync.replicas", value="2", config_source=5
    )
    results = [
        result(resource_type=item.resource_type, resource_name=item.resource_name, configs=[config])
        for item in request.resources
    ]
    return DescribeConfigsResponse(version=1, results=results)


def _old_offsets(kind: str) -> Any:
    topic = OffsetFetchResponse.OffsetFetchResponseTopic
    item = topic.OffsetFetchResponsePartition(partition_index=1, committed_offset=1)
    topics = [topic(name="orders", partitions=[item])] if kind == "simple" else []
    return OffsetFetchResponse(version=7, topics=topics)


def three() -> RecordedBrokers:
    """Each group has a letter, and each letter a broker."""
    return RecordedBrokers(
        {1: {"a-classic": "classic", "a-simple": "simple"}, 2: {"b-new": "new"}, 3: {}}
    )
