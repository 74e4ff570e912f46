"""Groups under policies over recorded time: fluid lag by partition, sizes, and rebalances."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from optimizer.model import IntArray, Reals, ranges
from optimizer.scaling.course import Course, Prices
from optimizer.scaling.policies.policy import Policy, Signals
from optimizer.scaling.process import Process

STEP_SECONDS = 60.0
"""Lag is examined so often; policies that decide more often see the same lag in between."""

SAME_TIME = 1e-6
"""Seconds: what lies less apart is at one time."""


def replay(
    processes: Sequence[Process],
    policies: Sequence[Policy],
    prices: Prices | None = None,
    step: float = STEP_SECONDS,
) -> list[list[Course]]:
    """For each process the course under each policy; all processes have the same `edges`.

    In a step of at most `step` seconds a member reads what waits in its partitions, in proportion,
    and no more than its peak rate allows in the time that no rebalance takes. So the lag of each
    member is exact at the end of a step. A size is decided there; new members join within a step.
    ValueError where edges differ.
    """
    if any(not np.array_equal(process.edges, processes[0].edges) for process in processes):
        raise ValueError("processes that are replayed together need the same edges")
    runs = _Runs(list(processes), list(policies), prices or Prices(), step)
    for interval in range(len(processes[0].edges) - 1):
        runs.pass_interval(interval)
    indices = range(len(processes)), range(len(policies))
    return [[runs.record.part(np.s_[:, at, group]) for at in indices[1]] for group in indices[0]]


class _Runs:
    """Every process under every policy: arrays of policies × groups, or policies × partitions."""

    def __init__(
        self, processes: list[Process], policies: list[Policy], prices: Prices, step: float
    ) -> None:
        self._processes, self._policies = processes, policies
        self._prices, self._step = prices, step
        self._edges = processes[0].edges
        counts = [process.partitions for process in processes]
        self._starts = np.cumsum([0, *counts])
        self._group = np.repeat(np.arange(len(processes)), counts)
        self._arrivals = np.concatenate([process.arrivals for process in processes], axis=1)
        self._usual = np.concatenate([process.usual for process in processes])
        self._is_known = np.array([process.is_known for process in processes]).T
        self._peak = np.array([process.peak_rate for process in processes])
        self._deciders = [policy.decider(processes) for policy in policies]
        self._due = [policy.every_seconds for policy in policies]
        shape = (len(policies), len(processes))
        self.asked: IntArray = np.array([policy.first(processes) for policy in policies])
        self.reading: IntArray = self.asked.copy()
        self._stop = np.zeros(shape)
        self._slots = _Slots(processes, len(policies))
        self._start = np.array([process.start_seconds for process in processes])
        lag = np.concatenate([process.lag for process in processes])
        self._lag = np.tile(lag, (len(policies), 1))
        self._blocked = np.zeros_like(self._lag)
        self._is_blocked = False
        self._joining: dict[float, list[tuple[IntArray, IntArray, IntArray]]] = defaultdict(list)
        self._now = float(self._edges[0])
        self._rate = np.array([process.total[0] for process in processes])
        at, groups = (index.reshape(-1) for index in np.indices(shape))
        self._slots.seat(at, groups, self.reading.reshape(-1))
        self.record = Course.empty(len(self._edges) - 1, *shape)

    def pass_interval(self, interval: int) -> None:
        """Let an interval pass, step by step."""
        seconds = float(self._edges[interval + 1] - self._edges[interval])
        count = max(1, int(np.ceil(seconds / self._step - 1e-9)))
        length = seconds / count
        is_known, last = self._is_known[interval], len(self._edges) - 2
        arrivals = self._arrivals[interval]
        reference = np.maximum(arrivals, self._usual)
        inverse = np.divide(1.0, reference, out=np.zeros_like(reference), where=reference > 0)
        sums = self.record.part(interval)
        sums.seconds[:] = seconds * is_known
        for step in range(count):
            self._join(arrivals, length, is_known, sums)
            self._read(arrivals * length, length * is_known, inverse, sums)
            self._now += length
            self._decide(min(interval + (step == count - 1), last), is_known, sums)
            self._rate = np.add.reduceat(arrivals, self._starts[:-1])
        sums.members[:] = self.asked
        sums.lag[:] = self._lag_of_groups

    def _read(self, coming: Reals, lengths: Reals, inverse: Reals, sums: Course) -> None:
        """A step: arrivals come in and members read; `lengths` are its seconds for each group."""
        self._lag += coming
        waiting = self._lag
        if self._is_blocked:
            waiting = np.where(self._blocked >= lengths.max(), 0.0, self._lag)
            self._blocked = np.maximum(self._blocked - lengths[self._group], 0.0)
            self._is_blocked = bool(self._blocked.any())
        pause = np.minimum(self._stop, lengths)
        self._stop -= pause
        capacity = self._peak * (lengths - pause) * (self.reading > 0)
        shares = self._slots.shares(slice(None), waiting, capacity[:, self._group])
        self._lag -= waiting * shares
        late = self._lag * inverse
        starts = self._starts[:-1]
        lag = self._lag_of_groups = np.add.reduceat(self._lag, starts, axis=1)
        is_late = late > self._prices.late_after
        count = np.add.reduceat(is_late, starts, axis=1) if is_late.any() else None
        sums.member_seconds += self.asked * lengths
        sums.lag_record_seconds += lag * lengths
        worst = np.maximum.reduceat(late, starts, axis=1)
        np.maximum(sums.lag_seconds, worst, out=sums.lag_seconds)
        np.maximum(sums.most_members, self.asked, out=sums.most_members)
        if count is not None:
            sums.late += count * lengths
            sums.some_late += (count > 0) * lengths

    def _join(self, arrivals: Reals, length: float, is_known: IntArray, sums: Course) -> None:
        """Members that were asked for, and start within the step that begins now."""
        due = sorted(at for at in self._joining if at < self._now + length - SAME_TIME)
        if not due:
            return
        spent = np.zeros(self._stop.shape)
        for time in due:
            seconds = max(time - self._now, 0.0)
            for at, groups, members in self._joining.pop(time):
                self._read_before(at, groups, arrivals, (seconds, spent[at, groups]), is_known)
                spent[at, groups] = seconds
                self._resize(at, groups, np.minimum(members, self.asked[at, groups]), sums)
        spent *= is_known
        self._stop += spent
        if self._is_blocked:
            self._blocked += np.where(self._blocked > 0, spent[:, self._group], 0.0)

    def _read_before(
        self,
        at: IntArray,
        groups: IntArray,
        arrivals: Reals,
        seconds: tuple[float, Reals],
        is_known: IntArray,
    ) -> None:
        """Let these read up to a second of the step, from the one up to which they have already.

        The step's arrivals come later, with all others; that time counts as a stop then.
        """
        until, since = seconds
        lengths = (until - since) * is_known[groups]
        if not lengths.any():
            return
        cells, counts = self._slots.cells(at, groups), self._slots.partitions[groups]
        lag, blocked = self._lag.reshape(-1), self._blocked.reshape(-1)
        waiting = lag[cells] + arrivals[cells % len(arrivals)] * until
        if self._is_blocked:
            passed = np.repeat(lengths, counts)
            waiting[blocked[cells] >= passed] = 0.0
            blocked[cells] = np.maximum(blocked[cells] - passed, 0.0)
        pause = np.minimum(self._stop[at, groups], lengths)
        self._stop[at, groups] -= pause
        capacity = self._peak[groups] * (lengths - pause) * (self.reading[at, groups] > 0)
        lag[cells] -= waiting * self._slots.shares(cells, waiting, np.repeat(capacity, counts))

    def _decide(self, interval: int, is_known: IntArray, sums: Course) -> None:
        wanted = self.asked.copy()
        for at, decider in enumerate(self._deciders):
            times = self._times_due(at)
            if decider is not None and times:
                lag, lags = self._lag_of_groups[at], self._lag[at]
                seen = Signals(times, interval, lag, lags, self._rate, self.asked[at])
                wanted[at] = decider.decide(seen)
        at_, groups = ((wanted != self.asked) & is_known).nonzero()
        if len(groups):
            self._change(at_, groups, wanted[at_, groups], sums)

    def _times_due(self, at: int) -> list[float]:
        """When a policy decides up to the end of the step, since its last decision."""
        times = []
        while self._due[at] <= self._now - self._edges[0] + SAME_TIME:
            times.append(float(self._edges[0] + self._due[at]))
            self._due[at] += self._policies[at].every_seconds
        return times

    def _change(self, at: IntArray, groups: IntArray, members: IntArray, sums: Course) -> None:
        """Groups ask for more members, which join when they have started, or close some at once."""
        start = self._start[groups]
        now = (members < self.asked[at, groups]) | (start <= 0)
        self.asked[at, groups] = members
        sums.changes[at, groups] += 1
        if now.any():
            fewer = np.where(start <= 0, members, np.minimum(members, self.reading[at, groups]))
            self._resize(at[now], groups[now], fewer[now], sums)
        for seconds in np.unique(start[~now]).tolist():
            late = ~now & (start == seconds)
            self._joining[self._now + seconds].append((at[late], groups[late], members[late]))

    def _resize(self, at: IntArray, groups: IntArray, members: IntArray, sums: Course) -> None:
        """Rebalances: `members` members read from now on."""
        before = self.reading[at, groups]
        changed = members != before
        if not changed.any():
            return
        at, groups, members, before = (x[changed] for x in (at, groups, members, before))
        changes = zip(groups.tolist(), before.tolist(), members.tolist(), strict=True)
        pauses = [self._processes[group].pauses.between(*sizes) for group, *sizes in changes]
        rebalances, stop, moves = np.array(pauses).T
        cells, moved = self._slots.seat(at, groups, members)
        counts = self._slots.partitions[groups]
        self.reading[at, groups] = members
        self._stop[at, groups] = np.maximum(self._stop[at, groups], stop)
        waits = np.where(moved, np.repeat(moves, counts), np.repeat(stop, counts))
        if (moves > stop).any():
            flat = self._blocked.reshape(-1)
            flat[cells] = np.maximum(flat[cells], np.where(moved, waits, 0.0))
            self._is_blocked = True
        sums.rebalances[at, groups] += rebalances
        sums.unread[at, groups] += np.add.reduceat(waits, np.cumsum(counts) - counts)


class _Slots:
    """The member that reads each partition in each run: a number for each member of each run."""

    def __init__(self, processes: list[Process], policies: int) -> None:
        self.partitions = np.array([process.partitions for process in processes])
        self._first = np.cumsum(self.partitions) - self.partitions
        self._assignments = [process.assignments for process in processes]
        self._per_policy = int(self.partitions.sum())
        self._slot = np.zeros((policies, self._per_policy), np.int64)

    def seat(
        self, at: IntArray, groups: IntArray, members: IntArray
    ) -> tuple[IntArray, NDArray[np.bool_]]:
        """Let `members` members share the partitions of each group.

        The cells of these partitions, and whether each goes to another member.
        """
        cells, counts = self.cells(at, groups), self.partitions[groups]
        base = at * self._per_policy + self._first[groups]
        sizes = zip(groups.tolist(), members.tolist(), strict=True)
        owners = [self._assignments[group].owners(max(size, 1)) for group, size in sizes]
        slots = np.concatenate(owners) + np.repeat(base, counts)
        flat = self._slot.reshape(-1)
        moved = np.asarray(flat[cells] != slots)
        flat[cells] = slots
        return cells, moved

    def cells(self, at: IntArray, groups: IntArray) -> IntArray:
        """The partitions of these runs, counted policy by policy."""
        return ranges(at * self._per_policy + self._first[groups], self.partitions[groups])

    def shares(self, cells: IntArray | slice, waiting: Reals, capacity: Reals) -> Reals:
        """Share of what waits in each of these partitions that its member reads.

        `capacity` has for each partition the records that its member can read.
        """
        slots = self._slot.reshape(-1)[cells]
        work = np.bincount(slots, waiting.reshape(-1))[slots].reshape(waiting.shape)
        return np.divide(capacity, work, out=np.ones(waiting.shape), where=work > capacity)
