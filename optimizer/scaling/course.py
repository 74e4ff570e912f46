"""Course of one group under one policy, and its cost."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from optimizer.model import Reals


@dataclass(frozen=True)
class Prices:
    """Prices in any unit; the defaults count in member-hours.

    A partition is late while its lag is above `late_after` seconds: its records behind ÷ the
    records a second that come in (at least its mean rate). `on_time` is the share of the time in
    which no partition is late under a course that meets the SLO; 0 asks for nothing.
    """

    member_hour: float = 1.0
    late_partition_hour: float = 10.0
    rebalance: float = 0.05
    late_after: float = 60.0
    on_time: float = 0.99

    def cost(self, member_hours: float, late_partition_hours: float, rebalances: int) -> float:
        """The price of a course."""
        return (
            self.member_hour * member_hours
            + self.late_partition_hour * late_partition_hours
            + self.rebalance * rebalances
        )


SAME_SECONDS = 1e-6
"""Late times that differ by less are the same."""


@dataclass(eq=False)
class Course:
    """One entry for each interval of a process; times are seconds, lags are records.

    `members` are those at the interval's end, paid as soon as they are asked for; `most_members`
    the most in it. `lag` is that at its end, `lag_seconds` that of the worst partition at the worst
    time. `late` are partition-seconds late, `some_late` the seconds in which any partition was.
    `lag_record_seconds` is the lag over time. `unread` are partition-seconds without a reader, as
    the twin has them. `changes` of size and `rebalances` are counted where they began.
    """

    seconds: Reals
    members: Reals
    most_members: Reals
    member_seconds: Reals
    lag: Reals
    lag_seconds: Reals
    lag_record_seconds: Reals
    late: Reals
    some_late: Reals
    unread: Reals
    changes: Reals
    rebalances: Reals

    @classmethod
    def empty(cls, *shape: int) -> Course:
        """Zeros to sum up in: of many runs, with axes before or behind that of intervals."""
        return cls(**{column.name: np.zeros(shape) for column in fields(cls)})

    def part(self, index: Any) -> Course:
        """Some of the runs, or one interval of them: a view, by an index of NumPy's."""
        return Course(**{name: numbers[index] for name, numbers in vars(self).items()})

    def totals(self, prices: Prices) -> Totals:
        """The course in figures."""
        hours, seconds = float(self.member_seconds.sum()) / 3600, float(self.seconds.sum())
        late, rebalances = float(self.late.sum()) / 3600, int(self.rebalances.sum())
        length, some_late = max(seconds, 1e-9), float(self.some_late.sum())
        return Totals(
            member_hours=hours,
            members=hours * 3600 / length,
            most_members=int(self.most_members.max(initial=0)),
            changes=int(self.changes.sum()),
            rebalances=rebalances,
            lag=float(self.lag_record_seconds.sum()) / length,
            worst_lag_seconds=float(self.lag_seconds.max(initial=0.0)),
            late_partition_hours=late,
            on_time=1.0 - some_late / length,
            meets_slo=some_late <= (1.0 - prices.on_time) * seconds + SAME_SECONDS,
            unread_seconds=float(self.unread.sum()),
            cost=prices.cost(hours, late, rebalances),
        )


@dataclass(frozen=True)
class Totals:
    """A course in figures: see `Course` and `Prices`; `members` and `lag` are means."""

    member_hours: float
    members: float
    most_members: int
    changes: int
    rebalances: int
    lag: float
    worst_lag_seconds: float
    late_partition_hours: float
    on_time: float
    meets_slo: bool
    unread_seconds: float
    cost: float
