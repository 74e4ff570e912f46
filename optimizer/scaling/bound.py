"""The least that any course of sizes could have cost, in hindsight.

What is bounded. A course is any number of members in each step, from 0 on. Its true cost is that of
`replay`: member-hours, late partition-hours and rebalances by their prices. The bound is the least
cost of a relaxed group: its partitions form one queue, which n members (no more than partitions)
read at n × the peak rate. A rebalance costs its price and no time, and to close all members costs
nothing. A member reads at once. The queue is empty at the beginning, and rounded down to the
lattice's unit after each step. A step is late with one partition where the queue is above what all
partitions together may be behind in the busiest interval; it never gets longer than a unit above.

The relaxed group with the members that read is never further behind than the true one, nor pays for
more members or rebalances. So no course, and no policy, costs less than the bound.

How. A table has the least cost of each size and each length of the queue, step by step (dynamic
programming, exact for the relaxed group: `tests/optimizer/scaling/test_bound.py` compares it with
all courses).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from optimizer.model import IntArray
from optimizer.scaling.prices import Prices
from optimizer.scaling.process import Process, Reals
from optimizer.scaling.replay import STEP_SECONDS

UNITS = 16
"""Of the queue at which the group is late in its busiest interval, by default."""

SAME = 1e-9
"""Of a unit: what floating point may make of a whole number."""


def least_costs(
    processes: Sequence[Process],
    prices: Prices | None = None,
    step: float = STEP_SECONDS,
    units: int = UNITS,
) -> Reals:
    """A bound for each process, in the unit of the prices; all have the same `edges`."""
    return _Bound(list(processes), prices or Prices(), step, units).solve()


class _Bound:
    """Tables of processes × sizes × lengths of the queue: the least cost with a queue so long."""

    def __init__(self, processes: list[Process], prices: Prices, step: float, units: int) -> None:
        self._prices, self._step, self._edges = prices, step, processes[0].edges
        self._peak = np.array([process.peak_rate for process in processes])
        self._partitions = np.array([process.partitions for process in processes])
        self._total = np.array([process.total for process in processes]).T
        self._known = np.array([process.known for process in processes]).T
        most = np.array([_allowed(process, prices.late_after) for process in processes])
        self._unit = np.where(most > 0, most, np.maximum(self._peak * step, 1.0)) / units
        self._queue = np.arange(units + 2)
        self._sizes = np.arange(self._largest_size() + 1)
        late = [_inevitable(process, prices.late_after, step) for process in processes]
        self._inevitable = np.array(late).T

    def _largest_size(self) -> int:
        """More members empty the longest queue in one step, or are more than partitions."""
        coming = self._total.max(axis=0, initial=0.0) * self._step + self._unit * len(self._queue)
        enough = np.ceil(coming / (self._peak * self._step))
        return int(np.minimum(enough, self._partitions).max(initial=1))

    def solve(self) -> Reals:
        """The least cost of each process."""
        table = np.zeros((len(self._peak), len(self._sizes), len(self._queue)))
        paid = self._inevitable.sum(axis=0) / 3600 * self._prices.late_partition_hour
        for interval in range(len(self._edges) - 1):
            seconds = float(self._edges[interval + 1] - self._edges[interval])
            steps = max(1, int(np.ceil(seconds / self._step - 1e-9)))
            self._pass(table, interval, steps, seconds / steps)
            low = table.min(axis=(1, 2))
            paid = paid + low
            table -= low[:, None, None]
        return np.asarray(paid)

    def _pass(self, table: Reals, interval: int, steps: int, length: float) -> None:
        """Let the steps of an interval pass over the table.

        It never grows with the queue, since a longer one may always be pretended.
        """
        source, cost = self._sources(interval, length), self._members_cost(interval, length)
        late, rebalance = self._late_cost(interval, length), self._prices.rebalance
        flat = table.reshape(-1)
        moved = np.empty_like(table)
        for _ in range(steps):
            cheapest = table.min(axis=1, keepdims=True)
            np.minimum(table, cheapest + rebalance, out=table)
            table[:, 0] = cheapest[:, 0]  # nobody is left to rebalance
            np.take(flat, source, out=moved, mode="clip")
            np.add(moved, cost, out=table)
            np.minimum(table[:, :, -1] + late, table[:, :, -2], out=table[:, :, -1])

    def _sources(self, interval: int, length: float) -> IntArray:
        """From which cell each cell of the table comes in a step.

        An empty queue comes from the longest that a step empties, the longest from the longest.
        Where nothing leads to a queue, what it costs is infinitely much.
        """
        shift, last = self._shift(interval, length), len(self._queue) - 1
        source = np.minimum(self._queue - shift[:, :, None], last)
        source[:, :, last] = last
        rows = np.arange(shift.size).reshape(shift.shape) * len(self._queue)
        return np.where(source < 0, 0, source + rows[:, :, None])

    def _shift(self, interval: int, length: float) -> IntArray:
        """By how many units the queue grows in a step with so many members, rounded down."""
        read = self._peak[:, None] * np.minimum(self._sizes, self._partitions[:, None])
        change = (self._total[interval][:, None] - read) * length / self._unit[:, None]
        shift = np.floor(change + SAME).astype(np.int64)
        return np.where(self._known[interval][:, None], shift, 0)

    def _members_cost(self, interval: int, length: float) -> Reals:
        """What members cost in a step; infinitely much where a queue can't be so short."""
        hours = length / 3600 * self._known[interval]
        cost = self._prices.member_hour * hours[:, None] * self._sizes
        impossible = self._queue < self._shift(interval, length)[:, :, None]
        impossible[:, :, -1] = False
        return np.where(impossible, np.inf, cost[:, :, None])

    def _late_cost(self, interval: int, length: float) -> Reals:
        """What a step costs in which the queue is too long; nothing where that is in it already."""
        counts = self._known[interval] & (self._inevitable[interval] == 0)
        late = self._prices.late_partition_hour * length / 3600
        return np.where(counts, late, 0.0)[:, None]


def _allowed(process: Process, late_after: float) -> float:
    """The most records that ever may wait while no partition is late."""
    rates = np.maximum(process.arrivals, process.usual).sum(axis=1)
    return float(rates.max(initial=0.0) * late_after)


def _inevitable(process: Process, late_after: float, step: float) -> Reals:
    """Partition-seconds in each interval in which partitions are late whatever the members.

    A partition is read by one member at most: if that reads nothing else and never pauses, it is
    no further behind than this.
    """
    late = np.zeros(len(process.rates))
    hot = process.hot
    lag = np.zeros(len(hot))
    for interval, rates in enumerate(process.arrivals[:, hot] if len(hot) else ()):
        if not process.known[interval]:
            continue
        seconds = float(process.edges[interval + 1] - process.edges[interval])
        steps = max(1, int(np.ceil(seconds / step - 1e-9)))
        ends = np.arange(1, steps + 1) * (seconds / steps)
        behind = np.maximum(lag[:, None] + (rates - process.peak_rate)[:, None] * ends, 0.0)
        allowed = np.maximum(rates, process.usual[hot]) * late_after
        late[interval] = float((behind > allowed[:, None]).sum()) * seconds / steps
        lag = behind[:, -1]
    return late
