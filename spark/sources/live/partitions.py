"""Facts of partitions that metadata lacks: their ends, moves under way, and settings."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from itertools import groupby
from typing import Any, NamedTuple

from kafka import errors
from kafka.protocol.admin import DescribeConfigsRequest, ListPartitionReassignmentsRequest
from kafka.protocol.consumer import ListOffsetsRequest, OffsetSpec

from spark.fleet import BROKER_CONFIGS, TOPIC_CONFIGS
from spark.sources.live.connection import Connection, NoAnswer, ask_any, attempts, metadata_request
from spark.sources.live.group import Claim
from spark.sources.live.manager import error_text

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
    brokers: Connection, topics: Iterable[Any], wanted: Set[Claim], retries: int
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
    brokers: Connection, topics: Iterable[Any], wanted: Set[Claim]
) -> tuple[dict[Claim, int], list[str]]:
    """Where the logs of those partitions wanted begin that have a leader, and what isn't known."""
    starts, _ = _ask(brokers, _leaders(topics, wanted), OffsetSpec.EARLIEST)
    return _offsets_and_reasons(starts, "start")


def _offsets_and_reasons(offsets: Offsets, what: str) -> tuple[dict[Claim, int], list[str]]:
    """The offsets that brokers told, and why the others aren't known."""
    answered = {
        claim: offset for claim, offset in offsets.items() if not isinstance(offset, NoAnswer)
    }
    refused = Counter(offset.reason for offset in offsets.values() if isinstance(offset, NoAnswer))
    return answered, [f"the {what} of {count} partitions: {why}" for why, count in refused.items()]


def _leaders(topics: Iterable[Any], wanted: Set[Claim]) -> dict[Claim, int]:
    """Leaders of the partitions wanted, as far as they have one."""
    return {
        claim: partition.leader_id
        for topic in topics
        for partition in topic.partitions
        if partition.leader_id >= 0 and (claim := (topic.name, partition.partition_index)) in wanted
    }


def _topics_now(brokers: Connection, partitions: Iterable[Claim]) -> list[Any]:
    names = sorted({topic for topic, _ in partitions})
    answer = ask_any(brokers, metadata_request(names, min_version=1))
    return [] if isinstance(answer, NoAnswer) else list(answer.topics)


def _ask(
    brokers: Connection, leaders: dict[Claim, int], spec: OffsetSpec
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
    answers = brokers.ask(
        [(leader, _offset_request(partitions, spec)) for leader, partitions in batches]
    )
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


def _offset_request(partitions: Iterable[Claim], spec: OffsetSpec) -> Any:
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


LivePartition = tuple[int | None, list[int], list[int], list[int], list[int]]
"""Leader, replicas without those that are being added, those in sync, adding, removing."""


class Moving(NamedTuple):
    """A partition that is being reassigned: ids of brokers that come and that go."""

    adding: list[int]
    removing: list[int]

    def placed(self, metadata: Any) -> LivePartition:
        """The partition by its metadata, which names the replicas that are being added as well."""
        replicas, isr = (
            [node for node in nodes if node not in self.adding]
            for nodes in (metadata.replica_nodes, metadata.isr_nodes)
        )
        leader = metadata.leader_id if metadata.leader_id >= 0 else None
        return leader, replicas, isr, self.adding, self.removing


NOT_MOVING = Moving([], [])


def read_reassignments(brokers: Connection) -> tuple[dict[Claim, Moving], list[str]]:
    """All partitions that are being reassigned (KIP-455), and a note where that isn't told.

    Before Kafka 2.4 nobody can be asked.
    """
    if not brokers.speaks(ListPartitionReassignmentsRequest, 0):
        return {}, []
    answer = ask_controller(brokers, ListPartitionReassignmentsRequest(topics=None))
    if isinstance(answer, NoAnswer):
        return {}, [f"partitions that are being reassigned: {answer.reason}"]
    if answer.error_code:
        return {}, [f"partitions that are being reassigned: {error_text(answer.error_code)}"]
    return {
        (topic.name, partition.partition_index): Moving(
            list(partition.adding_replicas), list(partition.removing_replicas)
        )
        for topic in answer.topics
        for partition in topic.partitions
    }, []


def ask_controller(brokers: Connection, request: Any) -> Any:
    """The answer of the controller.

    Brokers pass what is for it on to a KRaft controller; of ZooKeeper's time it is one of them,
    whom metadata names.
    """
    ids: list[int] = [broker.node_id for broker in brokers.metadata.brokers]
    named: Any = getattr(brokers.metadata, "controller_id", None)
    (answer,) = brokers.ask([(named if named in ids else ids[0], request)])
    if isinstance(answer, NoAnswer) or answer.error_code == errors.NotControllerError.errno:
        return ask_any(brokers, request)
    return answer


TOPIC, BROKER = 2, 4  # the kinds of resource

Resource = tuple[int, str]
"""The kind and the name of a resource."""

TOPICS_A_REQUEST = 10_000

"""Settings are asked for by name, so that no secret is ever answered."""

KINDS = {TOPIC: "topic", BROKER: "broker"}


class Config(NamedTuple):
    """A setting as it counts, a default included; `name` is a topic's, or a broker's id."""

    scope: str
    name: str
    key: str
    value: str


def read_configs(brokers: Connection, topics: Iterable[str]) -> list[Config]:
    """Settings of topics and brokers, as far as one may read them, and the cluster's own id.

    Nothing else here needs the right to describe configurations: without it, none are known.
    """
    own = brokers.metadata.cluster_id
    configs = [Config("cluster", "", "cluster.id", own)] if own else []
    if not brokers.speaks(DescribeConfigsRequest, 0):
        return configs
    names = list(topics)
    for start in range(0, len(names), TOPICS_A_REQUEST):
        topics_asked = {(TOPIC, name): TOPIC_CONFIGS for name in names[start:][:TOPICS_A_REQUEST]}
        configs += _configs_in(ask_any(brokers, configs_request(topics_asked)))
    ids = [broker.node_id for broker in brokers.metadata.brokers]
    asked = [(node, configs_request({(BROKER, str(node)): BROKER_CONFIGS})) for node in ids]
    for answer in brokers.ask(asked):
        configs += _configs_in(answer)
    return sorted(configs)


def configs_request(
    wanted: Mapping[Resource, Iterable[str]], min_version: int = 0
) -> DescribeConfigsRequest:
    """A request for these settings of each resource."""
    of_resource = DescribeConfigsRequest.DescribeConfigsResource
    resources = [
        of_resource(resource_type=kind, resource_name=name, configuration_keys=[*keys])
        for (kind, name), keys in wanted.items()
    ]
    return DescribeConfigsRequest(resources=resources, min_version=min_version)


def _configs_in(answer: Any) -> Iterator[Config]:
    if isinstance(answer, NoAnswer):
        return
    for resource in answer.results:
        keys = TOPIC_CONFIGS if resource.resource_type == TOPIC else BROKER_CONFIGS
        for config in () if resource.error_code else resource.configs or ():
            if config.name in keys and config.value:
                kind = KINDS[resource.resource_type]
                yield Config(kind, resource.resource_name, config.name, config.value)
