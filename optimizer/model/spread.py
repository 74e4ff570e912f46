"""How a plan spreads topics over members, and in which groups that is examined."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from optimizer.model.arrays import Flags, IntArray
from optimizer.model.classes import classes_of
from optimizer.model.goals import Goals
from optimizer.model.hosts import hosts_of
from optimizer.model.problem import Problem, once_a_problem


@dataclass(frozen=True)
class HomogeneousGroups:
    """Groups one after the other: their members, and their partitions, numbered throughout.

    The members of group g are member_offsets[g]:member_offsets[g + 1], at least one, and its
    partitions partition_offsets[g]:partition_offsets[g + 1], at least one. `owner` has for each
    partition one of its group's members, or NOBODY. Topics are numbered throughout as well: the
    partitions of topic t are first_of_topic[t]:first_of_topic[t + 1], at least one. `host` has the
    number of each member's host, throughout as well, so that no two groups share one; None where it
    doesn't matter to any of them.
    """

    member_offsets: IntArray
    partition_offsets: IntArray
    owner: IntArray
    first_of_topic: IntArray
    host: IntArray | None = None

    def __len__(self) -> int:
        return len(self.member_offsets) - 1

    @cached_property
    def are_on_hosts(self) -> Flags:
        """Whether some members of each group share a host, and not all of them the same."""
        if self.host is None:
            return np.zeros(len(self), np.bool_)
        first = self.member_offsets[:-1]
        hosts = np.maximum.reduceat(self.host, first) - np.minimum.reduceat(self.host, first) + 1
        are_shared: Flags = (hosts > 1) & (hosts < np.diff(self.member_offsets))
        return are_shared

    def host_loads(self, member_loads: IntArray) -> IntArray:
        """How many partitions the members of each member's host have together."""
        if self.host is None:
            return member_loads
        return np.bincount(self.host, member_loads)[self.host].astype(np.int64)

    @cached_property
    def topic_offsets(self) -> IntArray:
        """The topics of group g are topic_offsets[g]:topic_offsets[g + 1]."""
        return self.first_of_topic.searchsorted(self.partition_offsets)

    @cached_property
    def topic_of(self) -> IntArray:
        """The topic of each partition."""
        return np.arange(len(self.first_of_topic) - 1).repeat(np.diff(self.first_of_topic))

    @cached_property
    def of_partition(self) -> IntArray:
        """The group of each partition."""
        return np.arange(len(self)).repeat(np.diff(self.partition_offsets))


DENSE = 4
"""Largest number of entries for each partition in a table of all topics and members."""


def spread_of(problem: Problem, target: IntArray) -> int:
    """Σ over topics and members of (partitions that the member has of the topic)²."""
    counts = _held(problem, target)[1]
    return int(counts @ counts)


def worst_topic_share(problem: Problem, target: IntArray) -> float | None:
    """The most partitions of a topic that a member has, over its fair share, of the worst topic.

    A fair share is what the topic comes to when it is spread evenly over those who subscribe to
    it, rounded up: so 1 is as good as possible. None if nothing is assigned.
    """
    topic, counts = _held(problem, target)
    readers = readers_of(problem)[topic]
    shares = counts[readers > 0] / -(-problem.topic_sizes[topic] // readers.clip(1))[readers > 0]
    return float(shares.max()) if len(shares) else None


def _held(problem: Problem, target: IntArray) -> tuple[IntArray, IntArray]:
    """What members have of topics: the topic, and how many, of each pair that has any."""
    members, topic_of = len(problem.member_ids), problem.topic_of
    if target.min(initial=0) < 0:
        read = (target >= 0).nonzero()[0]
        topic_of, target = topic_of[read], target[read]
    held = topic_of * members + target
    if members * len(problem.topics) > DENSE * len(target):
        pairs, counts = np.unique(held, return_counts=True)
        return pairs // max(members, 1), counts
    counts = np.bincount(held)
    pairs = counts.nonzero()[0]
    return pairs // max(members, 1), counts[pairs]


@once_a_problem
def least_spread(problem: Problem) -> int:
    """What no plan's spread falls below: that of each topic by itself, even over its readers."""
    readers, sizes = readers_of(problem), problem.topic_sizes
    read = readers > 0
    low, extra = np.divmod(sizes[read], readers[read])
    return int((readers[read] * low * low + extra * (2 * low + 1)).sum())


def readers_of(problem: Problem) -> IntArray:
    """How many members subscribe to each topic."""
    classes = classes_of(problem)
    # The entry at the end is that of topics without any, whose class is -1.
    sizes = classes.offsets[1:] - classes.offsets[:-1]
    readers: IntArray = np.concatenate((sizes, [0]))[classes.of_topic]
    return readers


QUICK = 400
"""Subscriptions of members to topics up to which spread is examined though no goal names it.

It then takes a millisecond or two.
"""

MAX_SUBSCRIPTIONS = 20_000
"""Subscriptions up to which spread is examined where `Goals.levels` names it.

It takes a tenth of a second for 10,000 and up to four for 20,000, two seconds with half a million
partitions.
"""


def levels_of(problem: Problem, goals: Goals) -> tuple[str, ...]:
    """The levels below balance that are examined in a group, in their order."""
    return tuple(
        level for level in goals.order if level not in NEEDS or NEEDS[level](problem, goals)
    )


def _is_spread_looked_at(problem: Problem, goals: Goals) -> bool:
    """In a group that isn't too large; in one of a single topic balance says it all."""
    most = MAX_SUBSCRIPTIONS if "spread" in goals.levels else QUICK
    return subscription_count(problem) <= most or int(np.count_nonzero(problem.topic_sizes)) < 2


NEEDS: dict[str, Callable[[Problem, Goals], bool]] = {
    "hosts": lambda problem, _: hosts_of(problem) is not None,
    "spread": _is_spread_looked_at,
}
"""Levels that aren't examined in every group, and whether a group has what each needs."""


def spread_is_looked_at(groups: HomogeneousGroups) -> Flags:
    """For each of many groups with the default goals, whether spread is among its levels."""
    topics = np.diff(groups.topic_offsets)
    is_small: Flags = topics * np.diff(groups.member_offsets) <= QUICK
    return is_small | (topics < 2)


@once_a_problem
def subscription_count(problem: Problem) -> int:
    """How many pairs of a member and a topic that it subscribes to there are."""
    if len(problem.subscriptions) == 1:
        return len(problem.subscriptions[0]) * len(problem.member_ids)
    sizes = np.array([len(topics) for topics in problem.subscriptions], np.int64)
    return int(sizes[problem.member_subscription].sum())
