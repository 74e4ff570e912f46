"""What became of one group under one policy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from optimizer.model import IntArray, Reals
from optimizer.scaling.prices import Prices
from optimizer.scaling.process import Process

SAME_SECONDS = 1e-6
"""Late times that differ by less are the same."""


@dataclass(frozen=True, eq=False)
class Course:
    """One entry for each interval of a process; times are seconds, lags are records.

    `members` are those at the interval's end, paid as soon as they are asked for; `most_members`
    the most in it. `lag` is that at its end, `lag_seconds` that of the worst partition at the worst
    time. `late` are partition-seconds late, `some_late` the seconds in which any partition was.
    `lag_record_seconds` is the lag over time. `unread` are partition-seconds without a reader, as
    the twin has them. `changes` of size and `rebalances` are counted where they began.
    """

    policy: str
    seconds: Reals
    members: IntArray
    most_members: IntArray
    member_seconds: Reals
    lag: Reals
    lag_seconds: Reals
    lag_record_seconds: Reals
    late: Reals
    some_late: Reals
    unread: Reals
    changes: IntArray
    rebalances: IntArray

    def totals(self, prices: Prices) -> Totals:
        """What it comes to."""
        hours, seconds = float(self.member_seconds.sum()) / 3600, float(self.seconds.sum())
        late, rebalances = float(self.late.sum()) / 3600, int(self.rebalances.sum())
        length, some_late = max(seconds, 1e-9), float(self.some_late.sum())
        return Totals(
            policy=self.policy,
            member_hours=hours,
            mean_members=hours * 3600 / length,
            most_members=int(self.most_members.max(initial=0)),
            changes=int(self.changes.sum()),
            rebalances=rebalances,
            mean_lag=float(self.lag_record_seconds.sum()) / length,
            worst_lag_seconds=float(self.lag_seconds.max(initial=0.0)),
            late_partition_hours=late,
            on_time=1.0 - some_late / length,
            meets_slo=some_late <= prices.late_seconds(seconds) + SAME_SECONDS,
            unread_seconds=float(self.unread.sum()),
            cost=prices.cost(hours, late, rebalances),
        )


@dataclass(frozen=True)
class Totals:
    """A course in figures: see `Course` and `Prices`."""

    policy: str
    member_hours: float
    mean_members: float
    most_members: int
    changes: int
    rebalances: int
    mean_lag: float
    worst_lag_seconds: float
    late_partition_hours: float
    on_time: float
    meets_slo: bool
    unread_seconds: float
    cost: float


FIELDS = (
    *("seconds", "members", "most_members", "member_seconds", "lag", "lag_seconds"),
    *("lag_record_seconds", "late", "some_late", "unread", "changes", "rebalances"),
)
"""What a course has of each interval."""

WHOLE = ("members", "most_members", "changes", "rebalances")


class Record:
    """Sums up the present interval of many runs, and keeps those before."""

    def __init__(self, processes: list[Process], policies: list[str], intervals: int) -> None:
        self._policies = policies
        shape = (intervals, len(policies), len(processes))
        self._kept = {name: np.zeros(shape) for name in FIELDS}

    def of(self, interval: int) -> dict[str, Reals]:
        """What is summed up of an interval, by name: a row a policy, a column a group."""
        return {name: values[interval] for name, values in self._kept.items()}

    def courses(self) -> list[list[Course]]:
        """For each group one course for each policy."""
        _, policies, groups = self._kept["lag"].shape
        return [
            [
                Course(
                    policy=self._policies[at],
                    **{
                        name: values[:, at, group].astype(np.int64 if name in WHOLE else float)
                        for name, values in self._kept.items()
                    },
                )
                for at in range(policies)
            ]
            for group in range(groups)
        ]
