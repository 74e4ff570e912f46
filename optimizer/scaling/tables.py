"""Assignments and pauses of many groups as tables that grow when they are asked for more."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from optimizer.model import IntArray, ranges
from optimizer.scaling.pauses import Pause
from optimizer.scaling.process import Process, Reals

MISSING = -1


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
    """What a change of size costs, for groups that pause alike and all pairs of sizes."""

    def __init__(self, processes: Sequence[Process]) -> None:
        kinds = {process.pauses.key: process.pauses for process in processes}
        numbers = {key: number for number, key in enumerate(kinds)}
        self._kinds = [*kinds.values()]
        self._kind = np.array([numbers[process.pauses.key] for process in processes])
        self._known: Reals = np.full((len(kinds), 1, 1, len(Pause._fields)), np.nan)

    def of(self, groups: IntArray, before: IntArray, after: IntArray) -> Reals:
        """A column for each group: rebalances, seconds of the stop, seconds of what moves."""
        most = max(int(before.max(initial=0)), int(after.max(initial=0)))
        if most >= self._known.shape[1]:
            self._grow(2 * most)
        kinds = self._kind[groups]
        result = self._known[kinds, before, after]
        if np.isnan(result).any():
            for key in {*zip(kinds.tolist(), before.tolist(), after.tolist(), strict=True)}:
                if np.isnan(self._known[key]).any():
                    self._known[key] = self._kinds[key[0]].between(*key[1:])
            result = self._known[kinds, before, after]
        return np.asarray(result.T)

    def _grow(self, most: int) -> None:
        there = self._known.shape[1]
        larger = np.full((len(self._kinds), most + 1, most + 1, len(Pause._fields)), np.nan)
        larger[:, :there, :there] = self._known
        self._known = larger
