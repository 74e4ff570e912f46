"""Who is near which partition: racks of members and of replicas (KIP-881)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from optimizer.model import IntArray, Problem

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
    entries = [
        [number.setdefault(r, len(number)) for r in racks if r is not None] for racks in sets
    ]
    holds = np.zeros((len(sets), len(number)), bool)
    for index, racks in enumerate(entries):
        holds[index, racks] = True
    return Racks(np.array(of_member, np.int64), np.array(set_of, np.int64), holds)
