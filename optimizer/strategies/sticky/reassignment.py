"""The sticky assignment's search for partitions that make a heavy member lighter."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from optimizer.model import NOBODY, IntArray, Problem, StrategyError, classes_of
from optimizer.strategies.kafka import (
    DEFAULT_CAPACITY,
    MIN_TREEIFY_CAPACITY,
    TREEIFY_THRESHOLD,
    bucket,
    bucket_count,
    partition_hash,
    string_hash,
)

_Route = tuple[int, int]
"""The member that had a partition at first, and the one that has it now."""


class Movements:
    """Partitions that went between members (AbstractStickyAssignor.PartitionMovements)."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._routes: dict[int, _Route] = {}
        self._moved: dict[tuple[int, _Route], _HashSet] = {}
        self._topic_hash = cache(lambda topic: string_hash(problem.topics[topic]))

    def to_be_moved(self, partition: int, giver: int, taker: int) -> int:
        """The partition to move from giver to taker instead of this one: often the same.

        If one of its topic has come from the taker, that goes back first. A partition that moved
        before counts as its first owner's: what goes back then isn't the giver's.
        """
        if partition in self._routes:
            giver = self._routes[partition][0]
        topic = int(self._problem.topic_of[partition])
        came = self._moved.get((topic, (taker, giver)))
        return came.first() if came else partition

    def move(self, partition: int, giver: int, taker: int) -> None:
        topic = int(self._problem.topic_of[partition])
        route = self._routes.pop(partition, None)
        if route is not None:
            self._moved[topic, route].remove(partition)
            giver = route[0]
        if giver != taker:
            self._routes[partition] = giver, taker
            moved = self._moved.setdefault((topic, (giver, taker)), _HashSet())
            moved.add(partition, self._hash(partition, topic))

    def state(self) -> frozenset[object]:
        """All that decides on later moves."""
        sets = {route: moved.state() for route, moved in self._moved.items() if moved}
        return frozenset({*self._routes.items(), *sets.items()})

    def _hash(self, partition: int, topic: int) -> int:
        number = partition - int(self._problem.topic_offsets[topic])
        return partition_hash(self._topic_hash(topic), number)


class _HashSet:
    """A HashSet of partitions, as far as its first element goes.

    In 64 buckets and more, one that holds nine partitions becomes a tree, whose root comes first:
    that isn't followed here. It takes nine partitions of a topic with numbers that are equal
    modulo 64, all moved from one member to the same other.
    """

    def __init__(self) -> None:
        self._hashes: dict[int, int] = {}
        self._capacity = DEFAULT_CAPACITY

    def add(self, partition: int, hash_code: int) -> None:
        self._hashes[partition] = hash_code
        if self._capacity < MIN_TREEIFY_CAPACITY and self._shares_a_long_bucket(hash_code):
            self._capacity *= 2
        self._capacity = bucket_count(len(self._hashes), self._capacity)

    def _shares_a_long_bucket(self, hash_code: int) -> bool:
        buckets = [bucket(other, self._capacity) for other in self._hashes.values()]
        return buckets.count(bucket(hash_code, self._capacity)) > TREEIFY_THRESHOLD

    def remove(self, partition: int) -> None:
        del self._hashes[partition]
        if not self._hashes:  # Kafka drops an empty set, and with it how far it had grown
            self._capacity = DEFAULT_CAPACITY

    def first(self) -> int:
        """The partition in the lowest bucket, and in there the one that came first."""
        return min(self._hashes, key=lambda p: bucket(self._hashes[p], self._capacity))

    def state(self) -> tuple[int, ...]:
        return self._capacity, *self._hashes

    def __bool__(self) -> bool:
        return bool(self._hashes)


_FIRST_LOOK = 64
"""Partitions examined together behind a move; twice as many whenever none of them moves."""


class Reassigner:
    """Moves partitions while that evens out loads (GeneralAssignmentBuilder.performReassignments).

    Kafka walks a list of partitions, and at each asks of all members and partitions whether the
    group is balanced. Nothing changes between two moves, and in a balanced group no partition
    makes one: so the next that does is looked up by array, and balance is asked for only where
    stale owners who unsubscribed are about, who may get what they must not read.
    """

    def __init__(
        self,
        problem: Problem,
        owner: IntArray,
        rank: IntArray,
        fixed: NDArray[np.bool_],
        stale_owner: IntArray,
    ) -> None:
        """`owner` is changed in place; `rank` is that of the member ids.

        `fixed` members take no part; `stale_owner` has for each partition the member of an older
        generation who claims it, or NOBODY.
        """
        self._problem = problem
        self._owner = owner
        self._rank = rank
        self._fixed = fixed
        self._loads = np.bincount(owner[owner != NOBODY], minlength=len(rank))
        self._stale_owner = stale_owner
        self._has_stale = bool((stale_owner != NOBODY).any())
        self._out_of_place: set[int] = set()
        self._movements = Movements(problem)
        self._made_worse = False
        self._set_up_classes()

    def _set_up_classes(self) -> None:
        classes, members = classes_of(self._problem), len(self._rank)
        self._class_of = classes.of_partition
        self._readers = [classes.members_of(c) for c in range(len(classes))]
        # at most the load of a class's lightest reader; what it lacks shows when a move is tried
        self._floor = np.array([self._loads[reader].min() for reader in self._readers], np.int64)
        self._pair_class = np.arange(len(classes)).repeat(np.diff(classes.offsets))
        by_member = np.argsort(classes.members, kind="stable")
        ends = np.cumsum(np.bincount(classes.members, minlength=members))
        self._classes_of = np.split(self._pair_class[by_member], ends[:-1])

    def run(self, partitions: IntArray) -> bool:
        """Sweep over the partitions until a sweep moves none; returns whether any moved.

        Raises StrategyError where Kafka throws.
        """
        moved = False
        seen: set[tuple[int, int]] = set()
        while self._sweep(partitions):
            moved = True
            # a loop that never ends goes through moves that don't even out anything
            if self._made_worse:
                state = hash(self._owner.tobytes()), hash(self._movements.state())
                if state in seen:
                    raise StrategyError(
                        "Kafka's sticky assignors never end: they move the same partitions there "
                        "and back for ever"
                    )
                seen.add(state)
        return moved

    def _sweep(self, partitions: IntArray) -> bool:
        classes = self._class_of[partitions]
        self._made_worse = moved = False
        at = self._next(partitions, classes, 0)
        while at < len(partitions):
            partition = int(partitions[at])
            taker = self._taker(partition)
            if taker != NOBODY:
                if self._out_of_place_matters(partition, taker) and self._is_balanced():
                    break
                self._reassign(partition, taker)
                moved = True
            at = self._next(partitions, classes, at + 1)
        return moved

    def _next(self, partitions: IntArray, classes: IntArray, at: int) -> int:
        """Place of the next partition from `at` on that may move; len(partitions) if none does."""
        size = _FIRST_LOOK
        while at < len(partitions):
            window = slice(at, at + size)
            loads = self._loads[self._owner[partitions[window]]]
            hits = loads > self._floor[classes[window]] + 1
            if self._has_stale:
                hits |= self._goes_back(partitions[window], loads)
            first = int(hits.argmax())
            if hits[first]:
                return at + first
            at += size
            size *= 2
        return len(partitions)

    def _goes_back(self, partitions: IntArray, loads: IntArray) -> NDArray[np.bool_]:
        """Whether a stale owner with less is there; one who takes no part makes Kafka throw."""
        stale = self._stale_owner[partitions]
        lighter = self._fixed[stale] | (loads > self._loads[stale] + 1)
        return np.asarray((stale != NOBODY) & lighter)

    def _taker(self, partition: int) -> int:
        """The member that would get the partition; NOBODY if it stays."""
        load = self._loads[self._owner[partition]]
        if self._has_stale and self._goes_back(np.array([partition]), load[None])[0]:
            return int(self._stale_owner[partition])
        c = int(self._class_of[partition])
        readers = self._readers[c]
        loads = self._loads[readers]
        self._floor[c] = loads.min()
        if load <= self._floor[c] + 1:
            return NOBODY
        lightest = readers[loads == self._floor[c]]
        return int(lightest[self._rank[lightest].argmin()])

    def _out_of_place_matters(self, partition: int, taker: int) -> bool:
        """Whether the group may be balanced by Kafka's measure though this partition would move."""
        return bool(self._out_of_place) or (
            self._has_stale and (self._fixed[taker] or not self._reads(taker, partition))
        )

    def _reads(self, member: int, partition: int) -> bool:
        readers = self._readers[self._class_of[partition]]
        return member in readers[readers.searchsorted(member) :][:1]

    def _is_balanced(self) -> bool:
        """Kafka's own measure (isBalanced).

        No member could take a partition from one who has two more; members that have just as many
        as they could get aren't asked, even if those aren't the ones that they may read.
        """
        problem, classes = self._problem, classes_of(self._problem)
        active = self._loads[~self._fixed]
        if active.min() >= active.max() - 1:
            return True
        read = self._class_of >= 0
        heaviest = np.zeros(len(classes), np.int64)
        np.maximum.at(heaviest, self._class_of[read], self._loads[self._owner[read]])
        members = classes.members
        asked = ~self._fixed[members] & (self._loads != most_each(problem))[members]
        return not (asked & (self._loads[members] + 1 < heaviest[self._pair_class])).any()

    def _reassign(self, partition: int, taker: int) -> None:
        if self._fixed[taker]:
            name = self._problem.partition_name(partition)
            raise StrategyError(
                f"Kafka's sticky assignors throw a NullPointerException: {name} is claimed with "
                f"an old generation by {self._problem.member_ids[taker]!r}, which takes no part in "
                "balancing"
            )
        moved = self._movements.to_be_moved(partition, int(self._owner[partition]), taker)
        giver = int(self._owner[moved])
        self._movements.move(moved, giver, taker)
        self._made_worse |= bool(self._loads[giver] <= self._loads[taker] + 1)
        self._owner[moved] = taker
        self._loads[giver] -= 1
        self._loads[taker] += 1
        lighter = self._classes_of[giver]
        self._floor[lighter] = np.minimum(self._floor[lighter], self._loads[giver])
        if self._has_stale:
            self._out_of_place.discard(moved)
            if not self._reads(taker, moved):
                self._out_of_place.add(moved)


def most_each(problem: Problem) -> IntArray:
    """Partitions that each member subscribes to."""
    return np.array(
        [problem.topic_sizes[topics].sum() for topics in problem.subscriptions], np.int64
    )[problem.member_subscription]
