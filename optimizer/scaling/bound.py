"""The least that any course of sizes could have cost, in hindsight, within the SLO.

What is bounded. A course is any number of members in each step, from 0 on. Its true cost is that of
`replay`: member-hours, late partition-hours and rebalances by their prices. It meets the SLO if
some partition is late for no more than the share 1 - `on_time` of the time. The bound is the least
cost of the relaxed groups of `queue_table`, over all mixtures of courses that meet the SLO on
average. The relaxed group is never further behind than the true one, nor pays for more members or
rebalances. So no course that meets the SLO, and no policy, costs less than the bound.

How. With a price for each late second beside its own, a table gives the cheapest course (dynamic
programming). Such a course shows a corner of the least cost as a function of the late time: a
convex line, of which the bound is the value at the time that the SLO allows. The price is that of
the line's slope there (Lagrange), found by the two corners beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from optimizer.model import IntArray, Reals
from optimizer.scaling.course import SAME_SECONDS
from optimizer.scaling.inevitable import inevitable_lateness
from optimizer.scaling.prices import Prices
from optimizer.scaling.process import Process
from optimizer.scaling.queue_table import UNITS, QueueTable
from optimizer.scaling.replay import STEP_SECONDS

GAP = 1e-3
"""Of the bound: what it may be below the line's value, where that saves further tables."""

SAME_COST = 1e-9
"""Of a cost: what floating point may make of it."""


def least_costs(
    processes: Sequence[Process],
    prices: Prices | None = None,
    step: float = STEP_SECONDS,
    units: int = UNITS,
    gap: float = GAP,
) -> Reals:
    """A bound for each process, in the unit of the prices; all have the same `edges`.

    Infinite where no course meets the SLO.
    """
    tables = _Tables(processes, prices or Prices(), step, units)
    result = np.zeros(len(processes))
    for numbers in tables.alike():
        result[numbers] = _Search(tables, numbers).solve(gap)
    return result


class _Tables:
    """Makes the tables of some processes at a time; what is late anyhow is computed once."""

    def __init__(
        self, processes: Sequence[Process], prices: Prices, step: float, units: int
    ) -> None:
        self.processes, self.prices, self._made = processes, prices, (prices, step, units)
        self.late = [inevitable_lateness(process, prices.late_after, step) for process in processes]

    def of(self, numbers: IntArray) -> QueueTable:
        processes = [self.processes[number] for number in numbers]
        late = [self.late[number] for number in numbers]
        return QueueTable(processes, late, *self._made)

    def alike(self) -> Iterator[IntArray]:
        """Numbers of processes whose tables have about the same size, so that they share one."""
        every = np.arange(len(self.processes))
        cells = [self.of(every[number : number + 1]).cells for number in every]
        classes = np.ceil(np.log2(cells)).astype(np.int64)
        for size in np.unique(classes):
            yield np.flatnonzero(classes == size)


class _Search:
    """For each process two corners of the line, at most and at least as late as the SLO allows."""

    def __init__(self, tables: _Tables, numbers: IntArray) -> None:
        self._tables, self._numbers, prices = tables, numbers, tables.prices
        seconds = [tables.processes[number].hours() * 3600 for number in numbers]
        inevitable = [tables.late[number] for number in numbers]
        any_partition = np.array([item.any_partition.sum() for item in inevitable])
        self._allowed = np.array([prices.late_seconds(item) for item in seconds]) - any_partition
        late = np.array([item.partitions.sum() for item in inevitable])
        self._paid = late / 3600 * prices.late_partition_hour
        self._steepest = tables.of(numbers).most

    def solve(self, gap: float) -> Reals:
        """The least cost of each process, or less by that share at most."""
        everybody = np.arange(len(self._numbers))
        result, late = self._cheapest(everybody, np.zeros(len(everybody)))
        over = late > self._allowed + SAME_SECONDS
        busy = everybody[over]
        if len(busy):
            result[busy] = self._between(busy, result[busy], late[busy], gap)
        return result + self._paid

    def _between(self, busy: IntArray, cost: Reals, late: Reals, gap: float) -> Reals:
        """The line's value at the time that is allowed, from the corner that is later."""
        result = np.full(len(busy), np.inf)
        punctual, least = self._cheapest(busy, self._steepest[busy])
        allowed = self._allowed[busy]
        open_ = np.flatnonzero(least <= allowed + SAME_SECONDS)
        while len(open_):
            slope = (punctual[open_] - cost[open_]) / (late[open_] - least[open_])
            line = cost[open_] + slope * (late[open_] - allowed[open_])
            new_cost, new_late = self._cheapest(busy[open_], slope)
            value = new_cost + slope * (new_late - allowed[open_])
            is_done = value >= line - np.maximum(gap * line, SAME_COST * np.maximum(1.0, line))
            result[open_[is_done]] = np.minimum(value, line)[is_done]
            is_late = new_late > allowed[open_]
            lagging, punctual_ones = open_[is_late], open_[~is_late]
            cost[lagging], late[lagging] = new_cost[is_late], new_late[is_late]
            punctual[punctual_ones], least[punctual_ones] = new_cost[~is_late], new_late[~is_late]
            open_ = open_[~is_done]
        return result

    def _cheapest(self, numbers: IntArray, prices: Reals) -> tuple[Reals, Reals]:
        """Cost without the price of late seconds, and late seconds, of the cheapest with it."""
        return self._tables.of(self._numbers[numbers]).cheapest(prices)
