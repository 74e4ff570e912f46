"""A HorizontalPodAutoscaler on lag, by the rules of Kubernetes' horizontal controller."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from optimizer.model import IntArray
from optimizer.scaling.policies.policy import (
    Decider,
    LagThreshold,
    PolicyError,
    Seen,
    check_limits,
    recorded_first,
    thresholds,
)
from optimizer.scaling.policies.window import Window
from optimizer.scaling.process import Process, Reals

TOLERANCE = 0.1
"""--horizontal-pod-autoscaler-tolerance."""

SYNC_SECONDS = 15.0
"""--horizontal-pod-autoscaler-sync-period."""

UNLIMITED = 2**31 - 1


@dataclass(frozen=True)
class Change:
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
    """One direction of a behavior (HPAScalingRules); `select` is Max, Min or Disabled."""

    window_seconds: float
    changes: tuple[Change, ...]
    select: str = "Max"

    def __post_init__(self) -> None:
        if self.select not in ("Max", "Min", "Disabled"):
            raise PolicyError(f"selectPolicy is {self.select!r}: Max, Min or Disabled")
        if not 0 <= self.window_seconds <= 3600:
            raise PolicyError(
                f"stabilizationWindowSeconds is {self.window_seconds:g}: 0 to 3,600 s"
            )

    @property
    def longest(self) -> int:
        """Seconds of the longest period."""
        return max((change.period_seconds for change in self.changes), default=0)


SCALE_UP = Rules(0, (Change("Pods", 4, 15), Change("Percent", 100, 15)))
SCALE_DOWN = Rules(300, (Change("Percent", 100, 15),))
"""What a HPA has that states no behavior (autoscaling/v2 defaults)."""


def wanted(lag: Reals, threshold: Reals, members: IntArray, tolerance: float) -> IntArray:
    """The replicas that an external metric of type AverageValue asks for, before any limit.

    Those of now while lag ÷ (threshold × members) is within the tolerance of 1, else
    lag ÷ threshold rounded up (ReplicaCalculator.GetExternalPerPodMetricReplicas).
    """
    ratio = lag / (threshold * np.maximum(members, 1))
    needed = np.ceil(lag / threshold).astype(np.int64)
    return np.where(np.abs(ratio - 1.0) <= tolerance, members, needed)


@dataclass(frozen=True)
class Hpa:
    """One HPA for each group: `average_value` is the lag that it aims at for each member."""

    average_value: LagThreshold
    min_replicas: int = 1
    max_replicas: int = 10
    tolerance: float = TOLERANCE
    scale_up: Rules = SCALE_UP
    scale_down: Rules = SCALE_DOWN
    name: str = "hpa"
    every_seconds: float = SYNC_SECONDS

    def __post_init__(self) -> None:
        check_limits(self.name, self.min_replicas, self.max_replicas)
        if self.min_replicas < 1:
            raise PolicyError(f"policy {self.name!r}: an HPA has 1 member at least")
        if not 0 <= self.tolerance < 1:
            raise PolicyError(f"policy {self.name!r}: tolerance {self.tolerance:g} is not 0 to 1")

    def first(self, processes: Sequence[Process]) -> IntArray:
        """What was recorded, within the limits."""
        return recorded_first(processes, self.min_replicas, self.max_replicas)

    def decider(self, processes: Sequence[Process]) -> Decider:
        """A controller for each group."""
        return HpaDecider(self, thresholds(self.average_value, processes))


class HpaDecider:
    """The controller's memory: recommendations, and changes of the last periods."""

    def __init__(self, hpa: Hpa, threshold: Reals) -> None:
        self.hpa, self.threshold = hpa, threshold
        self._down = hpa.scale_down.window_seconds
        self._up = hpa.scale_up.window_seconds
        self._longest = max(hpa.scale_up.longest, hpa.scale_down.longest)
        self.recommended = Window(max(self._up, self._down), hpa.every_seconds, len(threshold))
        self.changed: deque[tuple[float, IntArray]] = deque()

    def decide(self, seen: Seen) -> IntArray:
        """The replicas by the metric, stabilised and limited; a group at 0 stays there."""
        needed = wanted(np.floor(seen.lag), self.threshold, seen.members, self.hpa.tolerance)
        return self.normalized(seen.now, seen.members, needed)

    def normalized(self, now: float, members: IntArray, needed: IntArray) -> IntArray:
        """What becomes of a recommendation (normalizeDesiredReplicasWithBehaviors)."""
        stable = self._stabilized(now, members, needed)
        result = self._limited(now, members, stable)
        low, high = self.hpa.min_replicas, self.hpa.max_replicas
        result = np.where(members > high, high, np.where(members < low, low, result))
        result = np.where(members == 0, 0, result)
        if (result != members).any():
            self.changed.append((now, result - members))
        return result

    def _stabilized(self, now: float, members: IntArray, needed: IntArray) -> IntArray:
        """Within the lowest and highest recommendations of the two windows."""
        highest = self.recommended.highest(now - self._down, needed)
        lowest = self.recommended.lowest(now - self._up, needed) if self._up else needed
        self.recommended.add(now, needed)
        return np.minimum(np.maximum(members, lowest), highest)

    def _limited(self, now: float, members: IntArray, stable: IntArray) -> IntArray:
        """No faster than the behavior allows (convertDesiredReplicasWithBehaviorRate)."""
        hpa = self.hpa
        while self.changed and self.changed[0][0] <= now - self._longest:
            self.changed.popleft()
        result = stable
        if (stable > members).any():
            most = np.maximum(self._bound(now, members, hpa.scale_up, 1), members)
            most = np.minimum(most, hpa.max_replicas)
            result = np.where(stable > members, np.minimum(stable, most), result)
        if (stable < members).any():
            least = np.minimum(self._bound(now, members, hpa.scale_down, -1), members)
            least = np.maximum(least, hpa.min_replicas)
            result = np.where(stable < members, np.maximum(stable, least), result)
        return result

    def _bound(self, now: float, members: IntArray, rules: Rules, way: int) -> IntArray:
        """The size that a behavior allows now, upward (1) or downward (-1)."""
        if rules.select == "Disabled" or not rules.changes:
            return members
        proposed = [self._proposed(now, members, change, way) for change in rules.changes]
        pick = np.maximum if (rules.select == "Max") == (way > 0) else np.minimum
        return np.asarray(reduce(pick, proposed))

    def _proposed(self, now: float, members: IntArray, change: Change, way: int) -> IntArray:
        recent = [item for at, item in self.changed if at > now - change.period_seconds]
        start = members - sum(recent) if recent else members
        if change.type == "Pods":
            return start + way * change.value
        share = start * (1 + way * change.value / 100)
        return np.asarray(np.ceil(share) if way > 0 else np.trunc(share)).astype(np.int64)
