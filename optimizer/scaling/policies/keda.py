"""KEDA's Kafka trigger: lag becomes a metric of an HPA, and the trigger wakes it from 0."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from optimizer.model import IntArray, Reals
from optimizer.scaling.policies.hpa import (
    NO_BEHAVIOR,
    SCALE_DOWN,
    SYNC_SECONDS,
    TOLERANCE,
    Hpa,
    HpaDecider,
    Rules,
)
from optimizer.scaling.policies.policy import (
    Decider,
    LagThreshold,
    PolicyError,
    Seen,
    check_limits,
    partitions_of,
    recorded_first,
    thresholds,
)
from optimizer.scaling.process import Process


@dataclass(frozen=True)
class Keda:
    """A ScaledObject with one Kafka trigger for each group, with KEDA's own defaults.

    `polling_interval` and `cooldown_period` are about the way from 0 members and back to 0: between
    1 and `max_replica_count` the HPA decides, every 15 s.
    """

    lag_threshold: LagThreshold = 10.0
    activation_lag_threshold: float = 0.0
    polling_interval: float = 30.0
    cooldown_period: float = 300.0
    min_replica_count: int = 0
    max_replica_count: int = 100
    allow_idle_consumers: bool = False
    limit_to_partitions_with_lag: bool = False
    ensure_even_distribution_of_partitions: bool = False
    tolerance: float = TOLERANCE
    scale_up: Rules = NO_BEHAVIOR
    scale_down: Rules = SCALE_DOWN
    name: str = "keda"
    every_seconds: float = SYNC_SECONDS

    def __post_init__(self) -> None:
        check_limits(self.name, self.min_replica_count, self.max_replica_count)
        for name, is_set in (
            ("allowIdleConsumers", self.allow_idle_consumers),
            ("ensureEvenDistributionOfPartitions", self.ensure_even_distribution_of_partitions),
        ):
            if is_set and self.limit_to_partitions_with_lag:
                raise PolicyError(
                    f"policy {self.name!r}: KEDA refuses {name} together with "
                    "limitToPartitionsWithLag: leave one of them out"
                )
        if not isinstance(self.lag_threshold, str) and self.lag_threshold <= 0:
            raise PolicyError(f"policy {self.name!r}: lagThreshold must be above 0")
        if self.activation_lag_threshold < 0:
            raise PolicyError(f"policy {self.name!r}: activationLagThreshold must be 0 or more")

    def first(self, processes: Sequence[Process]) -> IntArray:
        """What was recorded, within the limits."""
        return recorded_first(processes, self.min_replica_count, self.max_replica_count)

    def decider(self, processes: Sequence[Process]) -> Decider:
        """The trigger and the HPA behind it, for each group."""
        threshold = thresholds(self.lag_threshold, processes)
        hpa = Hpa(
            self.lag_threshold,
            max(self.min_replica_count, 1),
            self.max_replica_count,
            self.tolerance,
            self.scale_up,
            self.scale_down,
            self.name,
        )
        return _KedaDecider(self, threshold, partitions_of(processes), HpaDecider(hpa, threshold))


def metric(
    keda: Keda, lag: Reals, threshold: Reals, partitions: IntArray, behind: IntArray
) -> Reals:
    """What the trigger hands the HPA for a lag in records (kafkaScaler.getTotalLag).

    `behind` are the partitions with lag. Without `allow_idle_consumers` it is no more than the
    threshold times the partitions.
    """
    result = lag
    limited = keda.limit_to_partitions_with_lag
    even = keda.ensure_even_distribution_of_partitions
    if keda.allow_idle_consumers and not limited and not even:
        return result
    if even:
        result = next_factor(lag, threshold, partitions) * threshold
    most = behind if limited else partitions
    return np.where(result // threshold > most, most * threshold, result)


def next_factor(lag: Reals, threshold: Reals, partitions: IntArray) -> IntArray:
    """The smallest divisor of the partitions that is enough for the lag; else all of them.

    (getNextFactorThatBalancesConsumersToTopicPartitions)
    """
    result = partitions.copy()
    for at, count in enumerate(partitions.tolist()):
        fits = (item for item in factors(count) if item * threshold[at] >= lag[at])
        result[at] = next(fits, count)
    return result


def factors(number: int) -> list[int]:
    """All divisors of a number, the smallest first."""
    return [item for item in range(1, number + 1) if number % item == 0]


class _KedaDecider:
    def __init__(self, keda: Keda, threshold: Reals, partitions: IntArray, hpa: HpaDecider) -> None:
        self._keda, self._threshold, self._partitions = keda, threshold, partitions
        self._starts = np.cumsum(partitions) - partitions
        self._hpa = hpa
        self._polled = -np.inf
        self._active = np.full(len(threshold), -np.inf)

    def decide(self, seen: Seen) -> IntArray:
        lag, members = np.floor(seen.lag), seen.members
        behind = self._partitions
        if self._keda.limit_to_partitions_with_lag:
            behind = np.add.reduceat(seen.lags() >= 1.0, self._starts)
        value = metric(self._keda, lag, self._threshold, self._partitions, behind)
        for now in seen.times:
            if now - self._polled >= self._keda.polling_interval:
                self._polled = now
                members = self._woken_or_asleep(now, lag, members)
            members = self._hpa.sized(now, value, members)
        return members

    def _woken_or_asleep(self, now: float, lag: Reals, members: IntArray) -> IntArray:
        """From 0 as soon as the trigger is active, and back when it has been idle long enough."""
        active = lag > self._keda.activation_lag_threshold
        self._active = np.where(active, now, self._active)
        members = np.where(active & (members == 0), max(self._keda.min_replica_count, 1), members)
        if self._keda.min_replica_count:
            return members
        rested = now - self._active > self._keda.cooldown_period
        return np.where(~active & rested, 0, members)
