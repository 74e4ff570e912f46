"""What is known of one cluster: its brokers, topics and racks, counted once for all findings.

Tasks count the rows that they have; counts of one cluster add up.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

FAILURES = ("write", "read", "keep")
"""Until a partition can't be written with acks=all, can't be read, is lost."""


class CoordinatedGroup(NamedTuple):
    """A group and its load at its coordinator, members × partitions; `seat` says where that is."""

    load: int
    group: str
    seat: str | None


class Smallest(dict[Any, Any]):
    """The smallest value of each key."""

    def add(self, key: Any, value: Any) -> None:
        if key not in self or value < self[key]:
            self[key] = value

    def update(self, other: Smallest) -> None:  # type: ignore[override]
        for key, value in other.items():
            self.add(key, value)


class Largest(Smallest):
    """The largest value of each key."""

    def add(self, key: Any, value: Any) -> None:
        if key not in self or value > self[key]:
            self[key] = value


@dataclass
class ClusterFacts:
    """One cluster of a fleet; what is counted are partitions, unless the text says otherwise.

    By topic: `partitions`, those `with_replicas` that are known, with a `single` one, `at_minimum`
    of replicas in sync (`minimum` is the largest such setting, `fewest` the fewest replicas),
    how many brokers the weakest partition `bears` to fail (`FAILURES`, by topic and position), and
    racks (`bears_racks`), those with a replica `out_of_sync`, and of these those `one_from_loss`,
    with one replica in sync or none,
    `leaderless` ones, those `refusing` records of acks=all, those whose reassignment is `stuck`
    without a leader, or `reversed`.

    By broker: `replicas`, `led` partitions, those of which it is `preferred` leader, of these those
    led by another (`away`), replicas out of sync (`behind`), partitions with which it is in sync
    `alone`; the `rack` of its replicas. `coordinated` counts groups, `members`, `read` partitions
    and `load` of the groups that it coordinates, `inferred` those whose coordinator was inferred,
    and `heaviest` is its group of most load.

    By rack: `racks` counts replicas of partitions with several, whose racks are known; `held` are
    partitions of these that the rack has all of. The first partition of each is in `first_…`.
    `listed` are the brokers of the table of brokers, `keeping` those that lead a partition of the
    topic of offsets. `configs` are values of settings by scope, name and key.
    """

    name: str
    partitions: Counter[str] = field(default_factory=Counter)
    with_replicas: Counter[str] = field(default_factory=Counter)
    single: Counter[str] = field(default_factory=Counter)
    at_minimum: Counter[str] = field(default_factory=Counter)
    minimum: Largest = field(default_factory=Largest)
    fewest: Smallest = field(default_factory=Smallest)
    bears: Smallest = field(default_factory=Smallest)
    bears_racks: Smallest = field(default_factory=Smallest)
    out_of_sync: Counter[str] = field(default_factory=Counter)
    one_from_loss: Counter[str] = field(default_factory=Counter)
    leaderless: Counter[str] = field(default_factory=Counter)
    first_leaderless: Smallest = field(default_factory=Smallest)
    refusing: Counter[str] = field(default_factory=Counter)
    first_refusing: Smallest = field(default_factory=Smallest)
    stuck: Counter[str] = field(default_factory=Counter)
    first_stuck: Smallest = field(default_factory=Smallest)
    reversed: Counter[str] = field(default_factory=Counter)
    first_reversed: Smallest = field(default_factory=Smallest)

    replicas: Counter[int] = field(default_factory=Counter)
    led: Counter[int] = field(default_factory=Counter)
    preferred: Counter[int] = field(default_factory=Counter)
    away: Counter[int] = field(default_factory=Counter)
    behind: Counter[int] = field(default_factory=Counter)
    first_behind: Smallest = field(default_factory=Smallest)
    alone: Counter[int] = field(default_factory=Counter)
    first_alone: Smallest = field(default_factory=Smallest)
    rack: Largest = field(default_factory=Largest)
    coordinated: Counter[int] = field(default_factory=Counter)
    members: Counter[int] = field(default_factory=Counter)
    read: Counter[int] = field(default_factory=Counter)
    load: Counter[int] = field(default_factory=Counter)
    inferred: Counter[int] = field(default_factory=Counter)
    heaviest: Largest = field(default_factory=Largest)

    racks: Counter[str] = field(default_factory=Counter)
    held: Counter[str] = field(default_factory=Counter)
    first_held: Smallest = field(default_factory=Smallest)
    configs: dict[tuple[str, str, str], str] = field(default_factory=dict)
    listed: frozenset[int] = frozenset()
    keeping: frozenset[int] = frozenset()

    def add(self, other: ClusterFacts) -> None:
        """Count what other tasks have counted as well."""
        for item in fields(self):
            value = getattr(self, item.name)
            if isinstance(value, dict):
                value.update(getattr(other, item.name))

    def add_group(self, row: Any) -> None:
        """Count a group whose coordinator is known."""
        broker, load = row.coordinator, row.members * row.partitions
        self.coordinated[broker] += 1
        self.members[broker] += row.members
        self.read[broker] += row.partitions
        self.load[broker] += load
        self.inferred[broker] += bool(row.inferred)
        self.heaviest.add(broker, CoordinatedGroup(load, row.group, row.seat))

    @property
    def coordinators(self) -> list[int]:
        """Brokers that coordinate groups, or could; none where no group's coordinator is known."""
        every = self.listed | self.keeping | self.coordinated.keys()
        return sorted(every) if self.coordinated else []

    @property
    def mean_load(self) -> float:
        """Of those brokers."""
        return self.load.total() / (len(self.coordinators) or 1)
