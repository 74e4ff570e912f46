"""The made-up fleet's groups that aren't consumer groups: a few of those that were drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from spark.demo.clusters import DemoCluster, Topics
from spark.demo.groups import DemoGroup
from spark.fleet import CLASSIC, CONNECT, SHARE, STREAMS

LEAST = 50
"""Groups of a fleet from which on it has some of other kinds."""

STATEFUL = ("sticky", "cooperative-sticky")
"""Strategies whose owners could be those of Kafka Streams' tasks, or of Connect's."""


def with_other_kinds(
    fleet: Sequence[DemoGroup], clusters: Sequence[DemoCluster], topics: Topics
) -> list[DemoGroup]:
    """The same groups, of which one each is a share group, a streams group, Streams, and Connect.

    The first two have nobody: whom a broker has assigned what there isn't in a snapshot. The legacy
    brokers are too old for them. The others are on the classic protocol and own their tasks.
    """
    if len(fleet) < LEAST:
        return list(fleet)
    idle = [g for g in fleet if _is_idle(g) and not clusters[g.cluster].is_legacy]
    steady = [g for g in fleet if _is_steady(g, topics)]
    others = [
        replace(group, type=kind, strategy=None)
        for group, kind in zip(idle, (SHARE, STREAMS), strict=False)
    ]
    others += [replace(g, type=CLASSIC, strategy="stream") for g in steady[:1]]
    changed = {group.key: group for group in others}
    changed |= {
        group.key: replace(group, name=f"connect-{group.name}", type=CONNECT, strategy="sessioned")
        for group in steady[1:2]
    }
    return [changed.get(group.key, group) for group in fleet]


def _is_idle(group: DemoGroup) -> bool:
    return group.kind == "empty" and not group.name.startswith("console-consumer")


def _is_steady(group: DemoGroup, topics: Topics) -> bool:
    """Whether it is one of those that nothing is planted in, and that know all partitions."""
    mask = topics.known_sizes[group.topics] == topics.sizes[group.topics]
    return group.kind == "ordinary" and group.strategy in STATEFUL and bool(mask.all())
