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
        kinds = [process.pauses for process in processes]
        self._kinds = list(dict.fromkeys(kinds))
        numbers = {kind: number for number, kind in enumerate(self._kinds)}
        self._kind = np.array([numbers[kind] for kind in kinds])
        self._known: dict[tuple[int, int, int], Pause] = {}

    def of(self, groups: IntArray, before: IntArray, after: IntArray) -> Reals:
        """A column for each group: rebalances, seconds of the stop, seconds of what moves."""
        keys = zip(self._kind[groups].tolist(), before.tolist(), after.tolist(), strict=True)
        result = [self._known.get(key) or self._add(key) for key in keys]
        return np.array(result, float).T

    def _add(self, key: tuple[int, int, int]) -> Pause:
        kind, before, after = key
        pause = self._kinds[kind].between(before, after)
        self._known[key] = pause
        return pause
