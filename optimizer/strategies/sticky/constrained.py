"""Kafka's sticky assignment of members who all subscribe to the same topics."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from optimizer.model import NOBODY, IntArray, Problem, classes_of
from optimizer.strategies.kafka import NO_RACK, Racks, string_ranks
from optimizer.strategies.sticky.previous import Previous, far_owned, refuse_beyond
from optimizer.strategies.sticky.quota import Quota, Unfilled
from optimizer.strategies.sticky.rack_rounds import rack_rounds


class Constrained(NamedTuple):
    """`transferring` tells which partitions somebody else has to give up first."""

    target: IntArray
    transferring: NDArray[np.bool_]


class _Kept(NamedTuple):
    """What members keep of what they owned, and who was cut down to ⌊P/M⌋ or ⌈P/M⌉."""

    target: IntArray
    given_up_by: IntArray
    unfilled: Unfilled


def assign_constrained(
    problem: Problem, order: IntArray, previous: Previous, racks: Racks | None
) -> Constrained:
    """Keep what fits, then fill up in rounds (AbstractStickyAssignor.ConstrainedAssignmentBuilder).

    `order` is that of the HashMap of owned partitions by member, which is filled in the order of
    that of subscriptions: it decides who may have ⌈P/M⌉. Owned partitions are kept by ascending
    (number, topic) since KAFKA-16277; where racks pay, only those in the member's own rack. With
    racks, partitions that few members are near to go out first.
    """
    read = np.flatnonzero(classes_of(problem).of_partition >= 0)
    quota = Quota(*divmod(len(read), len(order)))
    if racks is not None and not racks.pay(np.arange(len(order)), read):
        racks = None
    kept = _keep(problem, order, previous, racks, quota)
    target = kept.target[: problem.partition_count]
    rest = read[target[read] == NOBODY]
    rest = rest[np.argsort(string_ranks(problem.topics)[problem.topic_of[rest]], kind="stable")]
    kept.unfilled.sort(string_ranks(problem.member_ids))
    if racks is not None:
        named = racks.of_member[racks.of_member != NO_RACK]
        near = racks.holds @ np.bincount(named, minlength=racks.holds.shape[1])
        rest = rest[np.argsort(near[racks.set_of[rest]], kind="stable")]
        rest = rack_rounds(target, rest, kept.unfilled, racks)
    target[rest] = kept.unfilled.rounds(len(rest))
    given_up = kept.given_up_by[: problem.partition_count]
    contested = previous.contested[: problem.partition_count]
    return Constrained(target, ((given_up != NOBODY) & (given_up != target)) | contested)


def _keep(
    problem: Problem, order: IntArray, previous: Previous, racks: Racks | None, quota: Quota
) -> _Kept:
    owner = previous.owner.copy()
    given_up_by = np.full(len(owner), NOBODY)
    if racks is not None:
        far = far_owned(problem, owner, racks)
        given_up_by[far], owner[far] = owner[far], NOBODY
    owner[previous.contested] = NOBODY
    owned = np.flatnonzero(owner != NOBODY)
    counts = np.bincount(owner[owned], minlength=len(order))
    unfilled = Unfilled(quota, [0] * len(order))
    keeps = unfilled.take_back(order, counts)
    if (keeps < counts).any():
        names = string_ranks(problem.topics)[previous.topic_of[owned]]
        owned = owned[np.lexsort((names, previous.number_of[owned], owner[owned]))]
        place = np.arange(len(owned)) - (np.cumsum(counts) - counts)[owner[owned]]
        surplus = owned[place >= keeps[owner[owned]]]
        given_up_by[surplus], owner[surplus] = owner[surplus], NOBODY
    refuse_beyond(problem, previous, owner)
    return _Kept(owner, given_up_by, unfilled)
