"""Which groups there are: each broker lists those that it coordinates."""

import time
from collections.abc import Container, Sequence
from typing import Any, NamedTuple

from kafka.protocol.admin import ListGroupsRequest

from spark.fleet import CLASSIC, OFFSETS_TOPIC, OTHER, TYPES, type_of_protocol
from spark.sources.live.cluster import Cluster
from spark.sources.live.connection import PAUSE, Brokers, NoAnswer, attempts
from spark.sources.live.coordinators import MOVED
from spark.sources.live.error_text import error_text
from spark.text import named


class Listed(NamedTuple):
    """A group, by its coordinator; before Kafka 3.8 every group is of the classic protocol.

    `protocol` is Kafka's name of that: classic, consumer, share, streams. `type` is one of
    `spark.fleet.TYPES`, and `state` empty before Kafka 2.6.
    """

    coordinator: int
    protocol: str
    type: str
    state: str


SETTLES_IN = 4 * PAUSE  # seconds


def list_groups(
    brokers: Brokers,
    cluster: Cluster,
    nodes: Sequence[int],
    wanted: Container[str] | None = None,
) -> tuple[dict[str, Listed], list[str]]:
    """The groups wanted, and a sentence for each broker, or partition, whose groups are missing.

    Those that the cluster's settings name are wanted, unless `wanted` says which are.
    A broker that hasn't heard yet that it coordinates more groups than before lists none of them,
    and gives no error: where replicas are out of sync, so that this may be, all are asked twice.
    """
    kept_in = [
        partition
        for topic in brokers.metadata.topics
        if topic.name == OFFSETS_TOPIC
        for partition in topic.partitions
    ]
    wanted = cluster.groups if wanted is None else wanted
    listed, missing = _list_groups(brokers, cluster.retries, nodes, wanted)
    if any(len(partition.isr_nodes) < len(partition.replica_nodes) for partition in kept_in):
        time.sleep(SETTLES_IN)
        more, missing = _list_groups(brokers, cluster.retries, nodes, wanted)
        listed |= more
    leaderless = [str(p.partition_index) for p in kept_in if p.leader_id < 0]
    if leaderless:
        which = named("partition", leaderless)
        missing.append(f"{which} of {OFFSETS_TOPIC} without a leader: their groups are missing")
    return listed, missing


def _list_groups(
    brokers: Brokers, retries: int, nodes: Sequence[int], wanted: Container[str]
) -> tuple[dict[str, Listed], list[str]]:
    """Ask once; a broker that says that it still loads its groups is asked again."""
    listed: dict[str, Listed] = {}
    missing: dict[int, str] = {}
    for _ in attempts(retries):
        answers = brokers.ask([(node, ListGroupsRequest(min_version=0)) for node in nodes])
        loading = []
        for node, answer in zip(nodes, answers, strict=True):
            missing.pop(node, None)
            if isinstance(answer, NoAnswer):
                missing[node] = answer.reason
            elif answer.error_code:
                missing[node] = f"broker {node} says {error_text(answer.error_code)}"
                loading += [node] if answer.error_code in MOVED else []
            else:
                listed |= {
                    group.group_id: _listed(node, group)
                    for group in answer.groups
                    if group.group_id in wanted
                }
        nodes = loading
        if not nodes:
            break
    lost = "the groups that it coordinates are missing"
    return listed, [f"{reason}: {lost}" for reason in missing.values()]


def _listed(node: int, group: Any) -> Listed:
    protocol = (group.group_type or CLASSIC).lower()
    if protocol == CLASSIC:
        kind = type_of_protocol(group.protocol_type)
    else:
        kind = protocol if protocol in TYPES else OTHER
    return Listed(node, protocol, kind, group.group_state or "")
