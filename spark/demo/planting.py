"""What is planted in the history of a made-up fleet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from spark.demo.clusters import OFFSETS_TOPIC
from spark.demo.events import (
    ABANDONED,
    AWAY,
    CRASH,
    DEPLOY,
    FALLS_BEHIND,
    GENERATIONS_BEFORE,
    GROWTH,
    MISSING,
    RENEWED,
    RESTLESS,
    SCALE_OUT,
    STATIC_DEPLOY,
    UNREAD,
    Event,
)
from spark.demo.fleet import MadeFleet
from spark.demo.groups import DemoGroup
from spark.demo.owners import MEMORYLESS
from spark.fleet import CONNECT

SHARES = {
    FALLS_BEHIND: 0.004,
    STATIC_DEPLOY: 0.02,
    DEPLOY: 0.08,
    CRASH: 0.03,
    SCALE_OUT: 0.03,
    RENEWED: 0.005,
}
"""Share of the groups to which each of these happens: one at least, where a group is fit for it."""

GROWING = 0.005
"""Share of the topics that grow, one at least."""

HOURS_MISSING = 6


@dataclass
class Planting:
    """A fleet to which things happen; each group is chosen once."""

    rng: np.random.Generator
    fleet: MadeFleet
    hours: int
    taken: set[tuple[int, str]] = field(default_factory=set)

    def hour(self) -> int:
        """The number of a snapshot that has others before it and after it."""
        return int(self.rng.integers(2, self.hours - AWAY - 1))

    def sample(self, fits: Callable[[DemoGroup], bool], share: float) -> Iterator[DemoGroup]:
        """Groups that nothing has happened to, as many as that share of the fleet, one at least."""
        free = [group for group in self.fleet.groups if _is_plain(group) and fits(group)]
        free = [item for item in free if item.key not in self.taken]
        count = min(len(free), max(1, round(share * len(self.fleet.groups))))
        for at in sorted(self.rng.choice(len(free), count, replace=False)) if free else ():
            self.taken.add(free[at].key)
            yield free[at]

    def cluster(self, of: DemoGroup) -> str:
        """The name of a group's cluster."""
        return self.fleet.clusters[of.cluster].name


def planted(rng: np.random.Generator, fleet: MadeFleet, hours: int) -> list[Event]:
    """All that happens to a fleet in so many hours."""
    planting = Planting(rng, fleet, hours)
    return [
        *_restless(planting),
        *_growing(planting),
        *(
            _event_for(planting, kind, group)
            for kind, share in SHARES.items()
            for group in planting.sample(FIT[kind], share)
        ),
        *_of_nobody(planting),
        *_missing(planting),
    ]


def _is_plain(group: DemoGroup) -> bool:
    """Whether nothing else is the matter with the group."""
    owned = bool(group.claims.members.size)
    return group.kind == "ordinary" and owned and group.type != CONNECT and not group.inferred


def _is_dynamic(group: DemoGroup) -> bool:
    return not any(group.cast.instance_ids)


def _members(group: DemoGroup) -> int:
    return len(group.cast.present)


FIT: dict[str, Callable[[DemoGroup], bool]] = {
    FALLS_BEHIND: lambda item: len(item.claims.partitions) >= 6,
    STATIC_DEPLOY: lambda item: all(item.cast.instance_ids) and _members(item) >= 2,
    DEPLOY: lambda item: (
        _is_dynamic(item) and _members(item) >= 2 and item.generation > 2 * _members(item)
    ),
    CRASH: lambda item: _is_dynamic(item) and _members(item) >= 4 and item.generation > 2,
    SCALE_OUT: lambda item: _is_dynamic(item) and _members(item) >= 4 and item.generation > 1,
    RENEWED: lambda item: _is_dynamic(item) and _members(item) >= 2,
}
"""To which groups which of these can happen."""


def _event_for(planting: Planting, kind: str, group: DemoGroup) -> Event:
    hour, cast = planting.hour(), group.cast
    there = cast.present.tolist()
    ids = tuple(cast.member_ids[m] for m in there)
    last, members, rebalances = hour, ids, 0
    if kind == FALLS_BEHIND:
        hour, last, members = 1, planting.hours - 1, ()
    elif kind == STATIC_DEPLOY:
        members = tuple(str(cast.instance_ids[m]) for m in there)
    elif kind == DEPLOY:
        rebalances = 2 * len(there)  # each member leaves and joins
    elif kind == CRASH:
        last, rebalances = hour + AWAY - 1, 2
        members = (ids[int(planting.rng.integers(len(ids)))],)
    elif kind == SCALE_OUT:
        rebalances, members = 1, ids[: max(1, len(ids) // 3)]
    elif kind == RENEWED:
        last, rebalances = hour + AWAY - 1, -GENERATIONS_BEFORE
    return Event(kind, planting.cluster(group), group.name, hour, last, members, rebalances)


def _restless(planting: Planting) -> Iterator[Event]:
    """The group with the most rebalances has them all the time."""
    plain = filter(_is_plain, planting.fleet.groups)
    most = max(plain, key=lambda item: item.generation, default=None)
    if most and most.generation >= planting.hours:
        planting.taken.add(most.key)
        each = (most.generation - 1) // (planting.hours - 1)
        last = planting.hours - 1
        cluster = planting.cluster(most)
        yield Event(RESTLESS, cluster, most.name, 1, last, rebalances=each)


def _growing(planting: Planting) -> Iterator[Event]:
    """Topics are doubled; who reads them rebalances once."""
    topics, readers = planting.fleet.topics, _readers(planting.fleet)
    fit = [
        topic
        for topic, groups in readers.items()
        if topics.sizes[topic] >= 8
        and topics.sizes[topic] % 2 == 0
        and topics.sizes[topic] == topics.known_sizes[topic]
        and all(_grows_with_it(group) and group.key not in planting.taken for group in groups)
    ]
    for topic in planting.rng.permutation(fit)[: max(1, round(GROWING * len(topics.names)))]:
        groups = readers[topic]
        if not any(group.key in planting.taken for group in groups):
            planting.taken |= {group.key for group in groups}
            hour, before = planting.hour(), int(topics.sizes[topic]) // 2
            cluster, name = planting.cluster(groups[0]), topics.names[topic]
            yield Event(GROWTH, cluster, name, hour, hour, (), 1, before)


def _grows_with_it(group: DemoGroup) -> bool:
    """Whether new partitions leave those alone that were there: Range deals all anew."""
    return _is_plain(group) and group.strategy not in MEMORYLESS


def _readers(fleet: MadeFleet) -> dict[int, list[DemoGroup]]:
    """The groups of each topic that any reads or has read."""
    result: dict[int, list[DemoGroup]] = {}
    for group in fleet.groups:
        for topic in group.topics.tolist():
            result.setdefault(topic, []).append(group)
    return result


def _of_nobody(planting: Planting) -> Iterator[Event]:
    """Groups without members that commit nothing, and topics that no group knows."""
    fleet, last = planting.fleet, planting.hours - 1
    for group in fleet.groups:
        if group.kind == "empty":
            yield Event(ABANDONED, planting.cluster(group), group.name, 0, last)
    read = _readers(fleet)
    for topic, name in enumerate(fleet.topics.names):
        if topic not in read and name != OFFSETS_TOPIC:
            cluster = fleet.clusters[int(fleet.topics.cluster[topic])].name
            yield Event(UNREAD, cluster, name, 0, last)


def _missing(planting: Planting) -> Iterator[Event]:
    """The last cluster can't be collected for some hours."""
    clusters: Sequence[str] = [cluster.name for cluster in planting.fleet.clusters]
    if len(clusters) > 1:
        first = planting.hours // 3
        yield Event(MISSING, clusters[-1], "", first, first + HOURS_MISSING - 1)
