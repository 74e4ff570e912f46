"""Do all members subscribe to the same topics? Kafka's two answers to that."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from optimizer.model import IntArray, Problem, classes_of

NO_RACK = -1
"""Rack of a member that names none (or an empty one)."""


class Racks(NamedTuple):
    """Racks of members, and the set of racks that hold a replica of each partition.

    `of_member[m]` is a rack index or NO_RACK; `set_of[p]` is the index of partition p's rack set,
    and `holds[s, r]` tells whether set s has rack r. Racks that no member is in have an index too.
    """

    of_member: IntArray
    set_of: IntArray
    holds: NDArray[np.bool_]

    def match(self, members: IntArray, partitions: IntArray) -> NDArray[np.bool_]:
        """Whether each member may read each partition in its rack; without a rack it always may."""
        racks = self.of_member[members]
        return np.asarray((racks == NO_RACK) | self.holds[self.set_of[partitions], racks])

    def pay(self, members: IntArray, partitions: IntArray) -> bool:
        """Whether Kafka looks at racks at all (AbstractPartitionAssignor.useRackAwareAssignment).

        Some of the members' racks must hold a replica, and not every partition may have
        replicas on all of the racks there are.
        """
        named = np.unique(self.of_member[members])
        sets = self.holds[np.unique(self.set_of[partitions])]
        anywhere = np.asarray(sets.any(axis=0))
        shared = anywhere[named[named != NO_RACK]].any()
        return bool(shared and not (sets == anywhere).all())


def racks_of(problem: Problem) -> Racks | None:
    """The racks of a group; None where no member or no replica has one, so that none matter."""
    if problem.replica_racks is None or problem.racks is None or not any(problem.racks):
        return None
    number: dict[str, int] = {}
    of_member = [number.setdefault(r, len(number)) if r else NO_RACK for r in problem.racks]
    sets: dict[tuple[str, ...], int] = {}
    set_of = [sets.setdefault(racks, len(sets)) for racks in problem.replica_racks]
    racks_of_set = [
        [number.setdefault(r, len(number)) for r in racks if r is not None] for racks in sets
    ]
    holds = np.zeros((len(sets), len(number)), bool)
    for index, racks in enumerate(racks_of_set):
        holds[index, racks] = True
    return Racks(np.array(of_member, np.int64), np.array(set_of, np.int64), holds)


_Key = tuple[bytes, frozenset[str]]

_EMPTY: _Key = (b"", frozenset())


def all_same(problem: Problem) -> bool:
    """The coordinator's answer (ModernGroup.subscriptionType): every topic has every member."""
    return len(problem.subscriptions) <= 1 or len(set(_keys(problem))) == 1


def all_same_for_sticky(problem: Problem, order: IntArray) -> bool:
    """AbstractStickyAssignor's answer, which asks the members in the HashMap `order`.

    It compares with the first subscription that isn't empty, and never asks the members before
    that one: their empty subscriptions count as equal.
    """
    if len(problem.subscriptions) <= 1:
        return True
    keys = _keys(problem)
    asked = [keys[subscription] for subscription in problem.member_subscription[order].tolist()]
    first = next((at for at, key in enumerate(asked) if key != _EMPTY), 0)
    return all(key == asked[first] for key in asked[first:])


def _keys(problem: Problem) -> list[_Key]:
    """Keys by which subscriptions differ: their topics, with those that the cluster lacks."""
    vanished = problem.kafka.vanished or [()] * len(problem.subscriptions)
    return [
        (np.sort(topics).tobytes(), frozenset(lacking))
        for topics, lacking in zip(problem.subscriptions, vanished, strict=True)
    ]


def are_subscribed(problem: Problem, members: IntArray, classes: IntArray) -> NDArray[np.bool_]:
    """Whether each member reads each class of topics."""
    pairs = classes_of(problem).keys
    return np.isin(classes * len(problem.member_ids) + members, pairs)
