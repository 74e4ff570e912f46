"""Kafka's StickyAssignor and CooperativeStickyAssignor."""

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from optimizer.model import NOBODY, Answer, IntArray, Problem, at_once, classes_of
from optimizer.strategies.kafka import (
    NO_RACK,
    Racks,
    all_same_for_sticky,
    hash_map_order,
    racks_of,
    string_ranks,
)
from optimizer.strategies.sticky.general import assign_general
from optimizer.strategies.sticky.previous import Previous, far_owned, previous_of, refuse_beyond


class Quota(NamedTuple):
    """Every member gets `low` partitions, and `extra` of them one more."""

    low: int
    extra: int

    @property
    def high(self) -> int:
        return self.low + (self.extra > 0)


@dataclass(slots=True)
class Unfilled:
    """Members below the quota, in the order in which Kafka fills them.

    `under` own less than `quota.low`: `need[m]` tells how much less; `exact` own just that and may
    become one of the `quota.extra` members with one more, of whom there are `full` by now.
    """

    quota: Quota
    need: list[int]
    under: list[int] = field(default_factory=list)
    exact: list[int] = field(default_factory=list)
    full: int = 0

    def take_back(self, order: IntArray, owned: IntArray) -> IntArray:
        """Ask the members in `order` what they keep of `owned` partitions; returns it."""
        low, high, extra = self.quota.low, self.quota.high, self.quota.extra
        keeps = owned.tolist()
        for member in order.tolist():
            if keeps[member] < low:
                self.need[member] = low - keeps[member]
                self.under.append(member)
            elif keeps[member] >= high and self.full < extra:
                keeps[member] = high
                self.one_more_is_full()
            else:
                keeps[member] = low
                if self.full < extra:
                    self.exact.append(member)
        return np.array(keeps, np.int64)

    def one_more_is_full(self) -> None:
        self.full += 1
        if self.full == self.quota.extra:
            self.exact.clear()

    def sort(self, ranks: IntArray) -> None:
        """Sort both lists by `ranks`, those of the member ids."""
        by_id = ranks.tolist()
        self.under.sort(key=by_id.__getitem__)
        self.exact.sort(key=by_id.__getitem__)

    def rounds(self, count: int) -> IntArray:
        """Members for the next `count` partitions.

        Those under the quota take turns until each has enough, and then stand at the end of the
        queue from which everybody takes one more.
        """
        needs = np.array([self.need[member] for member in self.under], np.int64)
        place = np.repeat(np.arange(len(needs)), needs)
        turn = np.arange(len(place)) - np.repeat(np.cumsum(needs) - needs, needs)
        under = np.array(self.under, np.int64)
        taking_turns = under[place[np.lexsort((place, turn))]]
        queue = np.array(self.exact, np.int64)
        by_need = under[np.argsort(needs, kind="stable")]
        return np.concatenate([taking_turns, queue, by_need])[:count]


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


class Constrained(NamedTuple):
    """`transferring` tells which partitions somebody else has to give up first."""

    target: IntArray
    transferring: NDArray[np.bool_]


class _Kept(NamedTuple):
    """Partitions that members keep of their own, and who was cut down to ⌊P/M⌋ or ⌈P/M⌉."""

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


def assign_sticky(problem: Problem) -> Answer:
    """The answer of org.apache.kafka.clients.consumer.StickyAssignor (KIP-54, KIP-341).

    A member's claims and its generation are what its user data says. Raises StrategyError where
    Kafka throws.
    """
    return at_once(_assign(problem).target)


def assign_cooperative_sticky(problem: Problem) -> Answer:
    """The answer of CooperativeStickyAssignor (KIP-429), and what it holds back at first.

    Partitions that somebody still has to give up are in the target and not in the first round.
    """
    target, transferring = _assign(problem)
    return Answer(target, np.where(transferring, NOBODY, target))


def _assign(problem: Problem) -> Constrained:
    count = problem.partition_count
    if not len(classes_of(problem)):  # nobody reads anything
        return Constrained(np.full(count, NOBODY), np.zeros(count, bool))
    order = hash_map_order(problem)
    previous = previous_of(problem, order)
    racks = racks_of(problem)
    if all_same_for_sticky(problem, order):
        return assign_constrained(problem, hash_map_order(problem, order), previous, racks)
    target = assign_general(problem, order, previous, racks)
    return Constrained(target, _transferring(problem, target))


def _transferring(problem: Problem, target: IntArray) -> NDArray[np.bool_]:
    """Partitions that one member claims, by any generation, and another one gets."""
    member, partition = problem.claims
    transferring = np.zeros(len(target), bool)
    transferring[partition] = True
    transferring[partition[target[partition] == member]] = False
    return transferring
