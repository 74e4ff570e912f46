"""One live cluster, asked for everything that a snapshot holds of it."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from kafka import errors
from kafka.protocol.admin import DescribeClusterRequest

from spark.sources.live.cluster import Cluster
from spark.sources.live.connection import Connection, NoAnswer, ask_any, metadata_request
from spark.sources.live.coordinators import list_groups
from spark.sources.live.describe_groups import describe_groups
from spark.sources.live.group import Claim, DescribedGroup
from spark.sources.live.manager import error_text
from spark.sources.live.partitions import (
    Config,
    Moving,
    read_configs,
    read_end_offsets,
    read_reassignments,
    read_start_offsets,
)
from spark.text import list_of

Report = Callable[[int, int], None]
"""Hears how many groups are described, and of how many, whenever that is more."""


def no_report(_done: int, _of: int) -> None:
    """For those who don't ask."""


@dataclass(frozen=True)
class Answers:
    """The answers of a cluster.

    Brokers and topics are those of a MetadataResponse; `moving` are partitions that are being
    reassigned, `start_offsets` those of partitions on which a group is behind. `missing` are
    sentences about what should be here and could not be had, `notes` about the rest; `leaderless`
    are names of topics some of whose partitions have no leader.
    """

    brokers: list[Any]
    topics: list[Any]
    groups: list[DescribedGroup]
    end_offsets: dict[Claim, int]
    missing: list[str]
    notes: list[str]
    moving: dict[Claim, Moving] = field(default_factory=dict)
    leaderless: frozenset[str] = frozenset()
    configs: list[Config] = field(default_factory=list)
    start_offsets: dict[Claim, int] = field(default_factory=dict)


def read_cluster(cluster: Cluster, brokers: Connection, progress: Report = no_report) -> Answers:
    """Ask for the topics, the groups, and how far the groups' partitions go."""
    nodes = sorted(brokers.metadata.brokers, key=lambda broker: broker.node_id)
    topics, notes = _topics(cluster, brokers.metadata.topics)
    moving, untold = read_reassignments(brokers)  # soon after the metadata, to fit it
    listed, unlisted = list_groups(brokers, cluster, [broker.node_id for broker in nodes])
    progress(0, len(listed))
    groups, undescribed = describe_groups(
        brokers, cluster, listed, {topic.name: len(topic.partitions) for topic in topics}
    )
    progress(len(listed), len(listed))
    read = {claim for group in groups for claim in claims_of(group)}
    ends, unknown_ends = read_end_offsets(brokers, topics, read, cluster.retries)
    starts, unknown_starts = read_start_offsets(brokers, topics, _behind(groups, ends))
    configs = read_configs(brokers, (topic.name for topic in topics))
    groups, hidden = mark_hidden(brokers, cluster, groups)
    hidden += [] if listed else hidden_groups(brokers)
    missing = [*unlisted, *undescribed, *unknown_ends, *hidden]
    leaderless = frozenset(t.name for t in topics if any(p.leader_id < 0 for p in t.partitions))
    if leaderless:
        what = "with partitions that have no leader, so that their end is not known"
        notes = [*notes, f"{list_of('topic', leaderless)} {what}"]
    notes += [*untold, *unknown_starts]
    return Answers(nodes, topics, groups, ends, missing, notes, moving, leaderless, configs, starts)


def claims_of(group: DescribedGroup) -> set[Claim]:
    """The partitions that a group owns or has committed an offset for; tasks have no offsets."""
    owned = {claim for member in group.members for claim in member.owned}
    return {claim for claim in owned if claim[0] not in group.tasks} | set(group.committed)


def _behind(groups: Iterable[DescribedGroup], ends: Mapping[Claim, int]) -> set[Claim]:
    """Partitions on which some group has records to read: only there a log's start matters."""
    return {
        claim
        for group in groups
        for claim, committed in group.committed.items()
        if committed < ends.get(claim, 0)
    }


def _topics(cluster: Cluster, all_topics: Iterable[Any]) -> tuple[list[Any], list[str]]:
    """The topics wanted, by name, and notes on those that aren't described."""
    wanted = sorted((t for t in all_topics if t.name in cluster.topics), key=lambda t: t.name)
    refused: dict[str, set[str]] = defaultdict(set)
    for topic in wanted:
        if topic.error_code:
            refused[error_text(topic.error_code)].add(topic.name)
    notes = [f"{list_of('topic', names)} left out: {why}" for why, names in refused.items()]
    return [topic for topic in wanted if not topic.error_code], notes


def mark_hidden(
    brokers: Connection, cluster: Cluster, groups: list[DescribedGroup]
) -> tuple[list[DescribedGroup], list[str]]:
    """The groups with the topics that this user may not describe, and a sentence if there are any.

    The list of all topics leaves those out, and deleted ones. Who asks for a topic by its name
    hears TOPIC_AUTHORIZATION_FAILED of the former alone (KafkaApis.handleTopicMetadataRequest).
    """
    present = {topic.name for topic in brokers.metadata.topics}
    absent = {
        group.name: {t for t in topics_of(group) if t in cluster.topics} - present
        for group in groups
    }
    unknown = sorted({topic for topics in absent.values() for topic in topics})
    if not unknown:
        return groups, []
    answer = ask_any(brokers, metadata_request(unknown, min_version=4))
    if isinstance(answer, NoAnswer):
        hidden = unknown
        sentence = f"{list_of('topic', unknown)} that groups read: {answer.reason}"
    else:
        refused = errors.TopicAuthorizationFailedError.errno
        hidden = [topic.name for topic in answer.topics if topic.error_code == refused]
        sentence = (
            f"{list_of('topic', hidden)} hidden from this user, though groups read them: grant "
        )
        sentence += "Describe on them"
    marked = [
        replace(group, hidden_topics=tuple(sorted(absent[group.name].intersection(hidden))))
        for group in groups
    ]
    return marked, [sentence] if hidden else []


def topics_of(group: DescribedGroup) -> set[str]:
    """Kafka's topics that a group names: subscribed to, owned, or with an offset."""
    subscribed = {topic for member in group.members for topic in member.topics or ()}
    return {topic for topic, _ in claims_of(group)} | subscribed - group.tasks.keys()


def hidden_groups(brokers: Connection) -> list[str]:
    """A sentence if this user may not list all groups; for where no group was listed.

    A broker names the rights that a user has on the cluster to those who may describe it, and so
    list all groups, and no right to others (KIP-430, KIP-700). Before Kafka 2.8 it can't be asked.
    """
    if not brokers.speaks(DescribeClusterRequest, 0):
        return []
    answer = ask_any(brokers, DescribeClusterRequest(include_cluster_authorized_operations=True))
    if isinstance(answer, NoAnswer) or answer.error_code or answer.authorized_operations:
        return []
    return [
        "no group is visible, and this user may not list all: grant Describe on the cluster, or on "
        "the groups"
    ]
