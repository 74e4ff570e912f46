"""Which groups are made to rebalance at one time: none that are coupled."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping

HUB = 20
"""Topics that more groups read couple nobody, as in `spark.rollout`."""


def waves(
    groups: Iterable[str], topics: Mapping[str, Collection[str]], at_once: int
) -> list[list[str]]:
    """The groups, at most so many a wave, and no two of a component in one.

    `topics` are those that each group of the cluster reads, of these and of others; groups that
    share one, directly or through others, are of one component.
    """
    component = components(topics)
    waiting: dict[str, list[str]] = defaultdict(list)
    for group in sorted(groups):
        waiting[component.get(group, group)].append(group)
    result = []
    while waiting:
        # those of whom most are waiting first, or they are left for the end, one a wave
        next_ones = sorted(waiting, key=lambda item: (-len(waiting[item]), item))[:at_once]
        result.append([waiting[item].pop(0) for item in next_ones])
        waiting = defaultdict(list, {item: items for item, items in waiting.items() if items})
    return result


def components(topics: Mapping[str, Collection[str]]) -> dict[str, str]:
    """A name for each group's component, of groups and topics."""
    readers = Counter(topic for names in topics.values() for topic in names)
    of_topic: dict[str, str] = {}
    parent: dict[str, str] = {group: group for group in topics}

    def root(group: str) -> str:
        while parent[group] != group:
            parent[group] = parent[parent[group]]
            group = parent[group]
        return group

    for group in sorted(topics):
        for topic in topics[group]:
            if readers[topic] <= HUB:
                item, other = sorted((root(group), root(of_topic.setdefault(topic, group))))
                parent[other] = item
    return {group: root(group) for group in topics}
