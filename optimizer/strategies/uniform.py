"""Kafka's UniformAssignor, which the coordinator runs (KIP-848).

Members who all subscribe to the same topics come first, then those who don't.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sized

import numpy as np

from optimizer.model import NOBODY, Answer, IntArray, Problem, StrategyError, at_once, classes_of
from optimizer.strategies.kafka import (
    Uuid,
    all_same,
    capacity_of_copy,
    derived_uuid,
    hash_map_order,
    in_hash_order,
    parse_uuid,
    partitions_of,
    string_hash,
    utf16,
)

_ByTopic = dict[int, dict[int, int]]


def assign_homogeneous(problem: Problem, order: IntArray, *, extras_to_owners: bool) -> IntArray:
    """Keep what fits in a quota, then fill up (UniformHomogeneousAssignmentBuilder, KIP-848).

    `order` is that of the HashMap of members. Each gets ⌊P/M⌋ partitions and P mod M members one
    more: those who own more, then the last ones (`extras_to_owners`, since Kafka 4.1), or just the
    first ones, also if others own partitions (up to 4.0, KAFKA-18688).
    """
    target = np.full(problem.partition_count, NOBODY)
    ids = topic_ids(problem)
    topics = subscribed_order(problem, ids, int(problem.member_subscription[order[0]]))
    if not len(topics):
        return target
    subscribed = set(topics.tolist())
    read = partitions_of(problem, topics)
    target[read] = np.maximum(problem.owner[read], NOBODY)
    owned = np.bincount(target[target != NOBODY], minlength=len(order))
    quotas = _quotas(len(read), order, owned, extras_to_owners=extras_to_owners)
    unassigned = [read[target[read] == NOBODY]]
    crowded = order[owned[order] > quotas[order]]
    for member, claims in _claims_of(problem, crowded):
        ordered = _as_iterated(claims, ids)
        surplus = [p for t, p in ordered if t in subscribed][quotas[member] :]
        target[surplus] = NOBODY
        unassigned.append(np.array(surplus, np.int64))
    missing = np.maximum(quotas - owned, 0)[order]
    target[np.concatenate(unassigned)] = np.repeat(order, missing)
    return target


def _quotas(
    partitions: int, order: IntArray, owned: IntArray, *, extras_to_owners: bool
) -> IntArray:
    """The most partitions of each member."""
    members = len(order)
    low, extra = divmod(partitions, members)
    quotas = np.full(members, low)
    if not extras_to_owners:
        quotas[order[:extra]] += 1
        return quotas
    for place, count in enumerate(owned[order].tolist()):
        if extra and (count > low or members - place <= extra):
            quotas[order[place]] += 1
            extra -= 1
    return quotas


def _claims_of(problem: Problem, members: IntArray) -> Iterator[tuple[int, _ByTopic]]:
    """Partitions that each of the members owns: their indexes by topic and number.

    All is in the order in which it was claimed.
    """
    if not len(members):
        return
    claimant, partition = problem.claims
    standing = problem.owner[partition] == claimant
    claimant, partition = claimant[standing], partition[standing]
    by_member = np.argsort(claimant, kind="stable")
    claimant, partition = claimant[by_member], partition[by_member]
    topic = problem.topic_of[partition]
    number = partition - problem.topic_offsets[topic]
    starts, ends = (np.searchsorted(claimant, members, side).tolist() for side in ("left", "right"))
    claims = list(zip(topic.tolist(), number.tolist(), partition.tolist(), strict=True))
    for member, start, end in zip(members.tolist(), starts, ends, strict=True):
        by_topic: _ByTopic = {}
        for t, n, p in claims[start:end]:
            by_topic.setdefault(t, {})[n] = p
        yield member, by_topic


def _as_iterated(claims: _ByTopic, ids: list[Uuid]) -> Iterator[tuple[int, int]]:
    """Topics and partitions of a current target in the order that Java gives them.

    It is a HashMap by topic id, filled in the order of the claims, of copied HashSets.
    """
    for t in in_hash_order(claims, lambda t: ids[t].hash_code(), ids.__getitem__):
        capacity = capacity_of_copy(len(claims[t]))
        for number in in_hash_order(claims[t], int, int, capacity):
            yield t, claims[t][number]


def assign_uniform(problem: Problem) -> Answer:
    """The answer of Kafka 4.1 to 4.3.1 (org.apache.kafka…group.assignor.UniformAssignor).

    The current target is what each member owns by `problem.owner`. Racks aren't examined.
    """
    return _assign(problem, extras_to_owners=True)


def assign_uniform_4_0(problem: Problem) -> Answer:
    """The answer of Kafka up to 4.0, which moves more than it has to (KAFKA-18688)."""
    return _assign(problem, extras_to_owners=False)


def _assign(problem: Problem, *, extras_to_owners: bool) -> Answer:
    if not len(problem.member_ids):
        return at_once(np.full(problem.partition_count, NOBODY))
    order = hash_map_order(problem)
    if all_same(problem):
        return at_once(assign_homogeneous(problem, order, extras_to_owners=extras_to_owners))
    return at_once(assign_heterogeneous(problem, order))


def topic_ids(problem: Problem) -> list[Uuid]:
    """The id of each topic; one that isn't given is derived from the name.

    Raises StrategyError for a text that is no id.
    """
    inputs = problem.kafka.topic_ids or [None] * len(problem.topics)
    return [_id_of(*pair) for pair in zip(problem.topics, inputs, strict=True)]


def _id_of(name: str, text: str | None) -> Uuid:
    if text is None:
        return derived_uuid(name)
    try:
        return parse_uuid(text)
    except ValueError as error:
        raise StrategyError(f"topic {name!r}: {error}") from error


def subscribed_order(problem: Problem, ids: list[Uuid], subscription: int) -> IntArray:
    """Topics of a subscription as the coordinator's HashSet of topic ids iterates them.

    It is a copy of a view on a HashSet of the names (TopicIds), in whose order they come in.
    `ids` are those of all topics.
    """
    topics = problem.subscriptions[subscription].tolist()
    lacking = problem.kafka.vanished[subscription] if problem.kafka.vanished else ()
    capacity = capacity_of_copy(len(topics) + len(lacking))
    by_name = in_hash_order(
        topics,
        lambda t: string_hash(problem.topics[t]),
        lambda t: utf16(problem.topics[t]),
        capacity,
    )
    by_id = in_hash_order(by_name, lambda t: ids[t].hash_code(), ids.__getitem__, capacity)
    return np.array(by_id, np.int64)


class Levels:
    """Walks `members` from the least and from the most loaded end, a level at a time.

    Members stand in the order of (load, number), and keep their places while loads change: the
    least loaded range takes one partition each, then rises a level and takes in those who stand on
    it; the most loaded range falls likewise
    (UniformHeterogeneousAssignmentBuilder.MemberAssignmentBalancer).
    """

    def __init__(self, members: IntArray, loads: IntArray) -> None:
        """`loads` of all members is examined again at every step: the caller brings it up."""
        self._loads = loads
        self._members: list[int] = members[np.argsort(loads[members], kind="stable")].tolist()
        self._low_end = 0
        self._low_level = self._load_at(0) - 1
        self._low_next = 0
        self._high_start = self._high_end = len(self._members)
        self._high_level = self._load_at(-1) + 1
        self._high_next = len(self._members) - 1

    def next_least(self) -> int:
        """The member for the next partition."""
        if self._low_next >= self._low_end:
            self._low_level += 1
            while (
                self._low_end < len(self._members)
                and self._load_at(self._low_end) == self._low_level
            ):
                self._low_end += 1
            self._low_next = 0
        self._low_next += 1
        return self._members[self._low_next - 1]

    def next_most(self, owned: Mapping[int, Sized]) -> int:
        """The member to take a partition from, NOBODY if none has any left in `owned`.

        A member without any changes places with the last one of the range, and leaves it.
        """
        while True:
            if self._high_next < self._high_start:
                self._lower()
            if self._high_next < 0:
                return NOBODY
            at = self._high_next
            self._high_next -= 1
            if owned.get(self._members[at]):
                return self._members[at]
            self._high_end -= 1
            members = self._members
            members[at], members[self._high_end] = members[self._high_end], members[at]

    def even(self) -> bool:
        return self._high_level - self._low_level <= 1

    def _lower(self) -> None:
        emptied = self._high_end <= self._high_start
        if emptied and self._high_start > 0:
            self._high_level = self._load_at(self._high_start - 1)
        else:
            self._high_level -= 1
        while self._high_start > 0 and self._load_at(self._high_start - 1) == self._high_level:
            self._high_start -= 1
        self._high_next = self._high_end - 1

    def _load_at(self, place: int) -> int:
        return int(self._loads[self._members[place]])


_CYCLES = 16
"""MAX_ITERATION_COUNT of Kafka's class."""


def assign_heterogeneous(problem: Problem, order: IntArray) -> IntArray:
    """Keep all, fill up, then even out (UniformHeterogeneousAssignmentBuilder, KAFKA-17710).

    `order` is that of the HashMap of members; in here, a member's number is its place in it.
    """
    state = _State(problem, order)
    topics = _topic_order(problem)
    for topic in topics:
        state.fill(topic)
    _even_out(state, [topic for topic in topics if len(state.readers(topic)) > 1])
    target = np.full(problem.partition_count, NOBODY)
    owned = state.owner != NOBODY
    target[owned] = order[state.owner[owned]]
    return target


def _topic_order(problem: Problem) -> list[int]:
    """Topics that are read: many partitions a reader first, then few readers, then by topic id."""
    ids = topic_ids(problem)
    classes = classes_of(problem)
    topics = np.flatnonzero(classes.of_topic >= 0)
    readers = np.diff(classes.offsets)[classes.of_topic[topics]]
    per_reader = np.diff(problem.topic_offsets)[topics] / readers
    rows = zip((-per_reader).tolist(), readers.tolist(), topics.tolist(), strict=True)
    return [t for *_, t in sorted(rows, key=lambda row: (row[0], row[1], ids[row[2]]))]


def _even_out(state: _State, topics: list[int]) -> None:
    """Go round the topics until a whole round changes nothing, 16 times at most."""
    last_changed = NOBODY
    for _ in range(_CYCLES):
        for place, topic in enumerate(topics):
            if place == last_changed:
                return
            if state.even_out(topic) or last_changed == NOBODY:
                last_changed = place


class _State:
    """Owners and loads on the way."""

    def __init__(self, problem: Problem, order: IntArray) -> None:
        self._problem = problem
        self._classes = classes_of(problem)
        self._place = np.argsort(order)
        self._readers: dict[int, IntArray] = {}
        self.owner = np.full(problem.partition_count, NOBODY)
        kept = self._classes.keepable
        self.owner[kept] = self._place[problem.owner[kept]]
        self._loads = np.bincount(self.owner[kept], minlength=len(order))

    def readers(self, topic: int) -> IntArray:
        """Numbers of a topic's readers, ascending."""
        c = int(self._classes.of_topic[topic])
        if c not in self._readers:
            self._readers[c] = np.sort(self._place[self._classes.members_of(c)])
        return self._readers[c]

    def fill(self, topic: int) -> None:
        """Give the topic's partitions that nobody has to the readers who have least."""
        start, end = self._problem.topic_offsets[topic : topic + 2].tolist()
        free = start + np.flatnonzero(self.owner[start:end] == NOBODY)
        if len(free):
            levels = Levels(self.readers(topic), self._loads)
            for partition in free.tolist():
                self._give(partition, levels.next_least())

    def even_out(self, topic: int) -> bool:
        """Move the topic's partitions from the fullest of its readers to the emptiest.

        Returns whether any moved. A member gives its highest partition first; those who have
        none are passed over.
        """
        readers = self.readers(topic)
        loads = self._loads[readers]
        if loads.max() - loads.min() <= 1:
            return False
        levels = Levels(readers, self._loads)
        owned = self._by_owner(topic)
        moved = False
        while (giver := levels.next_most(owned)) != NOBODY:
            taker = levels.next_least()
            if levels.even():
                break
            self._loads[giver] -= 1
            self._give(owned[giver].pop(), taker)
            moved = True
        return moved

    def _by_owner(self, topic: int) -> dict[int, list[int]]:
        start, end = self._problem.topic_offsets[topic : topic + 2].tolist()
        owned: dict[int, list[int]] = {}
        for partition, owner in enumerate(self.owner[start:end].tolist(), start):
            owned.setdefault(owner, []).append(partition)
        return owned

    def _give(self, partition: int, member: int) -> None:
        self.owner[partition] = member
        self._loads[member] += 1
