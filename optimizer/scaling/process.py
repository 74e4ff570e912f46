"""Work of a group over time: arrivals, who reads which partition, what rebalances stop."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from optimizer.coordinator import Parameters, rebalance_cost
from optimizer.model import Group, IntArray, Member, Reals, problem_of
from optimizer.strategies import strategy_named


@dataclass(frozen=True, eq=False)
class Assignments:
    """The strategy's assignment for each size, computed at its first use and kept.

    All members subscribe to all `topics`, whose partitions are numbered topic by topic in order of
    name. The strategy starts with nothing owned, so a size has one assignment, after any other.
    """

    topics: Mapping[str, int]
    strategy: str
    _owners: dict[int, IntArray] = field(default_factory=dict, repr=False)

    @cached_property
    def partitions(self) -> int:
        """Partitions of all topics."""
        return sum(self.topics.values())

    def owners(self, members: int) -> IntArray:
        """The number of the member that reads each partition.

        More members than partitions own nothing more.
        """
        useful = min(members, self.partitions)
        if useful not in self._owners:
            self._owners[useful] = self._assign(useful)
        return self._owners[useful]

    def useful(self, most: int) -> list[int]:
        """Sizes up to `most` of which each has a lower largest load than all that are smaller."""
        all_ = self.partitions
        largest = {-(-all_ // members) for members in range(1, min(most, all_) + 1)}
        return sorted(-(-all_ // load) for load in largest)

    def _assign(self, members: int) -> IntArray:
        digits = len(str(members))
        group = Group(
            dict(self.topics),
            [Member(f"m{number:0{digits}d}", [*self.topics]) for number in range(members)],
        )
        target = strategy_named(self.strategy).assign(problem_of(group).problem).target
        return np.maximum(target, 0)

    def partition_name(self, partition: int) -> str:
        """Topic and number, as Kafka's tools print them: `orders-3`."""
        for topic in sorted(self.topics):
            if partition < self.topics[topic]:
                return f"{topic}-{partition}"
            partition -= self.topics[topic]
        raise IndexError(partition)


LARGEST = 8
"""Members of the largest group that is simulated; larger ones pause as long in proportion."""

EACH = 3
"""Partitions of each member in the small group."""

DELAY_SECONDS = 3.0
"""group.initial.rebalance.delay.ms: an empty group waits so long for more members."""


class ResizeCost(NamedTuple):
    """Cost of one change of size.

    `stop` are the seconds in which nothing is read at all, `moved` those in which a partition is
    unread that goes to another member.
    """

    rebalances: int
    stop: float
    moved: float


@dataclass(frozen=True, eq=False)
class Pauses:
    """Pauses of a group whose members use `strategy`; `static`: they have instance ids.

    The protocol follows from the strategy: eager, cooperative or that of KIP-848. `parameters` are
    Kafka 4.3.1's defaults if None. Each pair of sizes is simulated once, in a small group.
    """

    strategy: str
    static: bool = False
    parameters: Parameters | None = None
    _of_sizes: dict[tuple[int, int], ResizeCost] = field(default_factory=dict, repr=False)

    def between(self, before: int, after: int) -> ResizeCost:
        """The pause of a change from one number of members to another."""
        if before == after or not after:
            return ResizeCost(0, 0.0, 0.0)
        if not before:
            return ResizeCost(1, DELAY_SECONDS, DELAY_SECONDS)
        small = _small(before, after)
        if small not in self._of_sizes:
            self._of_sizes[small] = _cost_of(self.strategy, self.static, self.parameters, *small)
        return self._of_sizes[small]


def _small(before: int, after: int) -> tuple[int, int]:
    """Two sizes in the same proportion and direction, none above `LARGEST`."""
    most = max(before, after)
    if most <= LARGEST:
        return before, after
    low = max(1, min(LARGEST - 1, round(min(before, after) * LARGEST / most)))
    return (low, LARGEST) if before < after else (LARGEST, low)


@cache
def _cost_of(
    strategy: str, static: bool, parameters: Parameters | None, before: int, after: int
) -> ResizeCost:
    topic, partitions = "t", EACH * max(before, after)
    members = [
        Member(
            f"m{number}",
            [topic],
            owned=[
                (topic, partition)
                for partition in range(partitions)
                if partition % before == number
            ],
            instance_id=f"m{number}" if static else None,
        )
        for number in range(before)
    ]
    cost = rebalance_cost(
        Group({topic: partitions}, members), f"members={after}", strategy, parameters
    )
    stopped = [cost.pauses.get((topic, partition), 0.0) for partition in range(partitions)]
    return ResizeCost(max(1, round(cost.rebalances)), min(stopped), max(stopped))


WEEK_SECONDS = 7 * 86_400.0


@dataclass(frozen=True, eq=False)
class Process:
    """A group over `len(edges) - 1` intervals of time.

    `edges` are seconds, `rates` records a second of each interval and partition: constant within
    an interval, since a store knows no more; NaN where one isn't known, and then the interval is
    passed over: nothing arrives, nothing is read, and it doesn't count. `recorded` are the members
    that the group had in each interval. One member reads `peak_rate` records a second at most.
    A member reads `start_seconds` after it was asked for. `lag` are the records behind at the
    beginning, of each partition. `uncommitted` says where the logs of partitions end then that
    the group never committed an offset of; NaN for all others. Partitions are in the order of
    `assignments`.
    """

    edges: Reals
    rates: Reals
    recorded: NDArray[np.int64]
    peak_rate: float
    assignments: Assignments
    pauses: Pauses
    start_seconds: float
    lag: Reals
    uncommitted: Reals

    @property
    def partitions(self) -> int:
        return int(self.rates.shape[1])

    @cached_property
    def is_known(self) -> NDArray[np.bool_]:
        """Whether each interval counts."""
        return np.asarray(~np.isnan(self.rates).any(axis=1))

    @cached_property
    def arrivals(self) -> Reals:
        """The rates, 0 in intervals that don't count."""
        return np.asarray(np.where(self.is_known[:, None], self.rates, 0.0))

    @cached_property
    def total(self) -> Reals:
        """Records a second that come in, by interval."""
        return np.asarray(self.arrivals.sum(axis=1))

    @cached_property
    def usual(self) -> Reals:
        """The mean rate of each partition over the time that counts."""
        lengths = np.diff(self.edges) * self.is_known
        return np.asarray(lengths @ self.arrivals / max(float(lengths.sum()), 1e-9))

    def uncommitted_ends(self, at: float) -> Reals:
        """Where the logs of `uncommitted` partitions end at a time; NaN for all others."""
        passed = (at - self.edges[:-1]).clip(0, np.diff(self.edges))
        return np.asarray(self.uncommitted + passed @ self.arrivals)

    @cached_property
    def hot(self) -> NDArray[np.int64]:
        """Partitions that at times get more than one member can read, the hottest first."""
        most = self.arrivals.max(axis=0, initial=0.0)
        order = np.argsort(-most, kind="stable")
        return np.asarray(order[most[order] > self.peak_rate])

    def hours(self) -> float:
        """Hours that count."""
        return float((np.diff(self.edges) * self.is_known).sum() / 3600)
