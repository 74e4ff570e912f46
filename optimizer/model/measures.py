"""Figures of an assignment: loads, changes, reads within a rack, and how topics are spread."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from optimizer.model.arrays import Flags, IntArray, occurs
from optimizer.model.classes import classes_of
from optimizer.model.hosts import max_host_load
from optimizer.model.problem import NOBODY, Problem, once_a_problem


class Measures(NamedTuple):
    """Figures of an assignment; loads count partitions, over all members.

    `partitions` are those that somebody subscribes to. A move changes the owner of a partition
    whose owner is present and still subscribed; a takeover gives a partition to somebody whose
    owner left or unsubscribed. `spread` is the sum over topics and members of (partitions that the
    member has of the topic)². `max_host_load` is the most that a host's members have together, None
    where no two members share a host, or all share the same.
    """

    partitions: int
    max_load: int
    min_load: int
    sum_squares: int
    moves: int
    takeovers: int
    spread: int
    max_host_load: int | None = None


class Reads(NamedTuple):
    """Partitions read within a rack and across racks; the others' place, or reader's, isn't known.

    `local` counts those whose reader is in a rack of theirs, `remote` those whose reader is in
    another one.
    """

    local: int
    remote: int


def measure(problem: Problem, target: IntArray) -> Measures:
    """Count what an assignment does; `target` has a member index or NOBODY for each partition."""
    loads = member_loads(problem, target)
    moves, takeovers = changes_of(problem, target)
    return Measures(
        partitions=int(np.count_nonzero(classes_of(problem).of_partition >= 0)),
        max_load=int(loads.max(initial=0)),
        min_load=int(loads.min()) if len(loads) else 0,
        sum_squares=int(loads @ loads),
        moves=moves,
        takeovers=takeovers,
        spread=spread_of(problem, target),
        max_host_load=max_host_load(problem, loads),
    )


def changes_of(problem: Problem, target: IntArray) -> tuple[int, int]:
    """Moves and takeovers of an assignment."""
    changed = (target != NOBODY) & (target != problem.owner)
    moves = int(np.count_nonzero(changed & classes_of(problem).keepable))
    owned_before = int(np.count_nonzero(changed & (problem.owner != NOBODY)))
    return moves, owned_before - moves


def member_loads(problem: Problem, target: IntArray) -> IntArray:
    """Number of partitions of each member."""
    return np.bincount(target[target != NOBODY], minlength=len(problem.member_ids))


NO_RACK = -1
"""Rack of a member that names none."""


class RackTable(NamedTuple):
    """Partitions that are near to the same members' racks have a place in common.

    `rack_set_of` has the place of each partition, `rack_of` a rack below `racks`, or NO_RACK, for
    each member. `has_racks` tells of which places any rack is known at all, and `near` has
    place * `racks` + rack, ascending, for the racks within which a place is read.
    """

    rack_set_of: IntArray
    rack_of: IntArray
    racks: int
    has_racks: Flags
    near: IntArray

    def is_remote(self, place: IntArray, rack: IntArray) -> Flags:
        """Whether members of some racks read some places across racks."""
        remote: Flags = self.has_racks[place] & (rack != NO_RACK)
        remote &= ~occurs(place * self.racks + rack, self.near)
        return remote

    def reads(self, target: IntArray) -> Reads:
        """Count the reads of an assignment."""
        read = target >= 0
        place, rack = self.rack_set_of[read], self.rack_of[target[read]]
        remote = int(np.count_nonzero(self.is_remote(place, rack)))
        near_or_remote = int(np.count_nonzero(self.has_racks[place] & (rack != NO_RACK)))
        return Reads(local=near_or_remote - remote, remote=remote)


@once_a_problem
def rack_table_of(problem: Problem, rack: str | None) -> RackTable | None:
    """The rack facts of a problem in the meaning of `Goals.rack`; None where there are none."""
    if rack is None:
        return None
    racks_of = problem.leader_racks if rack == "leader" else problem.replica_racks
    if racks_of is None or problem.racks is None or not any(problem.racks):
        return None
    number: dict[str, int] = {}
    rack_of = [number.setdefault(r, len(number)) if r else NO_RACK for r in problem.racks]
    near_of = {entry: _near(entry, number) for entry in set(racks_of)}
    row_of = {near: at for at, near in enumerate(sorted(set(near_of.values())))}
    rack_set = {entry: row_of[near] for entry, near in near_of.items()}
    keys = [at * len(number) + rack for near, at in row_of.items() for rack in near[:-1]]
    return RackTable(
        rack_set_of=np.fromiter(map(rack_set.__getitem__, racks_of), np.int64, len(racks_of)),
        rack_of=np.array(rack_of, np.int64),
        racks=len(number),
        has_racks=np.array([near != () for near in row_of], np.bool_),
        near=np.array(keys, np.int64),
    )


def _near(entry: str | tuple[str, ...] | None, number: dict[str, int]) -> tuple[int, ...]:
    """Racks of a partition that members are in, and an end; nothing if none is known."""
    racks: Sequence[str | None] = entry if isinstance(entry, tuple) else (entry,)
    if not any(racks):
        return ()
    return (*sorted({number[rack] for rack in racks if rack and rack in number}), len(number))


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

    def host_loads(self, loads: IntArray) -> IntArray:
        """Partitions that all members of each member's host have together."""
        if self.host is None:
            return loads
        return np.bincount(self.host, loads)[self.host].astype(np.int64)

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
    counts = _topic_counts(problem, target)[1]
    return int(counts @ counts)


def worst_topic_share(problem: Problem, target: IntArray) -> float | None:
    """The most partitions of a topic that a member has, over its fair share, of the worst topic.

    A fair share is what the topic comes to when it is spread evenly over those who subscribe to
    it, rounded up: so 1 is as good as possible. None if nothing is assigned.
    """
    topic, counts = _topic_counts(problem, target)
    readers = readers_of(problem)[topic]
    shares = counts[readers > 0] / -(-problem.topic_sizes[topic] // readers.clip(1))[readers > 0]
    return float(shares.max()) if len(shares) else None


def _topic_counts(problem: Problem, target: IntArray) -> tuple[IntArray, IntArray]:
    """Partitions of topics that members have: the topic, and how many, of each pair with any."""
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
    """The least spread of any plan: each topic by itself even over its readers."""
    readers, sizes = readers_of(problem), problem.topic_sizes
    read = readers > 0
    low, extra = np.divmod(sizes[read], readers[read])
    return int((readers[read] * low * low + extra * (2 * low + 1)).sum())


def readers_of(problem: Problem) -> IntArray:
    """Subscribers of each topic."""
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


def may_spread(problem: Problem, is_named: bool) -> bool:
    """Whether a group isn't too large for spread; in one of a single topic balance says it all."""
    most = MAX_SUBSCRIPTIONS if is_named else QUICK
    return subscription_count(problem) <= most or int(np.count_nonzero(problem.topic_sizes)) < 2


def spread_is_looked_at(groups: HomogeneousGroups) -> Flags:
    """For each of many groups with the default goals, whether spread is among its levels."""
    topics = np.diff(groups.topic_offsets)
    is_small: Flags = topics * np.diff(groups.member_offsets) <= QUICK
    return is_small | (topics < 2)


@once_a_problem
def subscription_count(problem: Problem) -> int:
    """Pairs of a member and a topic that it subscribes to."""
    if len(problem.subscriptions) == 1:
        return len(problem.subscriptions[0]) * len(problem.member_ids)
    sizes = np.array([len(topics) for topics in problem.subscriptions], np.int64)
    return int(sizes[problem.member_subscription].sum())
