"""The facts of one cluster: its brokers, topics and racks, counted once for all findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

BEARS = tuple(
    f"{what}_{parts}" for parts in ("brokers", "racks") for what in ("write", "read", "keep")
)
"""The most brokers, or racks, that may fail, whichever they are: until producers with acks=all lack
in-sync replicas (min.insync.replicas), until readers lack one that can lead, and until no replica
is left. -1: they do even now. Those of racks are null where racks of replicas aren't known."""


class CoordinatedGroup(NamedTuple):
    """A group and its load at its coordinator, members × partitions; `seat` says where that is."""

    load: int
    group: str
    seat: str | None


class Coordinated(NamedTuple):
    """Sums over the groups of a coordinator, whether any of them was inferred, and the heaviest."""

    groups: int = 0
    members: int = 0
    partitions: int = 0
    load: int = 0
    inferred: bool = False
    heaviest: CoordinatedGroup | None = None


@dataclass(kw_only=True)
class ClusterFacts:
    """One cluster of a fleet; its `counts` are those of `cluster_counts`.

    `failures` has a row a topic of which replicas are known: how many `partitions` have such, and
    how much the weakest of them `BEARS`. `coordinated` are groups by broker, `configs` values of
    settings by scope, name and key. `listed` are the brokers of the table of brokers, `keeping`
    those that lead a partition of the topic of offsets.
    """

    name: str
    counts: Mapping[str, Counter[Any]] = field(default_factory=dict)
    failures: Sequence[Mapping[str, Any]] = ()
    coordinated: Mapping[int, Coordinated] = field(default_factory=dict)
    configs: Mapping[tuple[str, str, str], str] = field(default_factory=dict)
    listed: frozenset[int] = frozenset()
    keeping: frozenset[int] = frozenset()

    def __getattr__(self, name: str) -> Counter[Any]:
        """One of the `counts`, by its name."""
        if name in self.counts:
            return self.counts[name]
        raise AttributeError(name)

    @property
    def blanks(self) -> dict[str, object]:
        """Blanks that sentences of all findings may have."""
        return {"cluster": self.name}

    @property
    def coordinators(self) -> dict[int, Coordinated]:
        """Brokers that coordinate groups, or could; none where no group's coordinator is known."""
        every = self.listed | self.keeping | self.coordinated.keys() if self.coordinated else ()
        return {broker: self.coordinated.get(broker, Coordinated()) for broker in sorted(every)}

    @property
    def mean_load(self) -> float:
        """The mean of the loads of these brokers."""
        loads = [broker.load for broker in self.coordinators.values()]
        return sum(loads) / (len(loads) or 1)
