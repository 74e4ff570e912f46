"""A HorizontalPodAutoscaler on lag, by the rules of the controller of Kubernetes 1.33."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import ClassVar

import numpy as np

from optimizer.model import IntArray, Reals
from optimizer.scaling.policies.policy import (
    Decider,
    LagThreshold,
    PolicyError,
    Signals,
    Window,
    check_limits,
    check_whole,
    recorded_first,
    thresholds,
)
from optimizer.scaling.process import Process

TOLERANCE = 0.1
"""--horizontal-pod-autoscaler-tolerance."""

SYNC_SECONDS = 15.0
"""--horizontal-pod-autoscaler-sync-period."""

UNLIMITED = 2**31 - 1


@dataclass(frozen=True)
class PodChange:
    """A scaling policy of a behavior: `value` pods, or percent, in `period_seconds` at most."""

    type: str
    value: int
    period_seconds: int

    def __post_init__(self) -> None:
        if self.type not in ("Pods", "Percent"):
            raise PolicyError(f"a behavior's policy has the type {self.type!r}: Pods or Percent")
        if self.value < 1 or not 1 <= self.period_seconds <= 1800:
            raise PolicyError(
                f"a behavior's policy allows {self.value} in {self.period_seconds} s: "
                "the value must be 1 or more, the period 1 to 1,800 s"
            )


@dataclass(frozen=True)
class Rules:
    """One direction of a behavior (HPAScalingRules); `select` is Max, Min or Disabled.

    Growth up to `free` members isn't limited.
    """

    window_seconds: float
    changes: tuple[PodChange, ...]
    select: str = "Max"
    free: int = 0

    def __post_init__(self) -> None:
        if self.select not in ("Max", "Min", "Disabled"):
            raise PolicyError(f"selectPolicy is {self.select!r}: Max, Min or Disabled")
        if self.window_seconds not in range(3601):
            raise PolicyError(
                f"stabilizationWindowSeconds is {self.window_seconds:g}: 0 to 3,600 whole seconds"
            )

    @property
    def longest(self) -> int:
        """Seconds of the longest period."""
        return max((change.period_seconds for change in self.changes), default=0)


SCALE_UP = Rules(0, (PodChange("Pods", 4, 15), PodChange("Percent", 100, 15)))
SCALE_DOWN = Rules(300, (PodChange("Percent", 100, 15),))
"""Rules filled in where a behavior states one direction only: 1 member becomes 5 at most
(pkg/apis/autoscaling/v2/defaults.go)."""

NO_BEHAVIOR = Rules(0, (PodChange("Percent", 100, 15),), free=4)
"""How a HPA grows that states no behavior at all: twice the members or 4, so 1 becomes 4 at most
(calculateScaleUpLimit in pkg/controller/podautoscaler/horizontal.go)."""


def desired_replicas(lag: Reals, threshold: Reals, members: IntArray, tolerance: float) -> IntArray:
    """The replicas that an external metric of type AverageValue asks for, before any limit.

    Those of now while lag ÷ (threshold × members) is within the tolerance of 1, both ends included
    (Tolerances.isWithin, since 1.33), else lag ÷ threshold rounded up
    (ReplicaCalculator.GetExternalPerPodMetricReplicas).
    """
    ratio = lag / (threshold * np.maximum(members, 1))
    needed = np.ceil(lag / threshold).astype(np.int64)
    is_near = (ratio >= 1.0 - tolerance) & (ratio <= 1.0 + tolerance)
    return np.where(is_near, members, needed)


@dataclass(frozen=True)
class Hpa:
    """One HPA for each group: `average_value` is the lag that it aims at for each member."""

    average_value: LagThreshold
    min_replicas: int = 1
    max_replicas: int = 10
    tolerance: float = TOLERANCE
    scale_up: Rules = NO_BEHAVIOR
    scale_down: Rules = SCALE_DOWN
    name: str = "hpa"
    every_seconds: ClassVar[float] = SYNC_SECONDS

    def __post_init__(self) -> None:
        check_limits(self.name, self.min_replicas, self.max_replicas)
        check_whole(self.name, 1, averageValue=self.average_value)
        if self.min_replicas < 1:
            raise PolicyError(f"policy {self.name!r}: an HPA has 1 member at least")
        if not 0 <= self.tolerance < 1:
            raise PolicyError(f"policy {self.name!r}: tolerance {self.tolerance:g} is not 0 to 1")

    def first(self, processes: Sequence[Process]) -> IntArray:
        """The recorded sizes, within the limits."""
        return recorded_first(processes, self.min_replicas, self.max_replicas)

    def decider(self, processes: Sequence[Process]) -> Decider:
        """A controller for each group."""
        return HpaDecider(self, thresholds(self.average_value, processes))


class HpaDecider:
    """The controller's memory: recommendations, and changes of the last periods."""

    def __init__(self, hpa: Hpa, threshold: Reals) -> None:
        self.hpa, self.threshold = hpa, threshold
        self._longest = max(hpa.scale_up.longest, hpa.scale_down.longest)
        self._is_plain = hpa.scale_up == NO_BEHAVIOR
        self._has_begun = False
        self.highest = Window(hpa.scale_down.window_seconds, np.maximum, self._is_plain)
        self.lowest = Window(hpa.scale_up.window_seconds, np.minimum)
        self.changed: deque[tuple[float, IntArray]] = deque()
        self._limits = self._limits_of(np.zeros(1, np.int64), 0.0)

    def decide(self, seen: Signals) -> IntArray:
        """The replicas by the metric, stabilised and limited; a group at 0 stays there."""
        members = seen.members
        for now in seen.times:
            members = self.size_at(now, np.floor(seen.lag), members)
        return members

    def size_at(self, now: float, value: Reals, members: IntArray) -> IntArray:
        """The replicas at one time, for a value of the metric.

        The first size counts as a recommendation as well (recordInitialRecommendation).
        """
        if not self._has_begun:
            self._has_begun = True
            self._remember(now, members, members)
        needed = desired_replicas(value, self.threshold, members, self.hpa.tolerance)
        return self.normalize(now, members, needed)

    def normalize(self, now: float, members: IntArray, needed: IntArray) -> IntArray:
        """A recommendation within all rules (normalizeDesiredReplicas, …WithBehaviors)."""
        stable = self._stabilize(now, members, needed)
        least, most = self._limits_now(now, members)
        limited = np.minimum(np.maximum(stable, least), most)
        if self._longest > self.hpa.every_seconds and (limited != members).any():
            self.changed.append((now, limited - members))
        return limited

    def _stabilize(self, now: float, members: IntArray, needed: IntArray) -> IntArray:
        """Within the lowest and highest recommendations of the two windows.

        Without a behavior it is the highest, upward too. At 0 members nothing is remembered.
        """
        highest = self.highest.of(now, needed)
        lowest = members if self._is_plain else self.lowest.of(now, needed)
        if members.all():
            self._remember(now, needed, needed)
        else:
            is_on = members > 0
            self._remember(now, np.where(is_on, needed, 0), np.where(is_on, needed, UNLIMITED))
        if self._is_plain:
            return highest
        return np.minimum(np.maximum(members, lowest), highest)

    def _remember(self, now: float, highest: IntArray, lowest: IntArray) -> None:
        self.highest.add(now, highest)
        if not self._is_plain:
            self.lowest.add(now, lowest)

    def _limits_now(self, now: float, members: IntArray) -> tuple[IntArray, IntArray]:
        """The least and the most members that each group may have now.

        By its size alone where nothing that changed lately counts: then it is looked up.
        """
        while self.changed and self.changed[0][0] <= now - self._longest:
            self.changed.popleft()
        if self.changed:
            return self._limits_of(members, now)
        while True:
            least, most = self._limits
            try:
                return least[members], most[members]
            except IndexError:
                self._limits = self._limits_of(np.arange(2 * int(members.max()) + 1), now)

    def _limits_of(self, members: IntArray, now: float) -> tuple[IntArray, IntArray]:
        """No faster than the behavior allows (convertDesiredReplicasWithBehaviorRate).

        A size out of the limits goes there at once, and 0 stays.
        """
        hpa = self.hpa
        low, high = hpa.min_replicas, hpa.max_replicas
        most = np.maximum(self._bound(now, members, hpa.scale_up, 1), hpa.scale_up.free)
        least = self._bound(now, members, hpa.scale_down, -1)
        limits = (
            np.minimum(np.maximum(least, low), members),
            np.maximum(np.minimum(most, high), members),
        )
        outside = members.clip(low, high)
        is_outside = (members != outside) | (members == 0)
        fixed = np.where(members == 0, 0, outside)
        least, most = (np.where(is_outside, fixed, limit) for limit in limits)
        return least, most

    def _bound(self, now: float, members: IntArray, rules: Rules, way: int) -> IntArray:
        """The size that a behavior allows now, upward (1) or downward (-1)."""
        if rules.select == "Disabled" or not rules.changes:
            return members
        proposed = [self._propose(now, members, change, way) for change in rules.changes]
        pick = np.maximum if (rules.select == "Max") == (way > 0) else np.minimum
        return np.asarray(reduce(pick, proposed))

    def _propose(self, now: float, members: IntArray, change: PodChange, way: int) -> IntArray:
        recent = [change_of for at, change_of in self.changed if at > now - change.period_seconds]
        start = members - sum(recent) if recent else members
        if change.type == "Pods":
            return start + way * change.value
        share = start * (1 + way * change.value / 100)
        return np.asarray(np.ceil(share) if way > 0 else np.trunc(share)).astype(np.int64)
