"""The troubles that a made-up fleet is given: what an audit of it has to find."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from spark.demo.clusters import DOWN_BROKER, SLOW_BROKER, DemoCluster, Placement, Topics
from spark.demo.fleet import MadeFleet
from spark.demo.groups import DemoGroup


class Trouble(NamedTuple):
    """What an audit has to tell; `group` is None where the cluster as a whole is meant."""

    cluster: str
    group: str | None
    finding: str
    subject: str


OF_WHOLE_GROUP = {
    "idle": ("idle-members", "unbalanced", "range-skew"),
    "overprovisioned": ("spare-members",),
    "joining": ("idle-members",),
    "stopping": ("eager-rebalances",),
    "shuffled": ("avoidable-moves",),
    "restarting": ("restarting-members",),
}
OF_FIRST_TOPIC = {"hot": "lag-on-few-partitions", "stalled": "stalled-partitions"}
"""What the trouble of each kind of group is called."""


def troubles_of(made: MadeFleet) -> list[Trouble]:
    """All that is planted in a fleet."""
    clusters, topics = made.clusters, made.topics
    of_groups = (
        trouble
        for group in made.groups
        for trouble in _troubles_of_group(group, clusters[group.cluster], topics)
    )
    return [*_troubles_of_clusters(clusters, topics, made.placed), *of_groups]


def _troubles_of_group(group: DemoGroup, cluster: DemoCluster, topics: Topics) -> Iterator[Trouble]:
    """What is planted in a group, by what it was made to be."""
    for finding, subject in _planted(group, topics):
        yield Trouble(cluster.name, group.name, finding, subject)


def _planted(group: DemoGroup, topics: Topics) -> Iterator[tuple[str, str]]:
    for finding in OF_WHOLE_GROUP.get(group.kind, ()):
        yield finding, f"group {group.name}"
    if group.kind in OF_FIRST_TOPIC:
        yield OF_FIRST_TOPIC[group.kind], f"topic {topics.names[group.topics[0]]}"
    if group.kind in ("hot", "slow"):
        yield "lag-on-one-member", _member(group, group.slow_member)
    if group.kind == "departed":
        for gone in np.setdiff1d(group.claims.members, group.cast.present):
            yield "owner-gone", _member(group, gone)
    if group.kind == "disputed":
        yield from _disputes(group, topics)
    if group.state == "Stable":
        for topic in group.topics[topics.known_sizes[group.topics] < topics.sizes[group.topics]]:
            yield "unread-partitions", f"topic {topics.names[topic]}"


def _disputes(group: DemoGroup, topics: Topics) -> Iterator[tuple[str, str]]:
    """The rival has missed a rebalance, or is of the owners' generation."""
    rival = group.claims.members[-1]
    if group.cast.generations[rival] < group.generation:
        yield "stale-claims", _member(group, rival)
        return
    partitions, times = np.unique(group.claims.partitions, return_counts=True)
    of = np.repeat(group.topics, topics.known_sizes[group.topics])
    for topic in np.unique(of[partitions[times > 1]]):
        yield "claimed-twice", f"topic {topics.names[topic]}"


def _member(group: DemoGroup, member: int) -> str:
    return f"member {group.cast.member_ids[member]}"


def _troubles_of_clusters(
    clusters: Sequence[DemoCluster], topics: Topics, placed: Placement
) -> Iterator[Trouble]:
    """What a broker that is down, or doesn't keep pace, brings with it."""
    if not (placed.replicas & ~placed.in_sync).any():
        return
    yield Trouble(clusters[0].name, None, "under-replicated", f"broker {SLOW_BROKER}")
    for cluster in clusters:
        if cluster.is_legacy:
            for finding in ("under-replicated", "not-preferred-leader"):
                yield Trouble(cluster.name, None, finding, f"broker {DOWN_BROKER}")
    alone = (placed.replicas.sum(axis=1) > 1) & (placed.in_sync.sum(axis=1) == 1)
    of_cluster = topics.cluster[topics.of_partition[alone]]
    brokers = placed.brokers[alone][placed.in_sync[alone]]
    for cluster, broker in sorted(set(zip(of_cluster.tolist(), brokers.tolist(), strict=True))):
        yield Trouble(clusters[cluster].name, None, "offline-if-broker-fails", f"broker {broker}")
    for topic in np.unique(topics.of_partition[~placed.led]):
        name = clusters[topics.cluster[topic]].name
        yield Trouble(name, None, "leaderless", f"topic {topics.names[topic]}")
