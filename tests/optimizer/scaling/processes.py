"""Processes that are made for tests, and a policy that is written down."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from optimizer.model import IntArray
from optimizer.scaling import Assignments, Pauses, Process, ResizeCost
from optimizer.scaling.policies.policy import Decider, Signals


class NoPauses(Pauses):
    """A rebalance that costs no time."""

    def between(self, before: int, after: int) -> ResizeCost:
        return ResizeCost(int(before != after and after > 0), 0.0, 0.0)


def process(
    rates: Sequence[Sequence[float]] | None = None,
    *,
    partitions: int = 4,
    seconds: float = 3600.0,
    peak_rate: float = 100.0,
    recorded: int = 2,
    strategy: str = "range",
    start_seconds: float = 0.0,
    pauses: Pauses | None = None,
) -> Process:
    """A group of one topic; by default each partition has 10 records a second, for two hours."""
    arrivals = np.array(rates if rates is not None else [[10.0] * partitions] * 2, float)
    return Process(
        edges=np.arange(len(arrivals) + 1) * seconds,
        rates=arrivals,
        recorded=np.full(len(arrivals), recorded),
        peak_rate=peak_rate,
        assignments=Assignments({"orders": arrivals.shape[1]}, strategy),
        pauses=pauses or NoPauses(strategy),
        start_seconds=start_seconds,
        lag=np.zeros(arrivals.shape[1]),
        uncommitted=np.full(arrivals.shape[1], np.nan),
    )


def random_process(rng: np.random.Generator, intervals: int = 5, seconds: float = 60.0) -> Process:
    """A tiny group with whole rates, some of them high."""
    partitions = int(rng.integers(1, 5))
    rates = rng.integers(0, 12, (intervals, partitions)) * rng.integers(1, 6, (intervals, 1))
    return process(
        rates.tolist(),
        seconds=seconds,
        peak_rate=float(rng.integers(10, 40)),
        recorded=int(rng.integers(1, 4)),
        strategy=str(rng.choice(["range", "cooperative-sticky", "uniform"])),
        start_seconds=float(rng.choice([0.0, 30.0])),
        pauses=None if rng.random() < 0.5 else Pauses("range"),
    )


@dataclass(frozen=True)
class Scripted:
    """A size for each step of `every_seconds`."""

    sizes: tuple[int, ...]
    every_seconds: float = 60.0

    @property
    def name(self) -> str:
        return str(self.sizes)

    def first(self, processes: Sequence[Process]) -> IntArray:
        return np.full(len(processes), self.sizes[0])

    def decider(self, processes: Sequence[Process]) -> Decider:
        return _Script(self)


@dataclass(frozen=True)
class _Script:
    policy: Scripted

    def decide(self, seen: Signals) -> IntArray:
        sizes = self.policy.sizes
        at = min(round(seen.times[-1] / self.policy.every_seconds), len(sizes) - 1)
        return np.full(len(seen.members), sizes[at])
