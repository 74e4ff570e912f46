"""What a group has to do over time: arrivals by partition, and what its members can do."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from optimizer.model import Reals
from optimizer.scaling.assignments import Assignments
from optimizer.scaling.pauses import Pauses

WEEK_SECONDS = 7 * 86_400.0


@dataclass(frozen=True, eq=False)
class Process:
    """A group over `len(edges) - 1` intervals of time.

    `edges` are seconds, `rates` records a second of each interval and partition: constant within
    an interval, since a store knows no more; NaN where one isn't known, and then the interval is
    passed over: nothing arrives, nothing is read, and it doesn't count. `recorded` are the members
    that the group had in each interval. One member reads `peak_rate` records a second at most.
    A member reads `start_seconds` after it was asked for. `lag` are the records behind at the
    beginning, of each partition. `uncommitted` says where the logs of partitions end then that
    the group never committed an offset of; NaN for all others. Partitions are in the order of
    `assignments`.
    """

    edges: Reals
    rates: Reals
    recorded: NDArray[np.int64]
    peak_rate: float
    assignments: Assignments
    pauses: Pauses
    start_seconds: float
    lag: Reals
    uncommitted: Reals

    @property
    def partitions(self) -> int:
        return int(self.rates.shape[1])

    @cached_property
    def is_known(self) -> NDArray[np.bool_]:
        """Whether each interval counts."""
        return np.asarray(~np.isnan(self.rates).any(axis=1))

    @cached_property
    def arrivals(self) -> Reals:
        """The rates, 0 in intervals that don't count."""
        return np.asarray(np.where(self.is_known[:, None], self.rates, 0.0))

    @cached_property
    def total(self) -> Reals:
        """Records a second that come in, by interval."""
        return np.asarray(self.arrivals.sum(axis=1))

    @cached_property
    def usual(self) -> Reals:
        """The mean rate of each partition over the time that counts."""
        lengths = np.diff(self.edges) * self.is_known
        return np.asarray(lengths @ self.arrivals / max(float(lengths.sum()), 1e-9))

    def uncommitted_ends(self, at: float) -> Reals:
        """Where the logs of `uncommitted` partitions end at a time; NaN for all others."""
        passed = (at - self.edges[:-1]).clip(0, np.diff(self.edges))
        return np.asarray(self.uncommitted + passed @ self.arrivals)

    @cached_property
    def hot(self) -> NDArray[np.int64]:
        """Partitions that at times get more than one member can read, the hottest first."""
        most = self.arrivals.max(axis=0, initial=0.0)
        order = np.argsort(-most, kind="stable")
        return np.asarray(order[most[order] > self.peak_rate])

    def hours(self) -> float:
        """Hours that count."""
        return float((np.diff(self.edges) * self.is_known).sum() / 3600)
