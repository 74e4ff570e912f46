"""What can be counted of an assignment: loads, changes, and reads within a rack."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from optimizer.model.arrays import Flags, IntArray, occurs
from optimizer.model.classes import classes_of
from optimizer.model.hosts import max_host_load
from optimizer.model.problem import NOBODY, Problem, once_a_problem
from optimizer.model.spread import spread_of


class Measures(NamedTuple):
    """What an assignment comes to; loads count partitions, over all members.

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
    """Those of a partition's racks that members are in, and an end; nothing if none is known."""
    racks: Sequence[str | None] = entry if isinstance(entry, tuple) else (entry,)
    if not any(racks):
        return ()
    return (*sorted({number[rack] for rack in racks if rack and rack in number}), len(number))
