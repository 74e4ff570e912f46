"""Records that come to the made-up fleet's topics hour by hour, and what its groups commit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from optimizer.model import IntArray
from spark.demo.events import FALLS_BEHIND, Event
from spark.demo.fleet import MadeFleet
from spark.demo.offsets import HOUR, STALLED

KEEPS_UP = 0.9
"""Share of what comes in that a group gets done that slowly falls behind."""


@dataclass(frozen=True)
class Flow:
    """Records that come and go, group after group, an entry for each partition that one knows.

    `of_group` has the entries of each group; `written` is what comes in an hour of the day like any
    other, `final` where the partition ends at last. What is committed stays `behind` its end, more
    by `losing` with each hour, and goes no further than `stuck`.
    """

    of_group: Sequence[IntArray]
    written: np.ndarray
    final: IntArray
    behind: IntArray
    losing: np.ndarray
    stuck: IntArray
    hours: int

    @staticmethod
    def of(fleet: MadeFleet, events: Sequence[Event], hours: int) -> Flow:
        counts = [int(fleet.topics.known_sizes[group.topics].sum()) for group in fleet.groups]
        ends = np.cumsum([0, *counts])
        of_group = [np.arange(*ends[at : at + 2]) for at in range(len(counts))]
        rows = np.concatenate([fleet.topics.known_rows(group.topics) for group in fleet.groups])
        written = fleet.topics.rates[rows] * HOUR
        offsets = fleet.offsets
        flow = Flow(
            of_group,
            written,
            offsets.end,
            np.maximum(offsets.end - offsets.committed, 0),
            np.zeros(len(rows)),
            np.full(len(rows), np.iinfo(np.int64).max),
            hours,
        )
        behind = {(event.cluster, event.name) for event in events if event.kind == FALLS_BEHIND}
        first, last = flow.end(0), flow.end(hours - 2)
        for group, of in zip(fleet.groups, of_group, strict=True):
            if group.kind == "empty":
                flow.stuck[of] = np.minimum(offsets.committed, first)[of]
                flow.behind[of] = 0
            elif group.kind == "stalled":
                flow.stuck[of] = np.minimum(offsets.end - STALLED, last)[of]
                flow.behind[of] = 0
            elif (fleet.cluster_of(group), group.name) in behind:
                flow.losing[of] = (1 - KEEPS_UP) * written[of]
        return flow

    def end(self, number: int) -> IntArray:
        """Where partitions end in one snapshot."""
        return self.final - np.ceil(self.written * self._hours_left(number)).astype(np.int64)

    def committed(self, number: int, end: IntArray) -> IntArray:
        """What is committed then: never less than before."""
        lag = self.behind + (self.losing * self._hours_since(number)).astype(np.int64)
        committed: IntArray = np.minimum(np.maximum(end - lag, 0), self.stuck)
        return committed

    def _hours_left(self, number: int) -> float:
        """Hours like any other until the last snapshot: by day more comes in than by night."""
        return float(self._pace[number + 1 :].sum())

    def _hours_since(self, number: int) -> float:
        return float(self._pace[1 : number + 1].sum())

    @cached_property
    def _pace(self) -> np.ndarray:
        return 1 + 0.4 * np.sin(2 * np.pi * (np.arange(self.hours) - self.hours + 7) / 24)
