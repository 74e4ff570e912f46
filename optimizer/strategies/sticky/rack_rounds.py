"""The part of the sticky assignment that gives partitions to members in their rack."""

from bisect import bisect_left

import numpy as np

from optimizer.model import IntArray
from optimizer.strategies.kafka import NO_RACK, Racks
from optimizer.strategies.sticky.quota import Unfilled


def rack_rounds(target: IntArray, rest: IntArray, unfilled: Unfilled, racks: Racks) -> IntArray:
    """Hand out those of the partitions `rest` that somebody unfilled is near to.

    Writes them to `target`, brings `unfilled` up to date and returns the other partitions
    (AbstractStickyAssignor…assignRackAwareRoundRobin). The members under the quota are asked in
    turn, starting behind the last one that got something; then the others from the first on.
    """
    racks_in = [np.flatnonzero(row).tolist() for row in racks.holds]
    under = _Queue(unfilled.under, racks)
    exact = _Queue(unfilled.exact, racks)
    extra, need = unfilled.quota.extra, unfilled.need
    turn = 0
    left = []
    for partition, near in zip(
        rest.tolist(), map(racks_in.__getitem__, racks.set_of[rest].tolist()), strict=True
    ):
        place = under.next(near, turn)
        if place >= 0:
            member = under.members[place]
            need[member] -= 1
            turn = place + 1
            if need[member] <= 0:
                under.remove(place)
                if extra > unfilled.full:
                    exact.append(member)
        elif (place := exact.next(near, 0)) >= 0:
            member = exact.members[place]
            exact.remove(place)
            unfilled.full += 1
            if unfilled.full == extra:
                exact = _Queue([], racks)
        else:
            left.append(partition)
            continue
        target[partition] = member
    unfilled.under = under.remaining()
    unfilled.exact = exact.remaining()
    return np.array(left, np.int64)


class _Queue:
    """Members in order, found by rack."""

    def __init__(self, members: list[int], racks: Racks) -> None:
        self.members: list[int] = []
        self._gone: set[int] = set()
        self._rack_of = racks.of_member
        self._positions: list[list[int]] = [[] for _ in range(racks.holds.shape[1])]
        for member in members:
            self.append(member)

    def append(self, member: int) -> None:
        rack = self._rack_of[member]
        if rack != NO_RACK:
            self._positions[rack].append(len(self.members))
        self.members.append(member)

    def remove(self, place: int) -> None:
        positions = self._positions[self._rack_of[self.members[place]]]
        del positions[bisect_left(positions, place)]
        self._gone.add(place)

    def next(self, near: list[int], start: int) -> int:
        """First place from `start` on, and round to it again, with a member in one of the racks.

        -1 if there is none.
        """
        best = -1
        for rack in near:
            positions = self._positions[rack]
            if positions:
                at = bisect_left(positions, start)
                place = positions[at] if at < len(positions) else positions[0]
                if best < 0 or (place < start, place) < (best < start, best):
                    best = place
        return best

    def remaining(self) -> list[int]:
        return [m for place, m in enumerate(self.members) if place not in self._gone]
