"""All courses of the bound's easier group, apart from the bound's code: one queue, in units."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, product
from math import ceil, floor, inf
from typing import NamedTuple

import numpy as np

from optimizer.scaling import Prices, Process

UNITS, STEP = 8, 60


class Outcome(NamedTuple):
    """Of one course; `late` are seconds."""

    late: float
    cost: float


def all_courses(group: Process, prices: Prices) -> list[Outcome]:
    """Of a group without a hot partition, whose intervals are steps."""
    sizes = range(group.partitions + 1)
    queue = _Queue(group, prices)
    return [queue.outcome(course) for course in product(sizes, repeat=len(group.rates))]


def least_of_mixtures(outcomes: Sequence[Outcome], late: float) -> float:
    """The least cost of one course, or a mixture of two, that on average is no later."""
    cheapest: dict[float, float] = {}
    for item in outcomes:
        cheapest[item.late] = min(item.cost, cheapest.get(item.late, inf))
    single = min((cost for time, cost in cheapest.items() if time <= late), default=inf)
    mixed = (
        low + (high - low) * (late - sooner) / (later - sooner)
        for sooner, low in cheapest.items()
        for later, high in cheapest.items()
        if sooner <= late < later
    )
    return min(single, *mixed, inf)


class _Queue:
    def __init__(self, group: Process, prices: Prices) -> None:
        self.group, self.prices = group, prices
        limits = [prices.late_after * max_rates.sum() for max_rates in _busy(group)]
        reads = group.peak_rate * STEP
        self.reads = max(1, ceil(UNITS * reads / max(limits) - 1e-9))
        unit = reads / self.reads
        arrived = np.cumsum([0.0, *(group.rates.sum(axis=1) * STEP / unit)])
        self.arrivals = [floor(b + 1e-9) - floor(a + 1e-9) for a, b in pairwise(arrived.tolist())]
        self.late_from = [ceil(limit / unit - 1e-9) + 1 for limit in limits]

    def outcome(self, course: Sequence[int]) -> Outcome:
        queue, late, cost = 0, 0, 0.0
        for members, arrivals, late_from in zip(course, self.arrivals, self.late_from, strict=True):
            queue = max(0, queue + arrivals - members * self.reads)
            queue = min(queue, max(self.late_from))
            late += STEP * (queue >= late_from)
            cost += self.prices.member_hour * members * STEP / 3600
        rebalances = sum(before != after > 0 for before, after in pairwise(course))
        return Outcome(late, cost + self.prices.cost(0.0, late / 3600, rebalances))


def _busy(group: Process) -> np.ndarray:
    return np.maximum(group.rates, group.usual)
