"""What commit intervals cost: commits a second, and records that are read twice."""

from collections.abc import Sequence
from typing import NamedTuple

INTERVALS = (1.0, 5.0, 15.0, 60.0)
"""Seconds; 5 is Kafka's default (auto.commit.interval.ms)."""


class CommitCost(NamedTuple):
    """A group whose members commit every `interval` seconds.

    `commits` are requests a second to its coordinator. A member that crashes leaves what it has
    read since its last commit, which its heirs read again: `read_twice` records in the mean, and
    `read_twice_most` at most.
    """

    interval: float
    commits: float
    read_twice: float
    read_twice_most: float


def commit_curve(
    members: int, rate: float, intervals: Sequence[float] = INTERVALS
) -> list[CommitCost]:
    """For a group that reads `rate` records a second, shared out evenly over its members.

    A crash is as likely at any time between two commits.
    """
    return [
        CommitCost(
            interval,
            members / interval,
            rate / members * interval / 2,
            rate / members * interval,
        )
        for interval in intervals
    ]
