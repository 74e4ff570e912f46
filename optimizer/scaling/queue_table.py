"""The cheapest course of an easier group: one queue, sizes that change at once.

The relaxed group. Its partitions form one queue, which n members (no more than partitions) read at
n × the peak rate. A rebalance costs its price and no time, and to close all members costs nothing.
A member reads at once. The queue is empty at the beginning. A step is late with one partition where
the queue is above what all partitions together may be behind in that interval.

Its lattice. The queue is counted in units, of which a member reads a whole number in a step. What
comes in is rounded down as a sum since the beginning, so that no rounding adds up: a queue of k
units in the table is above k - 1 units in truth (Lindley's recursion on both sides). So it counts
as late from one unit above the limit. A queue above the longest limit and a unit is cut to it.

A table has the least cost of each size and each length of the queue, step by step. Costs are
complex numbers: the imaginary part is the time that was late. numpy compares these by their real
part, then by the imaginary one: of two courses that cost the same, the one that is less late stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from optimizer.model import IntArray, Reals
from optimizer.scaling.inevitable import Inevitable
from optimizer.scaling.prices import Prices
from optimizer.scaling.process import Process, steps_in

UNITS = 8
"""Of the queue at which the group is late in its busiest interval, at least."""

SAME = 1e-9
"""Of a unit: what floating point may make of a whole number."""

Complexes = NDArray[np.complex128]


class QueueTable:
    """Tables of lengths of the queue × sizes × processes: the least cost with a queue so long."""

    def __init__(
        self,
        processes: Sequence[Process],
        late: Sequence[Inevitable],
        prices: Prices,
        step: float,
        units: int,
    ) -> None:
        self._prices, self._edges, self._step = prices, processes[0].edges, step
        self._peak = np.array([process.peak_rate for process in processes])
        self._partitions = np.array([process.partitions for process in processes])
        self._total = np.array([process.total for process in processes]).T
        self._is_known = np.array([process.is_known for process in processes]).T
        limits = np.array([_limits(process, prices.late_after) for process in processes]).T
        reads = self._peak * step
        most = limits.max(axis=0, initial=0.0)
        a_member = np.ceil(units * reads / np.where(most > 0, most, units * reads) - SAME)
        self._reads = np.maximum(1, a_member.astype(np.int64))
        self._unit = reads / self._reads
        self._late_from = np.ceil(limits / self._unit - SAME).astype(np.int64) + 1
        self._queue = np.arange(int(self._late_from.max(initial=1)) + 1)
        self._sizes = np.arange(self._largest_size() + 1)
        self._is_late_anyway = np.array([item.any_partition for item in late]).T > 0

    @property
    def cells(self) -> int:
        """Of a process."""
        return len(self._sizes) * len(self._queue)

    @property
    def most(self) -> Reals:
        """More than any course can cost, in each process."""
        steps = sum(count for _, count, _ in self._intervals())
        prices = self._prices
        hourly = prices.member_hour * len(self._sizes) + prices.late_partition_hour
        each = hourly * self._step / 3600 + prices.rebalance
        return np.full(len(self._peak), 1.0 + steps * each)

    def cheapest(self, late_price: Reals) -> tuple[Reals, Reals]:
        """Of the course that costs least if each late second costs so much more in each process.

        Its cost without that, and its late seconds.
        """
        flat = np.zeros(self.cells * len(self._peak) + 1, np.complex128)
        flat[-1] = np.inf  # what a queue costs to which nothing leads
        table = flat[:-1].reshape(-1, len(self._sizes), len(self._peak))
        paid = np.zeros(len(self._peak), np.complex128)
        arrived = np.zeros(len(self._peak))
        price = late_price + self._prices.late_partition_hour / 3600
        for interval, count, length in self._intervals():
            coming = arrived + np.arange(count + 1)[:, None] * self._arrivals(interval, length)
            arrived = coming[-1]
            whole = np.floor(coming + SAME).astype(np.int64)
            steps = np.diff(whole, axis=0)
            self._pass(flat, table, interval, steps, length, price)
            low = table.min(axis=(0, 1))
            paid += low
            table -= low
        return paid.real - late_price * paid.imag, paid.imag

    def _intervals(self) -> Iterator[tuple[int, int, float]]:
        """The number of each interval that counts in any process, its steps and their seconds."""
        for interval in np.flatnonzero(self._is_known.any(axis=1)).tolist():
            seconds = float(self._edges[interval + 1] - self._edges[interval])
            yield interval, *steps_in(seconds, self._step)

    def _arrivals(self, interval: int, length: float) -> Reals:
        """Units that come in in a step."""
        return np.asarray(self._total[interval] * length / self._unit)

    def _pass(
        self,
        flat: Complexes,
        table: Complexes,
        interval: int,
        arrivals: IntArray,
        length: float,
        price: Reals,
    ) -> None:
        """Let the steps of an interval pass over the table.

        It never grows with the queue, since a longer one may always be pretended.
        """
        fewest = arrivals.min(axis=0)
        few, more = (self._sources(interval, fewest + extra, length) for extra in (0, 1))
        cost = self._members_cost(interval, length)
        from_, is_late, late = self._lateness(interval, length, price)
        last_in_time, every = self._late_from[interval] - 1, np.arange(len(self._peak))
        rebalance = self._prices.rebalance
        moved = np.empty_like(table)
        for has_more in arrivals > fewest:
            cheapest = table.min(axis=1, keepdims=True)
            np.minimum(table, cheapest + rebalance, out=table)
            table[:, 0] = cheapest[:, 0]  # nobody is left to rebalance
            source = few
            if has_more.any():
                source = more if has_more.all() else np.where(has_more, more, few)
            np.take(flat, source, out=moved, mode="clip")
            np.add(moved, cost, out=table)
            in_time = table[last_in_time, :, every].T
            ends = table[from_:]
            ends += late
            np.minimum(ends, in_time, out=ends, where=is_late)

    def _sources(self, interval: int, arrivals: IntArray, length: float) -> IntArray:
        """From which cell each cell of the table comes in a step.

        An empty queue comes from the longest that a step empties, the longest from the longest.
        """
        last = len(self._queue) - 1
        read = np.ceil(self._reads * length / self._step - SAME).astype(np.int64)
        members = np.minimum(self._sizes[:, None], self._partitions)
        shift = np.where(self._is_known[interval], arrivals - members * read, 0)
        source = np.minimum(self._queue[:, None, None] - shift, last)
        source[last] = last
        column = np.arange(shift.size).reshape(shift.shape)
        nothing = self.cells * len(self._peak)
        return np.where(source < 0, nothing, source * shift.size + column)

    def _members_cost(self, interval: int, length: float) -> Complexes:
        hours = length / 3600 * self._is_known[interval]
        cost = self._prices.member_hour * hours * self._sizes[:, None]
        return np.asarray(cost, np.complex128)

    def _lateness(
        self, interval: int, length: float, price: Reals
    ) -> tuple[int, NDArray[np.bool_], Complexes]:
        """From which queue on a step is late in any process, where, and what it costs.

        It costs nothing where an inevitable lateness is counted already.
        """
        from_ = int(self._late_from[interval].min())
        is_late = self._queue[from_:, None, None] >= self._late_from[interval]
        counts = self._is_known[interval] & ~self._is_late_anyway[interval]
        costs = np.where(counts, length * (price + 1j), 0.0)
        return from_, is_late, is_late * costs

    def _largest_size(self) -> int:
        """More members empty the longest queue in one step, or are more than partitions."""
        coming = self._total.max(axis=0, initial=0.0) * self._step + self._unit * len(self._queue)
        enough = np.ceil(coming / (self._peak * self._step))
        return int(np.minimum(enough, self._partitions).max(initial=1))


def _limits(process: Process, late_after: float) -> Reals:
    """The most records that may wait in each interval while no partition is late."""
    rates = np.maximum(process.arrivals, process.usual).sum(axis=1)
    return np.asarray(rates * late_after)
