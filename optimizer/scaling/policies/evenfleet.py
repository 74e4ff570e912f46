"""Evenfleet's own policy: the members that the rates need, at sizes that are worth a rebalance."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from optimizer.model import IntArray, Reals
from optimizer.scaling.policies.policy import Decider, PolicyError, Signals, Window, check_limits
from optimizer.scaling.process import WEEK_SECONDS, Process

HEADROOM = 0.7
"""How much of its peak rate a member shall have to do at most."""

NARROW = 0.9
"""Share of its peak rate to do at most, where even the largest size hardly leaves more room."""

ALMOST = 1 - 1e-9
"""A size that is enough for less than that share of what the best is enough for is worse."""


class UsefulSizes:
    """For each group the useful sizes up to `most`, and the rate that each is enough for.

    A size is enough where the most loaded member has at most `headroom` × its peak rate to do,
    while partitions share the rate as they do on average. Room isn't worth any number of members,
    where heavy partitions make it dear: a size that reads at its peak all that the largest size
    reads with that headroom, or `HEADROOM`, is enough up to `NARROW` × its peak rate. Where a hot
    partition is too much for any size, the smallest counts that is no worse than the largest.
    """

    def __init__(self, processes: Sequence[Process], headroom: float, most: int = 1000) -> None:
        of_group = [process.assignments.useful(most) for process in processes]
        width = max(map(len, of_group), default=1)
        self.sizes: IntArray = np.array([_pad(sizes, width) for sizes in of_group], np.int64)
        self.enough: Reals = np.full(self.sizes.shape, np.inf)
        for at, (process, sizes) in enumerate(zip(processes, of_group, strict=True)):
            shares = np.array([_largest_share(process, size) for size in sizes])
            capacity = np.maximum.accumulate(process.peak_rate / shares)
            best = int((capacity < capacity[-1] * ALMOST).sum())
            is_narrow = capacity >= max(headroom, HEADROOM) * capacity[-1]
            room = np.where(is_narrow, max(headroom, NARROW), headroom)
            self.enough[at, :best] = (room * capacity)[:best]

    def at_rates(self, rates: Reals) -> IntArray:
        """The smallest useful size that is enough for each group's rate; the best if none is."""
        at: NDArray[np.int64] = (self.enough < rates[:, None]).sum(axis=1)
        return np.take_along_axis(self.sizes, at[:, None], axis=1)[:, 0]


def _largest_share(process: Process, members: int) -> float:
    """Of the rate, that of the most loaded member."""
    weights = process.usual if process.usual.any() else np.ones(process.partitions)
    loads = np.bincount(process.assignments.owners(members), weights)
    return float(loads.max() / weights.sum())


def _pad(sizes: list[int], width: int) -> list[int]:
    return [*sizes, *[sizes[-1]] * (width - len(sizes))]


@dataclass(frozen=True)
class Evenfleet:
    """The fewest members of which none has more to do than `headroom` × its peak rate.

    Somewhat more where heavy partitions would take many members for that (`UsefulSizes`). Only
    sizes count that lower the largest load: 24 partitions are read by 1, 2, 3, 4, 5, 6, 8, 12 or 24
    members. It grows at once, also for the lag that should be read within `drain_seconds`, and
    shrinks when fewer were enough for `down_seconds`. `ahead_seconds` before the same hour of the
    week had a higher rate it grows for that; without a week of history it doesn't.
    """

    headroom: float = HEADROOM
    down_seconds: float = 3600.0
    drain_seconds: float = 600.0
    ahead_seconds: float = 900.0
    min_members: int = 1
    max_members: int = 1000
    name: str = "evenfleet"
    every_seconds: ClassVar[float] = 60.0

    def __post_init__(self) -> None:
        check_limits(self.name, self.min_members, self.max_members)
        if not 0 < self.headroom <= 1:
            raise PolicyError(
                f"policy {self.name!r}: headroom {self.headroom:g} must be above 0, at most 1"
            )

        if self.drain_seconds < 1:
            raise PolicyError(f"policy {self.name!r}: drain_seconds must be 1 or more")

    def first(self, processes: Sequence[Process]) -> IntArray:
        """The members that the first rates need."""
        rates = np.array([process.total[0] for process in processes])
        return self.members_for(UsefulSizes(processes, self.headroom, self.max_members), rates)

    def decider(self, processes: Sequence[Process]) -> Decider:
        """The decider for these groups."""
        return _EvenfleetDecider(self, processes)

    def members_for(self, sizes: UsefulSizes, rates: Reals) -> IntArray:
        """The members of each group for its rate, within the limits."""
        return np.maximum(sizes.at_rates(rates), self.min_members)

    def sizes_of(self, process: Process) -> tuple[list[int], list[float]]:
        """The sizes of one group, and the rate that each but the last is enough for."""
        useful = UsefulSizes([process], self.headroom, self.max_members)
        enough = useful.enough[0][useful.enough[0] < np.inf].tolist()
        return useful.sizes[0, : len(enough) + 1].clip(self.min_members).tolist(), enough


class _EvenfleetDecider:
    def __init__(self, policy: Evenfleet, processes: Sequence[Process]) -> None:
        self._policy = policy
        self._sizes = UsefulSizes(processes, policy.headroom, policy.max_members)
        self._recent = Window(policy.down_seconds, np.maximum)
        self._forecast = np.array([_forecast(process) for process in processes]).T
        self._edges = processes[0].edges

    def decide(self, seen: Signals) -> IntArray:
        policy, members = self._policy, seen.members
        for now in seen.times:
            ahead = self._interval(now + policy.ahead_seconds)
            rate = np.maximum(seen.rate, self._forecast[ahead])
            needed = policy.members_for(self._sizes, rate + seen.lag / policy.drain_seconds)
            highest = self._recent.of(now, needed)
            self._recent.add(now, needed)
            members = np.where(needed > members, needed, np.minimum(members, highest))
        return members

    def _interval(self, now: float) -> int:
        at = int(np.searchsorted(self._edges, now, "right")) - 1
        return min(at, len(self._forecast) - 1)


def _forecast(process: Process) -> Reals:
    """For each interval what came in a week before; 0 where that isn't known."""
    starts = process.edges[:-1]
    at = np.searchsorted(process.edges, starts - WEEK_SECONDS + 1e-6, "right") - 1
    return np.where(at >= 0, process.total[np.maximum(at, 0)], 0.0)
