"""Topics, subscriptions, claims and weights in an encoded row, and claims that contradict."""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from optimizer.model import (
    LEAST_CAPACITY,
    MOST_WEIGHT,
    IntArray,
    Ownership,
    capacity_fault,
    resolve,
)
from spark.groups.rows import ABSENT, LAG, EncodedRow

LARGEST = 1_000_000
"""No topic has more partitions: a higher number is a slip, and arrays for it would fill memory."""


@dataclass(frozen=True)
class Topics:
    """A group's topics sorted by name: those it reads, and those it only owns something of.

    `sizes` are partition counts, or negative signs of `spark.groups.encode`; `subscribed` are the
    indexes of the topics that somebody subscribes to. `ids` are None for topics that nobody reads.
    `place` has the index of each of the row's `all_topics`, -1 for others.
    """

    names: list[str]
    sizes: IntArray
    subscribed: IntArray
    ids: list[str | None]
    place: IntArray

    @cached_property
    def offsets(self) -> IntArray:
        """Partition p of topic t has the index offsets[t] + p."""
        offsets = np.zeros(len(self.sizes) + 1, np.int64)
        np.maximum(self.sizes, 0).cumsum(out=offsets[1:])
        return offsets


def read_topics(row: EncodedRow) -> Topics:
    """The topics of an encoded row; those that nobody reads reach as far as what is owned."""
    read, every = len(row.topics), len(row.all_topics)
    if row.claim_topics.max(initial=-1) < read:
        sizes, place = row.topic_sizes.astype(np.int64), np.full(every, -1)
        place[:read] = np.arange(read)
        return Topics(row.topics.tolist(), sizes, place[:read], row.topic_ids.tolist(), place)
    owned = row.claim_topics >= read
    at = np.append(np.arange(read), np.unique(row.claim_topics[owned]))
    at = at[np.argsort(row.all_topics[at], kind="stable")]
    sizes = np.append(row.topic_sizes, np.zeros(every - read, np.int64))
    reach = np.minimum(row.claim_partitions[owned], LARGEST - 1) + 1
    np.maximum.at(sizes, row.claim_topics[owned], reach)
    place = np.full(every, -1)
    place[at] = np.arange(len(at))
    ids = [*row.topic_ids, *[None] * (every - read)]
    names = row.all_topics[at].tolist()
    return Topics(names, sizes[at], place[:read], [ids[t] for t in at.tolist()], place)


class Subscriptions(NamedTuple):
    """Members of equal subscriptions share one: `of_member` tells which, `topics` what is in it.

    `vanished` names the topics of each that the cluster lacks; None if it has all.
    """

    of_member: IntArray
    topics: list[IntArray]
    vanished: list[tuple[str, ...]] | None


def read_subscriptions(
    topics: Topics, members: int, subscriber: IntArray, subscribed: IntArray
) -> Subscriptions:
    """The subscriptions of `members` members, given as aligned member and topic indexes.

    They are sorted by topic, then by member.
    """
    of_member, of_each = _shared_subscriptions(members, subscriber, subscribed)
    exists = topics.sizes >= 0
    if exists.all():
        return Subscriptions(of_member, of_each, None)
    return Subscriptions(
        of_member,
        [topic[exists[topic]] for topic in of_each],
        [tuple(topics.names[t] for t in topic[~exists[topic]].tolist()) for topic in of_each],
    )


def _shared_subscriptions(
    members: int, subscriber: IntArray, subscribed: IntArray
) -> tuple[IntArray, list[IntArray]]:
    topics = subscribed[::members]
    if len(subscriber) == members * len(topics):
        by_topic = subscriber.reshape(-1, members), subscribed.reshape(-1, members)
        if (by_topic[0] == np.arange(members)).all() and (topics == by_topic[1].T).all():
            return np.zeros(members, np.int64), [topics]
    width = int(subscribed.max(initial=0)) + 1
    pairs = np.sort(subscriber * width + subscribed)
    repeated = pairs[1:] == pairs[:-1]
    if repeated.any():
        pairs = pairs[np.append(True, ~repeated)]
    member = pairs // width
    topic = pairs - member * width
    ends = np.bincount(member, minlength=members).cumsum().tolist()
    seen: dict[bytes, int] = {}
    numbers = [
        seen.setdefault(topic[start:end].tobytes(), len(seen))
        for start, end in pairwise([0, *ends])
    ]
    return np.array(numbers), [np.frombuffer(key, np.int64) for key in seen]


@dataclass(frozen=True)
class Claims:
    """Claims on partitions that exist; a claimant beyond the members is one of `gone`.

    `impossible` counts the claims on partitions that don't exist; `beyond` are those of them that
    members have on existing topics: members, topics, partition numbers. None: there are none.
    """

    partition: IntArray
    claimant: IntArray
    generation: IntArray
    gone: list[str]
    impossible: int
    beyond: tuple[IntArray, IntArray, IntArray] | None

    def of_present_members(self, members: int) -> tuple[IntArray, IntArray]:
        """By member and partition: a fleet doesn't say in which order a member owns them."""
        present = self.claimant < members
        claimant, partition = self.claimant[present], self.partition[present]
        order = np.lexsort((partition, claimant))
        return claimant[order], partition[order]


def read_claims(row: EncodedRow, topics: Topics) -> Claims:
    """The claims of an encoded row."""
    topic, offsets, members = topics.place[row.claim_topics], topics.offsets, len(row.member_ids)
    number, claimant = row.claim_partitions.astype(np.int64), row.claim_members
    others = np.unique(claimant[claimant >= members])
    if len(others):
        gone = members + others.searchsorted(claimant)
        claimant = np.where(claimant < members, claimant, gone)
    partition = offsets[topic] + number
    exists = (number >= 0) & (partition < offsets[topic + 1])
    beyond = ~exists & (number >= 0) & (claimant < members) & (topics.sizes[topic] >= 0)
    return Claims(
        partition=partition[exists],
        claimant=claimant[exists],
        generation=row.claim_generations[exists],
        gone=row.all_members[others].tolist(),
        impossible=int(np.count_nonzero(~exists)),
        beyond=(claimant[beyond], topic[beyond], number[beyond]) if beyond.any() else None,
    )


def settle(claims: Claims, generations: IntArray, partitions: int) -> Ownership:
    """Resolve the claims; one that states no generation has that of its member."""
    generation = claims.generation
    if generation.min(initial=0) < 0:
        of_claimant = np.append(generations, np.full(len(claims.gone), ABSENT))[claims.claimant]
        generation = np.where(generation < 0, of_claimant, generation)
    return resolve(claims.partition, claims.claimant, generation, partitions)


class Dispute(NamedTuple):
    """A partition that several claim; `claimants` are those of the newest generation, sorted."""

    topic: str
    partition: int
    claimants: list[str]


class OddClaims(NamedTuple):
    """The claims of a group with odd ones, also on partitions that don't exist.

    A claim that states no `generation` has that of its member, or ABSENT; `newest` is the newest
    of any claim or member.
    """

    row: EncodedRow
    generation: IntArray
    newest: int

    @staticmethod
    def of(row: EncodedRow, each_on_its_own: bool) -> "OddClaims | None":
        """The claims in a row of `spark.groups.encode`, if there is anything odd about them.

        That is several claims on one partition, unless it is known that `each_on_its_own` is, or
        several generations among members and claims.
        """
        numbers = np.append(row.claim_generations, row.generations)
        newest = int(numbers.max())
        is_mixed = bool(((numbers >= 0) & (numbers < newest)).any())
        if not is_mixed and (each_on_its_own or not _any_twice(row)):
            return None
        members = np.minimum(row.claim_members, len(row.member_ids))
        of_member = np.append(row.generations, ABSENT)[members]
        own = row.claim_generations
        return OddClaims(row, np.where(own >= 0, own, of_member), newest)

    def stale(self) -> dict[str, IntArray]:
        """The generations of each member's claims that are older than the newest."""
        claimant, members = self.row.claim_members, self.row.member_ids
        old = (claimant < len(members)) & (self.generation >= 0) & (self.generation < self.newest)
        return {
            members[at]: self.generation[old & (claimant == at)]
            for at in np.unique(claimant[old]).tolist()
        }

    def disputes(self) -> list[Dispute]:
        """Partitions that several claim, or one by several generations; the same twice is once."""
        row = self.row
        claims = row.claim_topics, row.claim_partitions, self.generation, row.claim_members
        keys = np.unique(np.stack(claims).astype(np.int64), axis=1)
        starts = np.flatnonzero(np.append(True, (keys[:2, 1:] != keys[:2, :-1]).any(axis=0)))
        parts = np.split(keys, starts[1:], axis=1)
        return sorted(self._dispute(of) for of in parts if of.shape[1] > 1)

    def _dispute(self, keys: IntArray) -> Dispute:
        """`keys` has a column a claim: topic, partition, generation and claimant."""
        topic, partition, newest = keys[:3, -1].tolist()
        claimants = sorted(self.row.all_members[keys[3, keys[2] == newest]].tolist())
        return Dispute(self.row.all_topics[topic], partition, claimants)


def _any_twice(row: EncodedRow) -> bool:
    order = np.lexsort((row.claim_partitions, row.claim_topics))
    topic, partition = row.claim_topics[order], row.claim_partitions[order]
    return bool(((topic[1:] == topic[:-1]) & (partition[1:] == partition[:-1])).any())


def read_weights(row: EncodedRow, topics: Topics, source: str) -> NDArray[np.float64]:
    """The weight of each partition of a row's topics, NaN where it isn't known, or is none."""
    weights = np.full(int(topics.offsets[-1]), np.nan)
    if source == LAG:
        topic = topics.place[getattr(row, f"{source}_topics")]
    else:
        topic = topics.place[: len(row.topics)].repeat(getattr(row, f"{source}_partitions_counts"))
    number: IntArray = np.asarray(getattr(row, f"{source}_partitions"), np.int64)
    cells = np.asarray(getattr(row, f"{source}_values"), np.float64)
    cells = np.where((cells >= 0) & (cells <= MOST_WEIGHT), cells, np.nan)
    exists = (topic >= 0) & (number >= 0)
    exists[exists] = number[exists] < np.diff(topics.offsets)[topic[exists]]
    weights[topics.offsets[topic[exists]] + number[exists]] = cells[exists]
    return weights


def has_weights(row: EncodedRow, source: str) -> bool:
    """Whether a row was encoded with weights from there."""
    return hasattr(row, f"{source}_values")


def read_capacities(row: EncodedRow) -> NDArray[np.float64] | None:
    """The capacity of each member, NaN where it isn't known; None if none is."""
    return None if np.isnan(row.capacities).all() else row.capacities


def capacity_faults(row: EncodedRow) -> list[str]:
    """A sentence for each capacity that is none."""
    capacities = read_capacities(row)
    pairs = [] if capacities is None else zip(row.member_ids, capacities.tolist(), strict=True)
    return [
        capacity_fault(member, capacity)
        for member, capacity in pairs
        if not (np.isnan(capacity) or LEAST_CAPACITY <= capacity <= MOST_WEIGHT)
    ]
