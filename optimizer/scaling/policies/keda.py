"""KEDA's Kafka trigger: lag becomes a metric of an HPA, and the trigger wakes it from 0."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

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
    Signals,
    check_limits,
    check_whole,
    recorded_first,
    thresholds,
)
from optimizer.scaling.process import Process

LATEST, EARLIEST = "latest", "earliest"

ROUNDING = 1e-6
"""Records by which the sum of partitions' lags may be too low."""


@dataclass(frozen=True)
class Keda:
    """A ScaledObject with one Kafka trigger for each group, with KEDA's own defaults.

    `polling_interval` and `cooldown_period` are about the way from 0 members and back to 0: between
    1 and `max_replica_count` the HPA decides, every 15 s. With `idle_replica_count` 0 a group rests
    at 0 members, and works with `min_replica_count` at least.

    A partition without a committed offset counts as 1 record by the reset policy `latest` and as
    its whole log by `earliest`, or as none to `scale_to_zero_on_invalid_offset`.
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
    scale_to_zero_on_invalid_offset: bool = False
    offset_reset_policy: str = LATEST
    idle_replica_count: int | None = None
    exclude_persistent_lag: bool = False
    partition_limitation: str = ""
    tolerance: float = TOLERANCE
    scale_up: Rules = NO_BEHAVIOR
    scale_down: Rules = SCALE_DOWN
    name: str = "keda"
    every_seconds: ClassVar[float] = SYNC_SECONDS

    def __post_init__(self) -> None:
        check_limits(self.name, self.min_replica_count, self.max_replica_count)
        check_whole(
            self.name, 1, lagThreshold=self.lag_threshold, pollingInterval=self.polling_interval
        )
        check_whole(
            *(self.name, 0),
            activationLagThreshold=self.activation_lag_threshold,
            cooldownPeriod=self.cooldown_period,
        )
        for is_wrong, why in self._faults():
            if is_wrong:
                raise PolicyError(f"policy {self.name!r}: {why}")

    def _faults(self) -> Iterator[tuple[bool, str]]:
        """Settings that KEDA refuses, or that can't be replayed."""
        clash = "together with limitToPartitionsWithLag: leave one of them out"
        limited, idle = self.limit_to_partitions_with_lag, self.idle_replica_count
        yield limited and self.allow_idle_consumers, f"KEDA refuses allowIdleConsumers {clash}"
        yield (
            limited and self.ensure_even_distribution_of_partitions,
            f"KEDA refuses ensureEvenDistributionOfPartitions {clash}",
        )
        yield (
            self.offset_reset_policy not in (LATEST, EARLIEST),
            f"offsetResetPolicy is {self.offset_reset_policy!r}: {LATEST} or {EARLIEST}",
        )
        yield (
            idle is not None and not 0 == idle < self.min_replica_count,
            f"idleReplicaCount is {idle}: KEDA takes 0 alone, and a minReplicaCount above it",
        )
        yield not 0 <= self.tolerance < 1, f"tolerance {self.tolerance:g} is not 0 to 1"
        yield (
            self.exclude_persistent_lag,
            "excludePersistentLag can't be replayed: rates don't show which record a member is "
            "stuck at. Leave it out",
        )
        yield (
            bool(self.partition_limitation),
            "partitionLimitation can't be replayed, since a policy is for groups of any topics. "
            "Leave it out",
        )

    @property
    def names_topics(self) -> bool:
        """Whether its trigger has to name the topics (kafkaMetadata.Validate)."""
        return self.limit_to_partitions_with_lag or self.ensure_even_distribution_of_partitions

    @property
    def rests_at_zero(self) -> bool:
        """Whether it goes to 0 members when it isn't active."""
        return self.idle_replica_count == 0 or not self.min_replica_count

    def first(self, processes: Sequence[Process]) -> IntArray:
        """The recorded sizes, within the limits."""
        return recorded_first(processes, self.min_replica_count, self.max_replica_count)

    def decider(self, processes: Sequence[Process]) -> Decider:
        """The trigger and the HPA behind it, for each group."""
        hpa = Hpa(
            self.lag_threshold,
            max(self.min_replica_count, 1),
            self.max_replica_count,
            self.tolerance,
            self.scale_up,
            self.scale_down,
            self.name,
        )
        return _KedaDecider(self, processes, hpa)


def metric(
    keda: Keda, lag: Reals, threshold: Reals, partitions: IntArray, behind: IntArray
) -> Reals:
    """The metric that the trigger hands the HPA for a lag in records (kafkaScaler.getTotalLag).

    `behind` are the partitions with lag. Without `allow_idle_consumers` it is no more than the
    threshold times the partitions.
    """
    counted_lag = lag
    limited = keda.limit_to_partitions_with_lag
    even = keda.ensure_even_distribution_of_partitions
    if keda.allow_idle_consumers and not limited and not even:
        return counted_lag
    if even:
        counted_lag = next_factor(lag, threshold, partitions) * threshold
    most = behind if limited else partitions
    return np.where(counted_lag // threshold > most, most * threshold, counted_lag)


def next_factor(lag: Reals, threshold: Reals, partitions: IntArray) -> IntArray:
    """The smallest divisor of the partitions that is enough for the lag; else all of them.

    (getNextFactorThatBalancesConsumersToTopicPartitions)
    """
    next_factors = partitions.copy()
    for at, count in enumerate(partitions.tolist()):
        fits = (factor for factor in factors(count) if factor * threshold[at] >= lag[at])
        next_factors[at] = next(fits, count)
    return next_factors


def factors(number: int) -> list[int]:
    """All divisors of a number, the smallest first."""
    return [divisor for divisor in range(1, number + 1) if number % divisor == 0]


class _KedaDecider:
    def __init__(self, keda: Keda, processes: Sequence[Process], hpa: Hpa) -> None:
        self._keda = keda
        self._threshold = thresholds(keda.lag_threshold, processes)
        self._partitions = np.array([process.partitions for process in processes])
        self._starts = np.cumsum(self._partitions) - self._partitions
        self._processes = processes
        self._is_invalid = ~np.isnan(self._ends(0.0))
        self._is_named = np.concatenate([_counts(keda, process) for process in processes])
        self._hpa = HpaDecider(hpa, self._threshold)
        self._polled = -np.inf
        self._active = np.full(len(processes), -np.inf)

    def decide(self, seen: Signals) -> IntArray:
        members = seen.members
        lag, behind = self._lag(seen)
        value = metric(self._keda, lag, self._threshold, self._partitions, behind)
        for now in seen.times:
            if now - self._polled >= self._keda.polling_interval:
                self._polled = now
                members = self._woken_or_asleep(now, lag, members)
            members = self._hpa.size_at(now, value, members)
        return members

    def _lag(self, seen: Signals) -> tuple[Reals, IntArray]:
        """The records of each group that the trigger counts, and the partitions that have any."""
        if not (self._is_invalid.any() or self._keda.limit_to_partitions_with_lag):
            return np.floor(seen.lag), self._partitions
        of_invalid = self._is_named * self._of_invalid(seen.times[-1])
        lags = np.where(self._is_invalid, of_invalid, seen.lags)
        lag = np.add.reduceat(lags, self._starts)
        behind = np.add.reduceat(lags >= 1.0, self._starts)
        return np.floor(lag + ROUNDING), behind

    def _of_invalid(self, now: float) -> Reals | float:
        """Lag of a partition without a committed offset (getLagForPartition)."""
        if self._keda.scale_to_zero_on_invalid_offset:
            return 0.0
        return self._ends(now) if self._keda.offset_reset_policy == EARLIEST else 1.0

    def _ends(self, now: float) -> Reals:
        return np.concatenate([process.uncommitted_ends(now) for process in self._processes])

    def _woken_or_asleep(self, now: float, lag: Reals, members: IntArray) -> IntArray:
        """From 0 as soon as the trigger is active, and back when it has been idle long enough."""
        active = lag > self._keda.activation_lag_threshold
        self._active = np.where(active, now, self._active)
        members = np.where(active & (members == 0), max(self._keda.min_replica_count, 1), members)
        if not self._keda.rests_at_zero:
            return members
        rested = now - self._active > self._keda.cooldown_period
        return np.where(~active & rested, 0, members)


def _counts(keda: Keda, process: Process) -> NDArray[np.bool_]:
    """Partitions that the trigger counts: where it names no topics, those of topics that it finds.

    These have a committed offset of the group.
    """
    sizes = [process.assignments.topics[topic] for topic in sorted(process.assignments.topics)]
    if keda.names_topics or len(sizes) == 1:
        return np.ones(process.partitions, np.bool_)
    is_committed = np.isnan(process.uncommitted_ends(0.0))
    starts = np.cumsum([0, *sizes[:-1]])
    return np.repeat(np.logical_or.reduceat(is_committed, starts), sizes)
