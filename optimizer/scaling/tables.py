"""Assignments and pauses of many groups as tables that grow when they are asked for more."""

from collections.abc import Sequence

import numpy as np

from optimizer.model import IntArray, Reals, ranges
from optimizer.scaling.pauses import Pause
from optimizer.scaling.process import Process

MISSING = -1

SIZE_BITS = 24
LARGEST_SIZE = (1 << SIZE_BITS) - 1
"""Two sizes and a kind of pauses are one number; more members no group has."""


class OwnersTable:
    """The assignments of groups at each size, one behind the other."""

    def __init__(self, processes: Sequence[Process]) -> None:
        self._processes = processes
        self._partitions = np.array([process.partitions for process in processes])
        most = int(self._partitions.max(initial=1))
        self._where: IntArray = np.full((len(processes), most + 1), MISSING)
        self._owners: IntArray = np.zeros(1024, np.int64)
        self._used = 0

    def of(self, groups: IntArray, members: IntArray) -> IntArray:
        """The owners of all partitions of these groups at these sizes, one group after the other.

        More members than partitions own nothing more.
        """
        useful = np.minimum(members, self._partitions[groups])
        where = self._where[groups, useful]
        if (where == MISSING).any():
            for group, size in {*zip(groups.tolist(), useful.tolist(), strict=True)}:
                if self._where[group, size] == MISSING:
                    self._add(group, size)
            where = self._where[groups, useful]
        return self._owners[ranges(where, self._partitions[groups])]

    def _add(self, group: int, size: int) -> None:
        owners = self._processes[group].assignments.owners(size)
        end = self._used + len(owners)
        if end > len(self._owners):
            self._owners = np.concatenate([self._owners, np.zeros(max(end, self._used), np.int64)])
        self._owners[self._used : end] = owners
        self._where[group, size] = self._used
        self._used = end


class PausesTable:
    """What a change of size costs, for groups that pause alike and the pairs of sizes seen."""

    def __init__(self, processes: Sequence[Process]) -> None:
        pauses = {process.pauses.key: process.pauses for process in processes}
        numbers = {key: number for number, key in enumerate(pauses)}
        self._pauses = [*pauses.values()]
        self._pauses_of = np.array([numbers[process.pauses.key] for process in processes])
        self._changes: IntArray = np.array([np.iinfo(np.int64).max])
        self._costs: Reals = np.zeros((1, len(Pause._fields)))

    def of(self, groups: IntArray, before: IntArray, after: IntArray) -> Reals:
        """A column for each group: rebalances, seconds of the stop, seconds of what moves."""
        changes = (self._pauses_of[groups] << 2 * SIZE_BITS) + (before << SIZE_BITS) + after
        at = np.searchsorted(self._changes, changes)
        if (self._changes[at] != changes).any():
            self._add(np.setdiff1d(changes, self._changes))
            at = np.searchsorted(self._changes, changes)
        return np.asarray(self._costs[at].T)

    def _add(self, changes: IntArray) -> None:
        """The costs of further changes, which stay in order."""
        sizes = changes >> SIZE_BITS & LARGEST_SIZE, changes & LARGEST_SIZE
        entries = np.array([changes >> 2 * SIZE_BITS, *sizes]).T.tolist()
        costs = [self._pauses[number].between(*pair) for number, *pair in entries]
        at = np.searchsorted(self._changes, changes)
        self._changes = np.insert(self._changes, at, changes)
        self._costs = np.insert(self._costs, at, costs, axis=0)
