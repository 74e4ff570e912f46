"""What is planted in the history of a made-up fleet."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from spark.demo import events as happens
from spark.demo.events import AWAY, Event
from spark.demo.fleet import MadeFleet
from spark.demo.groups import DemoGroup
from spark.demo.owners import MEMORYLESS
from spark.fleet import CONNECT

Fits = Callable[[DemoGroup], bool]

PLANTED: dict[str, tuple[float, Fits]] = {
    happens.FALLS_BEHIND: (0.004, lambda group: len(group.claims.partitions) >= 6),
    happens.STATIC_DEPLOY: (
        0.02,
        lambda group: all(group.cast.instance_ids) and _members(group) >= 2,
    ),
    happens.DEPLOY: (
        0.08,
        lambda group: _is_dynamic(group, 2) and group.generation > 2 * _members(group),
    ),
    happens.CRASH: (0.03, lambda group: _is_dynamic(group, 4) and group.generation > 2),
    happens.SCALE_OUT: (0.03, lambda group: _is_dynamic(group, 4) and group.generation > 1),
    happens.RENEWED: (0.005, lambda group: _is_dynamic(group, 2)),
}
"""The share of groups to which each of these happens, one at least, and which are fit for it."""

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

    def sample(self, fits: Fits, share: float) -> Iterator[DemoGroup]:
        """Groups that nothing has happened to, as many as that share of the fleet, one at least."""
        groups = self.fleet.groups
        free = [g for g in groups if _is_plain(g) and fits(g) and g.key not in self.taken]
        count = min(len(free), max(1, round(share * len(groups))))
        for at in sorted(self.rng.choice(len(free), count, replace=False)) if free else ():
            self.taken.add(free[at].key)
            yield free[at]


def planted(rng: np.random.Generator, fleet: MadeFleet, hours: int) -> list[Event]:
    """All that happens to a fleet in `hours`."""
    planting = Planting(rng, fleet, hours)
    return [
        *_restless(planting),
        *_growing(planting),
        *(
            _event_for(planting, kind, group)
            for kind, (share, fits) in PLANTED.items()
            for group in planting.sample(fits, share)
        ),
        *_missing(fleet, hours),
    ]


def _is_plain(group: DemoGroup) -> bool:
    """Whether the group has no other fault."""
    owned = bool(group.claims.members.size)
    return group.kind == "ordinary" and owned and group.type != CONNECT and not group.inferred


def _is_dynamic(group: DemoGroup, least: int) -> bool:
    """Whether it has members enough, and none of them a static id."""
    return not any(group.cast.instance_ids) and _members(group) >= least


def _members(group: DemoGroup) -> int:
    return len(group.cast.present)


def _event_for(planting: Planting, kind: str, group: DemoGroup) -> Event:
    hour, cast = planting.hour(), group.cast
    present = cast.present.tolist()
    ids = tuple(cast.member_ids[m] for m in present)
    last, members, rebalances = hour, ids, 0
    if kind == happens.FALLS_BEHIND:
        hour, last, members = 1, planting.hours - 1, ()
    elif kind == happens.STATIC_DEPLOY:
        members = tuple(str(cast.instance_ids[m]) for m in present)
    elif kind == happens.DEPLOY:
        rebalances = 2 * len(present)  # each member leaves and joins
    elif kind == happens.CRASH:
        last, rebalances = hour + AWAY - 1, 2
        members = (ids[int(planting.rng.integers(len(ids)))],)
    elif kind == happens.SCALE_OUT:
        rebalances, members = 1, ids[: max(1, len(ids) // 3)]
    elif kind == happens.RENEWED:
        last, rebalances = hour + AWAY - 1, -happens.GENERATIONS_BEFORE
    return Event(
        kind, planting.fleet.cluster_of(group), group.name, hour, last, members, rebalances
    )


def _restless(planting: Planting) -> Iterator[Event]:
    """The group with the most rebalances has them all the time."""
    plain = filter(_is_plain, planting.fleet.groups)
    most = max(plain, key=lambda item: item.generation, default=None)
    if most and most.generation >= planting.hours:
        planting.taken.add(most.key)
        last = planting.hours - 1
        each, cluster = (most.generation - 1) // last, planting.fleet.cluster_of(most)
        yield Event(happens.RESTLESS, cluster, most.name, 1, last, rebalances=each)


def _growing(planting: Planting) -> Iterator[Event]:
    """Topics are doubled; who reads them rebalances once."""
    topics, fleet = planting.fleet.topics, planting.fleet
    readers: dict[int, list[DemoGroup]] = {}
    for group in fleet.groups:
        for topic in group.topics.tolist():
            readers.setdefault(topic, []).append(group)
    sizes = topics.sizes
    could = (sizes >= 8) & (sizes % 2 == 0) & (sizes == topics.known_sizes)
    fit = [
        topic
        for topic, groups in readers.items()
        if could[topic] and all(_grows_with_it(g) and g.key not in planting.taken for g in groups)
    ]
    for topic in planting.rng.permutation(fit)[: max(1, round(GROWING * len(topics.names)))]:
        keys = {group.key for group in readers[topic]}
        if keys.isdisjoint(planting.taken):
            planting.taken |= keys
            hour, cluster = planting.hour(), fleet.cluster_of(readers[topic][0])
            name, before = topics.names[topic], int(sizes[topic]) // 2
            yield Event(happens.GROWTH, cluster, name, hour, hour, (), 1, before)


def _grows_with_it(group: DemoGroup) -> bool:
    """Whether new partitions leave those alone that were there: Range deals all again."""
    return _is_plain(group) and group.strategy not in MEMORYLESS


def _missing(fleet: MadeFleet, hours: int) -> Iterator[Event]:
    """The last cluster can't be collected for some hours."""
    if len(fleet.clusters) > 1:
        first = hours // 3
        name = fleet.clusters[-1].name
        yield Event(happens.MISSING, name, "", first, first + HOURS_MISSING - 1)
