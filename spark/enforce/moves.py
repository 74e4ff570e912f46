"""Replicas moved in a live cluster: by the requests of Kafka's own tools, answered in words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from kafka import errors
from kafka.protocol.admin import (
    AlterPartitionReassignmentsRequest,
    ElectLeadersRequest,
    IncrementalAlterConfigsRequest,
)
from kafka.protocol.metadata import MetadataRequest

from spark.sources.live.cluster import Cluster
from spark.sources.live.connection import (
    Connection,
    NoAnswer,
    UnreachableError,
    ask_any,
    refusal,
)
from spark.sources.live.error_text import error_text
from spark.sources.live.reassignments import NOT_MOVING, Moving, ask_controller, read_reassignments
from spark.sources.live.topic_settings import TOPIC

Name = tuple[str, int]

BROKER = 4  # beside TOPIC, a kind of resource that has a configuration
SET, DELETE = 0, 1
PREFERRED = 0

RATES = ("leader.replication.throttled.rate", "follower.replication.throttled.rate")
LEADERS, FOLLOWERS = (
    "leader.replication.throttled.replicas",
    "follower.replication.throttled.replicas",
)


class LivePartition(NamedTuple):
    """One partition now; `replicas` and `isr` are without those that are being added."""

    leader: int | None
    replicas: list[int]
    isr: list[int]
    adding: list[int]
    removing: list[int]


class LiveReplicas:
    """Looks at replicas of a cluster, and changes them when told to.

    Raises ConnectionError when no broker answers. What a broker refuses is returned, in words.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._connection: Connection | None = None

    def __enter__(self) -> LiveReplicas:
        return self

    def __exit__(self, *_: object) -> None:
        if self._connection:
            self._connection.__exit__()
        self._connection = None

    @property
    def _brokers(self) -> Connection:
        """A connection to all brokers; a new one when one of them was silent, as it may be back."""
        if self._connection and self._connection.silent:
            self.__exit__()
        if not self._connection:
            try:
                self._connection = Connection(self._cluster)
            except UnreachableError as error:
                raise ConnectionError(str(error)) from None
        return self._connection

    def alive(self) -> set[int]:
        """Brokers that the cluster counts on."""
        return {broker.node_id for broker in self._metadata([]).brokers}

    def partitions(self, topics: Iterable[str] | None = None) -> dict[Name, LivePartition]:
        """All partitions of these topics, or of all."""
        moving, untold = read_reassignments(self._brokers)
        if untold:
            raise ConnectionError(untold[0])
        return {
            (topic.name, one.partition_index): _partition(
                one, moving.get((topic.name, one.partition_index), NOT_MOVING)
            )
            for topic in self._metadata(None if topics is None else sorted(topics)).topics
            for one in topic.partitions
        }

    def move(self, replicas: Mapping[Name, list[int]]) -> dict[Name, str]:
        """Begin to move partitions; those that are refused, and why."""
        of_topic = AlterPartitionReassignmentsRequest.ReassignableTopic
        topics = [
            of_topic(
                name=topic,
                partitions=[
                    of_topic.ReassignablePartition(partition_index=number, replicas=row)
                    for number, row in rows
                ],
            )
            for topic, rows in _by_topic(replicas).items()
        ]
        answer = ask_controller(self._brokers, AlterPartitionReassignmentsRequest(topics=topics))
        if said := refusal(answer):
            return dict.fromkeys(replicas, said)
        return {
            (topic.name, one.partition_index): one.error_message or error_text(one.error_code)
            for topic in answer.responses
            for one in topic.partitions
            if one.error_code
        }

    def elect(self, partitions: Sequence[Name]) -> dict[Name, str]:
        """Let preferred replicas lead; those that can't, and why."""
        of_topic = ElectLeadersRequest.TopicPartitions
        topics = [
            of_topic(topic=topic, partitions=[number for number, _ in rows])
            for topic, rows in _by_topic(dict.fromkeys(partitions)).items()
        ]
        request = ElectLeadersRequest(
            election_type=PREFERRED, topic_partitions=topics, timeout_ms=10_000, min_version=1
        )
        answer = ask_controller(self._brokers, request)
        if said := refusal(answer):
            return dict.fromkeys(partitions, said)
        return {
            (topic.topic, one.partition_id): one.error_message or error_text(one.error_code)
            for topic in answer.replica_election_results
            for one in topic.partition_result
            if one.error_code not in (0, errors.ElectionNotNeededError.errno)
        }

    def throttle(self, steps: Sequence[Any], rate: int) -> list[str]:
        """Let copies of these steps take so many bytes a second of each broker; what failed.

        As kafka-reassign-partitions does: from the replicas that are there, to the new ones.
        """
        leaders: dict[str, list[str]]
        followers: dict[str, list[str]]
        leaders, followers = defaultdict(list), defaultdict(list)
        for step in steps:
            leaders[step.topic] += [f"{step.partition}:{broker}" for broker in step.before]
            new = [broker for broker in step.after if broker not in step.before]
            followers[step.topic] += [f"{step.partition}:{broker}" for broker in new]
        return self._configured(
            dict.fromkeys(self._brokers_of(steps), dict.fromkeys(RATES, str(rate))),
            {
                topic: {LEADERS: ",".join(leaders[topic]), FOLLOWERS: ",".join(followers[topic])}
                for topic in sorted(leaders)
            },
        )

    def unthrottle(self, steps: Sequence[Any]) -> list[str]:
        """Take the throttle of these steps away; what failed."""
        return self._configured(
            dict.fromkeys(self._brokers_of(steps), dict.fromkeys(RATES)),
            {topic: {LEADERS: None, FOLLOWERS: None} for topic in {step.topic for step in steps}},
        )

    def _brokers_of(self, steps: Sequence[Any]) -> list[int]:
        """Those of them that are alive: one that is down can't be told anything."""
        brokers = {broker for step in steps for broker in (*step.before, *step.after)}
        return sorted(brokers & self.alive())

    def _configured(
        self,
        brokers: Mapping[int, Mapping[str, str | None]],
        topics: Mapping[str, Mapping[str, str | None]],
    ) -> list[str]:
        """Set configurations, None taking one away; sentences on what failed.

        A broker's own are asked of itself.
        """
        questions = [(b, _request([(BROKER, str(b), values)])) for b, values in brokers.items()]
        answers = self._brokers.ask(questions)
        of_topics = [(TOPIC, topic, values) for topic, values in topics.items()]
        answers.append(ask_any(self._brokers, _request(of_topics)))
        said = []
        for answer in answers:
            if isinstance(answer, NoAnswer):
                said.append(answer.reason)
                continue
            said += [
                f"{one.resource_name}: {one.error_message or error_text(one.error_code)}"
                for one in answer.responses
                if one.error_code
            ]
        return said

    def _metadata(self, topics: list[str] | None) -> Any:
        one = MetadataRequest.MetadataRequestTopic
        named = None if topics is None else [one(name=name) for name in topics]
        request = MetadataRequest(topics=named, allow_auto_topic_creation=False, min_version=4)
        answer = ask_any(self._brokers, request)
        if isinstance(answer, NoAnswer):
            raise ConnectionError(answer.reason)
        return answer


def _partition(one: Any, moving: Moving) -> LivePartition:
    return LivePartition(
        one.leader_id if one.leader_id >= 0 else None,
        moving.replicas_of(one.replica_nodes),
        moving.replicas_of(one.isr_nodes),
        moving.adding,
        moving.removing,
    )


def _by_topic(values: Mapping[Name, Any]) -> dict[str, list[tuple[int, Any]]]:
    topics: dict[str, list[tuple[int, Any]]] = defaultdict(list)
    for (topic, number), value in sorted(values.items(), key=lambda item: item[0]):
        topics[topic].append((number, value))
    return topics


def _request(resources: Sequence[tuple[int, str, Mapping[str, str | None]]]) -> Any:
    one = IncrementalAlterConfigsRequest.AlterConfigsResource
    return IncrementalAlterConfigsRequest(
        resources=[
            one(
                resource_type=kind,
                resource_name=name,
                configs=[
                    one.AlterableConfig(
                        name=key, config_operation=DELETE if value is None else SET, value=value
                    )
                    for key, value in values.items()
                ],
            )
            for kind, name, values in resources
        ],
        validate_only=False,
    )
