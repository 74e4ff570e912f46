"""The made-up fleet's groups that aren't consumer groups: a few of those that were drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from spark.demo.clusters import DemoCluster, Topics
from spark.demo.groups import DemoGroup
from spark.fleet import SHARE, STREAMS

LEAST = 50
"""Groups of a fleet from which on it has some of other kinds."""

STATEFUL = ("sticky", "cooperative-sticky")
"""Strategies whose owners could be those of Kafka Streams' tasks."""


def with_other_kinds(
    fleet: Sequence[DemoGroup], clusters: Sequence[DemoCluster], topics: Topics
) -> list[DemoGroup]:
    """The same groups, of which one is a share group, one a streams group, and one Kafka Streams.

    The first two have nobody: whom a broker has assigned what there isn't in a snapshot. The legacy
    brokers are too old for them. The third is on the classic protocol and owns its tasks.
    """
    if len(fleet) < LEAST:
        return list(fleet)
    idle = [g for g in fleet if g.kind == "empty" and not clusters[g.cluster].is_legacy]
    steady = [g for g in fleet if _is_steady(g, topics)]
    kinds = {group.key: kind for group, kind in zip(idle, (SHARE, STREAMS), strict=False)}
    streams = {group.key for group in steady[:1]}
    return [
        replace(group, type=kinds[group.key], strategy=None)
        if group.key in kinds
        else replace(group, strategy="stream")
        if group.key in streams
        else group
        for group in fleet
    ]


def _is_steady(group: DemoGroup, topics: Topics) -> bool:
    """Whether it is one of those that nothing is planted in, and that have read all topics."""
    known = topics.known_sizes[group.topics] == topics.sizes[group.topics]
    return group.kind == "ordinary" and group.strategy in STATEFUL and bool(known.all())
