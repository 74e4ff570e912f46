"""Recommendations of the last minutes: their lowest and highest."""

from __future__ import annotations

import numpy as np

from optimizer.model import IntArray


class Window:
    """What was recommended within `seconds`, every `every` seconds at most; a column a group."""

    def __init__(self, seconds: float, every: float, groups: int) -> None:
        rows = int(seconds / every) + 1
        self._times = np.full(rows, -np.inf)
        self._values: IntArray = np.zeros((rows, groups), np.int64)
        self._next = 0

    def add(self, now: float, values: IntArray) -> None:
        """Remember these in place of the oldest."""
        self._times[self._next], self._values[self._next] = now, values
        self._next = (self._next + 1) % len(self._times)

    def highest(self, after: float, values: IntArray) -> IntArray:
        """The highest of these and of those after a time."""
        recent = self._values[self._times > after]
        return np.maximum(values, recent.max(axis=0)) if len(recent) else values

    def lowest(self, after: float, values: IntArray) -> IntArray:
        """The lowest of these and of those after a time."""
        recent = self._values[self._times > after]
        return np.minimum(values, recent.min(axis=0)) if len(recent) else values
