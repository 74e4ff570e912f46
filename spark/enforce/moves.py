"""Replicas moved in a live cluster: by the requests of Kafka's own tools, answered in words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from kafka import errors
from kafka.protocol.admin import (
    AlterPartitionReassignmentsRequest,
    ElectLeadersRequest,
    IncrementalAlterConfigsRequest,
)

from spark.sources.live.cluster import Cluster
from spark.sources.live.connection import (
    Connection,
    NoAnswer,
    UnreachableError,
    ask_any,
    metadata_request,
    refusal,
)
from spark.sources.live.manager import error_text
from spark.sources.live.partitions import (
    BROKER,
    NOT_MOVING,
    TOPIC,
    LivePartition,
    Resource,
    ask_controller,
    configs_request,
    read_reassignments,
)

Name = tuple[str, int]

Values = dict[str, str | None]
"""Settings by name; None stands for one that isn't set."""

SET, DELETE = 0, 1
PREFERRED = 0

SET_ON = {TOPIC: 1, BROKER: 2}
"""The source of a setting that somebody gave this very resource (KIP-226's ConfigSource)."""

RATES = ("leader.replication.throttled.rate", "follower.replication.throttled.rate")
LEADERS, FOLLOWERS = (
    "leader.replication.throttled.replicas",
    "follower.replication.throttled.replicas",
)


class LiveReplicas:
    """Looks at replicas of a cluster, and changes them when told to.

    Raises ConnectionError when no broker answers. What a broker refuses is returned, in words.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._connection: Connection | None = None
        self._before: dict[Resource, Values] = {}

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
            name: moving.get(name, NOT_MOVING).placed(partition)
            for topic in self._metadata(None if topics is None else sorted(topics)).topics
            for partition in topic.partitions
            for name in [(topic.name, partition.partition_index)]
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
        if text := refusal(answer):
            return dict.fromkeys(replicas, text)
        return {
            (topic.name, partition.partition_index): partition.error_message
            or error_text(partition.error_code)
            for topic in answer.responses
            for partition in topic.partitions
            if partition.error_code
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
        if text := refusal(answer):
            return dict.fromkeys(partitions, text)
        return {
            (topic.topic, partition.partition_id): partition.error_message
            or error_text(partition.error_code)
            for topic in answer.replica_election_results
            for partition in topic.partition_result
            if partition.error_code not in (0, errors.ElectionNotNeededError.errno)
        }

    def throttle(self, steps: Sequence[Any], rate: int) -> list[str]:
        """Limit copies of these steps, in bytes a second of each broker; returns what failed.

        As kafka-reassign-partitions does: from the replicas that are there, to the new ones.
        """
        leaders, followers = (defaultdict[str, list[str]](list) for _ in range(2))
        for step in steps:
            leaders[step.topic] += [f"{step.partition}:{broker}" for broker in step.before]
            new = [broker for broker in step.after if broker not in step.before]
            followers[step.topic] += [f"{step.partition}:{broker}" for broker in new]
        wanted: dict[Resource, Values] = {
            (BROKER, str(broker)): dict.fromkeys(RATES, str(rate))
            for broker in self._brokers_of(steps)
        }
        for topic in sorted(leaders):
            wanted[TOPIC, topic] = {
                LEADERS: ",".join(leaders[topic]),
                FOLLOWERS: ",".join(followers[topic]),
            }
        before, faults = self._settings_of(wanted)
        if faults:
            return faults
        for resource in wanted.keys() - self._before.keys():
            # the same already: a run that stopped has left it
            is_ours = before[resource] == wanted[resource]
            self._before[resource] = (
                dict.fromkeys(wanted[resource]) if is_ours else before[resource]
            )
        return self._configure(wanted)

    def unthrottle(self, steps: Sequence[Any]) -> list[str]:
        """Put back what was set before the throttle of these steps; what failed."""
        resources = [(BROKER, str(broker)) for broker in self._brokers_of(steps)]
        resources += [(TOPIC, topic) for topic in sorted({step.topic for step in steps})]
        before = {
            resource: self._before[resource] for resource in resources if resource in self._before
        }
        if before and (faults := self._configure(before)):
            return faults
        for restored in before:
            del self._before[restored]
        return []

    def _brokers_of(self, steps: Sequence[Any]) -> list[int]:
        """Brokers of the steps that are alive: one that is down can't be told anything."""
        brokers = {broker for step in steps for broker in (*step.before, *step.after)}
        return sorted(brokers & self.alive())

    def _settings_of(
        self, wanted: Mapping[Resource, Values]
    ) -> tuple[dict[Resource, Values], list[str]]:
        """Values of these settings of each resource now, and sentences on what failed."""
        set_now, text = {}, []
        for answer in self._ask_each(
            wanted,
            partial(configs_request, min_version=1),  # the first that tells sources
        ):
            if isinstance(answer, NoAnswer):
                text.append(answer.reason)
                continue
            text += _refusals(answer.results)
            for each in answer.results:
                resource = each.resource_type, each.resource_name
                own = {
                    config.name: config.value
                    for config in each.configs or ()
                    if config.config_source == SET_ON[each.resource_type]
                }
                set_now[resource] = {name: own.get(name) for name in wanted[resource]}
        return set_now, text

    def _configure(self, wanted: Mapping[Resource, Values]) -> list[str]:
        """Set configurations, None taking one away; sentences on what failed."""
        text = []
        for answer in self._ask_each(wanted, _request):
            text += [answer.reason] if isinstance(answer, NoAnswer) else _refusals(answer.responses)
        return text

    def _ask_each(
        self, wanted: Mapping[Resource, Values], request: Callable[[Mapping[Resource, Values]], Any]
    ) -> list[Any]:
        """Answers to a request about resources: each broker's own is asked of itself."""
        questions = [
            (int(name), request({(kind, name): configs}))
            for (kind, name), configs in wanted.items()
            if kind == BROKER
        ]
        topics = {resource: configs for resource, configs in wanted.items() if resource[0] == TOPIC}
        return [*self._brokers.ask(questions), ask_any(self._brokers, request(topics))]

    def _metadata(self, topics: list[str] | None) -> Any:
        answer = ask_any(self._brokers, metadata_request(topics, min_version=4))
        if isinstance(answer, NoAnswer):
            raise ConnectionError(answer.reason)
        return answer


def _by_topic(by_name: Mapping[Name, Any]) -> dict[str, list[tuple[int, Any]]]:
    topics: dict[str, list[tuple[int, Any]]] = defaultdict(list)
    for (topic, number), value in sorted(by_name.items(), key=lambda entry: entry[0]):
        topics[topic].append((number, value))
    return topics


def _refusals(resources: Iterable[Any]) -> list[str]:
    return [
        f"{resource.resource_name}: {resource.error_message or error_text(resource.error_code)}"
        for resource in resources
        if resource.error_code
    ]


def _request(wanted: Mapping[Resource, Values]) -> Any:
    configs_of = IncrementalAlterConfigsRequest.AlterConfigsResource
    return IncrementalAlterConfigsRequest(
        resources=[
            configs_of(
                resource_type=kind,
                resource_name=name,
                configs=[
                    configs_of.AlterableConfig(
                        name=key, config_operation=DELETE if value is None else SET, value=value
                    )
                    for key, value in configs.items()
                ],
            )
            for (kind, name), configs in wanted.items()
        ],
        validate_only=False,
    )
