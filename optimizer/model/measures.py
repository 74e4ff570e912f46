"""An assignment in numbers."""

from typing import NamedTuple

import numpy as np

from optimizer.model.arrays import IntArray
from optimizer.model.classes import classes_of
from optimizer.model.hosts import max_host_load
from optimizer.model.problem import NOBODY, Problem
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
