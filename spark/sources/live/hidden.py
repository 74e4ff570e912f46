"""What the brokers keep from a user who lacks rights: they leave it out, without an error."""

from __future__ import annotations

from collections.abc import Iterable

from kafka import errors
from kafka.protocol.admin import DescribeClusterRequest
from kafka.protocol.metadata import MetadataRequest

from spark.sources.live.connection import Brokers, NoAnswer, ask_any
from spark.text import named


def hidden_topics(brokers: Brokers, read: Iterable[str]) -> list[str]:
    """A sentence if groups read topics that this user may not describe; `read` names all of theirs.

    The list of all topics leaves those out, and deleted ones. Who asks for a topic by its name
    hears TOPIC_AUTHORIZATION_FAILED of the former alone (KafkaApis.handleTopicMetadataRequest).
    """
    unknown = sorted(set(read) - {topic.name for topic in brokers.metadata.topics})
    if not unknown:
        return []
    by_name = MetadataRequest.MetadataRequestTopic
    request = MetadataRequest(
        topics=[by_name(name=name) for name in unknown],
        allow_auto_topic_creation=False,
        min_version=4,
    )
    answer = ask_any(brokers, request)
    if isinstance(answer, NoAnswer):
        return [f"{named('topic', unknown)} that groups read: {answer.reason}"]
    refused = errors.TopicAuthorizationFailedError.errno
    hidden = [topic.name for topic in answer.topics if topic.error_code == refused]
    what = "hidden from this user, though groups read them: grant Describe on them"
    return [f"{named('topic', hidden)} {what}"] if hidden else []


def hidden_groups(brokers: Brokers) -> list[str]:
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
