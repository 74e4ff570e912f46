"""One group of a live cluster: what it is like now."""

from __future__ import annotations

from typing import Any

from kafka.protocol.admin import DescribeGroupsRequest
from kafka.protocol.metadata import FindCoordinatorRequest

from spark.sources.live.classic_group import read_classic_group
from spark.sources.live.cluster import Cluster
from spark.sources.live.connection import Connection, NoAnswer
from spark.sources.live.error_text import error_text
from spark.sources.live.group import DescribedGroup, unknown


def read_group(brokers: Connection, cluster: Cluster, name: str) -> DescribedGroup:
    """A group of the classic protocol as its coordinator describes it, or with why it can't."""
    node = coordinator_of(brokers, name)
    if isinstance(node, NoAnswer):
        return unknown(name, node.reason)
    (answer,) = brokers.ask([(node, DescribeGroupsRequest(groups=[name]))])
    if isinstance(answer, NoAnswer):
        return unknown(name, answer.reason)
    described = answer.groups[0]
    if described.error_code:
        return unknown(name, described.error_message or error_text(described.error_code))
    return read_classic_group(described, cluster)


def coordinator_of(brokers: Connection, name: str) -> Any:
    """The node that coordinates a group; NoAnswer if no broker knows it."""
    reason = "the cluster has no brokers"
    for broker in brokers.metadata.brokers:
        request = FindCoordinatorRequest(key_type=0, coordinator_keys=[name], min_version=4)
        (answer,) = brokers.ask([(broker.node_id, request)])
        if isinstance(answer, NoAnswer):
            reason = answer.reason
        elif answer.coordinators[0].error_code:
            reason = error_text(answer.coordinators[0].error_code)
        else:
            return answer.coordinators[0].node_id
    return NoAnswer(reason)
