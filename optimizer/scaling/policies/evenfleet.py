"""Evenfleet's own policy: the members that the rates need, at sizes that are worth a rebalance."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from optimizer.model import IntArray, Reals
from optimizer.scaling.policies.policy import Decider, PolicyError, Seen, check_limits
from optimizer.scaling.policies.useful_sizes import HEADROOM, UsefulSizes
from optimizer.scaling.policies.window import Window
from optimizer.scaling.process import WEEK_SECONDS, Process


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
        """What the first rates need."""
        rates = np.array([process.total[0] for process in processes])
        return self.needed(UsefulSizes(processes, self.headroom, self.max_members), rates)

    def decider(self, processes: Sequence[Process]) -> Decider:
        """What decides for these groups."""
        return _EvenfleetDecider(self, processes)

    def needed(self, sizes: UsefulSizes, rates: Reals) -> IntArray:
        """The members of each group for its rate, within the limits."""
        return np.maximum(sizes.needed(rates), self.min_members)

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

    def decide(self, seen: Seen) -> IntArray:
        policy, members = self._policy, seen.members
        for now in seen.times:
            ahead = self._interval(now + policy.ahead_seconds)
            rate = np.maximum(seen.rate, self._forecast[ahead])
            needed = policy.needed(self._sizes, rate + seen.lag / policy.drain_seconds)
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
