"""Simulated time: what is to happen, in the order of its time."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any


class Clock:
    """Runs actions in the order of their times; those of one time in the order they were set."""

    def __init__(self) -> None:
        self.now = 0.0
        self._queue: list[tuple[float, int, Callable[..., None], tuple[Any, ...]]] = []
        self._set = 0

    def at(self, time: float, action: Callable[..., None], *arguments: Any) -> None:
        """Do something at a time in milliseconds; what is late already is done next."""
        self._set += 1
        heapq.heappush(self._queue, (max(time, self.now), self._set, action, arguments))

    def run(self, until: float) -> None:
        """Let time pass up to and including `until`."""
        queue = self._queue
        while queue and queue[0][0] <= until:
            self.now, _, action, arguments = heapq.heappop(queue)
            action(*arguments)
        self.now = max(self.now, until)

    @property
    def next_time(self) -> float | None:
        """When something happens next; None if nothing will."""
        return self._queue[0][0] if self._queue else None
