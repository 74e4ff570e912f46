"""How many members a group needs for what comes in, and what intervals of commits cost."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from optimizer.model import Problem, classes_of, members_per_host
from optimizer.sizes.sizes import readers_of, whole_hosts

LEAST = 1e-6
"""Of a member's load: what comes so slowly has to be read all the same."""


@dataclass(frozen=True)
class Needed:
    """`members` are the fewest of whom none has more to read a second than `load` records.

    None if there is too much for present members that new ones of the commonest kind can't take
    off them. `rate` is what comes in altogether. `proven`: no fewer would do.
    """

    members: int | None
    rate: float
    load: float
    proven: bool


def needed_for(problem: Problem, rates: NDArray[Any], peak_rate: float, headroom: float) -> Needed:
    """The members for rates of topics, in records a second, of which one can do `peak_rate`.

    `headroom` is how much of that it shall have to do at most. Partitions are taken to be shared
    out as finely as need be; present members may go, and new ones of the commonest subscription
    come, all members of a host together. `rates` has one for each of the problem's topics, all read
    by somebody.
    """
    readers, classes = readers_of(problem), classes_of(problem)
    read = (classes.of_topic >= 0) & (problem.topic_sizes > 0)
    number = np.unique(classes.of_topic[read], return_inverse=True)[1]
    supply = np.bincount(number, weights=rates[read], minlength=len(readers.supply))
    load = peak_rate * headroom
    takers = readers.fewest(load, supply.clip(LEAST * load))
    if takers is None:
        return Needed(None, float(supply.sum()), load, proven=True)
    per_host = members_per_host(problem)
    members = whole_hosts(int(takers.counts.sum()), per_host)
    proven = takers.proven and (per_host == 1 or readers.alike)
    return Needed(members, float(supply.sum()), load, proven)


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
            interval, members / interval, rate / members * interval / 2, rate / members * interval
        )
        for interval in intervals
    ]
