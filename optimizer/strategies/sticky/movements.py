"""The moves within one sticky assignment, kept so that none goes there and back."""

from functools import cache

from optimizer.model import Problem
from optimizer.strategies.kafka import (
    DEFAULT_CAPACITY,
    MIN_TREEIFY_CAPACITY,
    TREEIFY_THRESHOLD,
    bucket,
    grown,
    partition_hash,
    string_hash,
)

_Route = tuple[int, int]
"""The member that had a partition at first, and the one that has it now."""


class Movements:
    """Which partitions went from whom to whom (AbstractStickyAssignor.PartitionMovements)."""

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
        self._capacity = grown(len(self._hashes), self._capacity)

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
