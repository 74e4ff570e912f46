"""Members that a group needs for what comes in, and what intervals of commits cost."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heapreplace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from optimizer.model import IntArray, Problem, classes_of, members_per_host
from optimizer.sizes.sizes import Ladder, readers_of, whole_hosts

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


@dataclass(frozen=True)
class Side:
    """`members` members read `partitions` partitions, and none more than `max_load`.

    `lag` is the sum of what is known of these partitions, `max_lag` the most of a member: where
    it isn't the present one, partitions are dealt by lag, the largest first. None: not known.
    """

    members: int
    partitions: int
    max_load: int
    lag: float | None
    max_lag: float | None


@dataclass(frozen=True)
class Split:
    """A group as it is and in its optimum, and the same members as two groups."""

    topic: str
    now: Side
    optimum: Side
    own: Side
    rest: Side

    @property
    def max_load(self) -> int:
        """Of both groups together."""
        return max(self.own.max_load, self.rest.max_load)


def split_of(
    problem: Problem, topic: str, rates: NDArray[np.float64] | None = None
) -> Split | None:
    """The split of the group's members with the lowest largest load; weights are lags.

    With `rates`, what comes in a second by topic, members are divided by these: the most for one
    member is as low as it can be, where a partition has one member at most.
    The members who stay are those that can carry the most, as in `sizes_of`. None where nobody
    reads the topic, or nothing else is read, or there is one member only.
    """
    if topic not in problem.topics:
        return None
    at = list(problem.topics).index(topic)
    others = [kind[kind != at] for kind in problem.subscriptions]
    without = replace(problem, subscriptions=others)
    whole, rest = readers_of(problem), readers_of(without)
    alone = whole.partitions - rest.partitions
    if not alone or not rest.partitions or whole.members < 2:
        return None
    ladder = Ladder(rest, rest.members, 1)

    def largest(members: int) -> tuple[float, int, int]:
        """Of both groups, and their sum, if `members` members go to the topic's own group."""
        stay = whole.members - members
        of_rest = ladder.max_load(stay)
        loads = (-(-alone // members), whole.partitions if of_rest is None else of_rest)
        most = 0.0
        if rates is not None:
            all_others = rates.sum() - rates[at]
            most = max(rates[at] / min(members, alone), all_others / min(stay, rest.partitions))
        return most, max(loads), sum(loads)

    own = min(range(1, whole.members), key=largest)
    stay = whole.members - own
    left = ladder.max_load(stay)
    if left is None:
        return None
    lags, is_own = _lags(problem), problem.topic_of == at
    read = np.isin(problem.topic_of, np.concatenate(problem.subscriptions))
    optimum = Ladder(whole, whole.members, 1).max_load(whole.members)
    return Split(
        topic,
        _now(problem, lags, read, whole.members),
        _side(lags, read, whole.members, optimum or 0, whole.alike),
        _side(lags, read & is_own, own, -(-alone // own), True),
        _side(lags, read & ~is_own, stay, left, rest.alike),
    )


def _lags(problem: Problem) -> IntArray | None:
    """Of each partition, 0 where it isn't known; None where none is."""
    if problem.weights is None or not np.isfinite(problem.weights).any():
        return None
    return np.nan_to_num(problem.weights).astype(np.int64)


def _now(problem: Problem, lags: IntArray | None, read: NDArray[np.bool_], members: int) -> Side:
    owned = read & (problem.owner >= 0)
    loads = np.bincount(problem.owner[owned], minlength=1)
    lag = most = None
    if lags is not None:
        lag = float(lags[read].sum())
        most = float(np.bincount(problem.owner[owned], lags[owned], minlength=1).max())
    return Side(members, int(read.sum()), int(loads.max()), lag, most)


def _side(
    lags: IntArray | None, read: NDArray[np.bool_], members: int, load: int, alike: bool
) -> Side:
    if lags is None:
        return Side(members, int(read.sum()), load, None, None)
    most = _max_lag_dealt(lags[read], members, load) if alike else None
    return Side(members, int(read.sum()), load, float(lags[read].sum()), most)


def _max_lag_dealt(lags: IntArray, members: int, load: int) -> float:
    """The most lag of a member if the largest goes to the least so far, `load` to each at most."""
    heap = [(0, 0)] * members
    heapify(heap)
    full = 0
    for lag in sorted(lags.tolist(), reverse=True):
        total, count = heap[0]
        if count + 1 == load:
            full = max(full, total + lag)
            heapreplace(heap, (2**62, load))
        else:
            heapreplace(heap, (total + lag, count + 1))
    return float(max([full, *(total for total, count in heap if count < load)]))
