"""Assignments: what the strategies say of a group as its coordinator, or its leader, sees it."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optimizer.coordinator.catalog import Catalog
from optimizer.model import DEFAULT_GOALS, NOTHING, Goals, IntArray, KafkaFacts, Problem, resolve
from optimizer.strategies import strategy_named
from optimizer.strategies.kafka import bucket, bucket_count, in_hash_order, string_hash, utf16

FIBONACCI = -7046029254386353131
"""2⁶⁴ by the golden ratio, as Java's signed number."""

Parts = frozenset[int]
"""Partitions by their numbers in the catalog."""


@dataclass(slots=True)
class Seen:
    """A member as an assignor sees it; `claims` are partitions of the catalog."""

    member_id: str
    topics: tuple[str, ...]
    claims: Parts = frozenset()
    generation: int = -1
    instance_id: str | None = None
    rack: str | None = None
    capacity: float | None = None


def assign_targets(
    catalog: Catalog,
    version: int,
    strategy: str,
    members: Sequence[Seen],
    goals: Goals = DEFAULT_GOALS,
    *,
    cooperative: bool,
) -> dict[str, Parts]:
    """The target of each member, by its id; `members` in the order in which they came.

    `goals` are those of `optimal`.

    With `cooperative`, what somebody else still claims is held back, as cooperative members need
    it. Raises StrategyError where Kafka's own code throws.
    """
    problem, number = _problem(catalog, version, members)
    answer = strategy_named(strategy).assign(problem, goals)
    owner = answer.first_round if cooperative else answer.target
    if cooperative:
        claimed = problem.owner
        owner = np.where((claimed >= 0) & (claimed != owner), -1, owner)
    order = np.argsort(owner, kind="stable")
    ends = np.searchsorted(owner[order], np.arange(len(members) + 1)).tolist()
    inputs = number[order].tolist()
    return {
        member_id: frozenset(inputs[ends[at] : ends[at + 1]])
        for at, member_id in enumerate(problem.member_ids)
    }


def _problem(catalog: Catalog, version: int, members: Sequence[Seen]) -> tuple[Problem, IntArray]:
    layout = catalog.layout(version)
    by_id = sorted(range(len(members)), key=lambda at: members[at].member_id)
    ranks = np.empty(len(members), np.int64)
    ranks[by_id] = np.arange(len(members))
    ordered = [members[at] for at in by_id]
    index = {topic: at for at, topic in enumerate(layout.topics)}
    lists: dict[tuple[str, ...], int] = {}
    subscription = np.array(
        [lists.setdefault(member.topics, len(lists)) for member in ordered], np.int64
    )
    vanished = [tuple(topic for topic in topics if topic not in index) for topics in lists]
    claimant, partition = _claims(ordered, layout.position)
    generations = np.array([member.generation for member in ordered], np.int64)
    owner = resolve(partition, claimant, generations[claimant], len(layout.number)).owner
    problem = Problem(
        member_ids=[member.member_id for member in ordered],
        topics=layout.topics,
        topic_offsets=layout.offsets,
        member_subscription=subscription,
        subscriptions=[
            np.array([index[topic] for topic in dict.fromkeys(topics) if topic in index], np.int64)
            for topics in lists
        ],
        owner=owner,
        racks=[member.rack for member in ordered],
        leader_racks=_of_topics(catalog, version, catalog.group.leader_racks, None),
        replica_racks=_of_topics(catalog, version, catalog.group.replica_racks, ()),
        weights=_unknown_as_nan(_of_topics(catalog, version, catalog.group.weights, None)),
        capacities=_unknown_as_nan([member.capacity for member in ordered]),
        kafka=KafkaFacts(
            claims=(claimant, partition),
            leader_order=ranks,
            instance_ids=[member.instance_id for member in ordered],
            generations=generations,
            topic_ids=[catalog.group.topic_ids.get(topic) for topic in layout.topics],
            vanished=vanished if any(vanished) else None,
        ),
    )
    return problem, layout.number


def _claims(members: Sequence[Seen], position: IntArray) -> tuple[IntArray, IntArray]:
    counts = [len(member.claims) for member in members]
    if not any(counts):
        return NOTHING, NOTHING
    flat = np.fromiter((p for member in members for p in member.claims), np.int64, sum(counts))
    claimant = np.arange(len(members)).repeat(counts)
    mask = flat < len(position)
    mask[mask] = position[flat[mask]] >= 0
    return claimant[mask], position[flat[mask]]


def _unknown_as_nan(numbers: list[float | None] | None) -> NDArray[np.float64] | None:
    """Facts of partitions or members as numbers; None where none is known."""
    is_stated = numbers is not None and any(number is not None for number in numbers)
    return np.array(numbers, np.float64) if is_stated else None


def _of_topics(
    catalog: Catalog, version: int, by_topic: Mapping[str, Sequence[Any]] | None, missing: object
) -> list[Any] | None:
    """A fact of each partition of a group, in the order of a `Problem`; None if none is known."""
    if not by_topic:
        return None
    of_partition = []
    for topic in catalog.layout(version).topics:
        size = catalog.versions[version][topic]
        of_topic = [*by_topic.get(topic, ())][:size]
        of_partition += [tuple(of) if missing == () else of for of in of_topic]
        of_partition += [missing] * (size - len(of_topic))
    return of_partition


def hash_order(ids: Sequence[str], peak: int) -> list[str]:
    """Ids as the coordinator's HashMap iterates them that once had `peak` entries."""
    capacity = bucket_count(peak)
    return sorted(ids, key=lambda name: bucket(_hash(name), capacity))


def timeline_order(ids: Sequence[str], peak: int) -> list[str]:
    """Ids as the coordinator's own hash tables iterate them (TimelineHashMap, BaseHashTable).

    Their slots are the highest bits of a Fibonacci hash, and there are at least as many as three
    quarters of the `peak` of entries that there once were. What came last into a slot comes first
    (SnapshottableHashTable.CurrentIterator).
    """
    bits = 1
    while peak * 0.75 > 1 << bits:
        bits += 1
    slots: dict[int, list[str]] = {}
    for name in ids:
        slots.setdefault((_as_int(_hash(name)) * FIBONACCI % 2**64) >> (64 - bits), []).append(name)
    return [member for _, slot in sorted(slots.items()) for member in reversed(slot)]


def _as_int(hash_code: int) -> int:
    return hash_code - 2**32 if hash_code >= 2**31 else hash_code


_hashes: dict[str, int] = {}


def _hash(text: str) -> int:
    if len(_hashes) > 100_000:
        _hashes.clear()
    if text not in _hashes:
        _hashes[text] = string_hash(text) & 0xFFFFFFFF
    return _hashes[text]


def candidates(lists: Iterable[tuple[str, ...]]) -> frozenset[str]:
    """The assignors that every list names."""
    common: frozenset[str] | None = None
    for names in lists:
        common = frozenset(names) if common is None else common & frozenset(names)
    return common or frozenset()


def elect_assignor(lists: Mapping[tuple[str, ...], int]) -> str:
    """The assignor with most votes; `lists` counts the members of each list of assignors.

    Each member votes for the first of its list that all members offer. Raises ValueError if there
    is none. Of a tie wins the assignor that the HashMap of votes iterates first.
    """
    common = candidates(lists)
    if not common:
        raise ValueError("the members have no assignor in common")
    votes: Counter[str] = Counter()
    for names, count in lists.items():
        votes[next(name for name in names if name in common)] += count
    most = max(votes.values())
    voted = list(votes)
    hashes = [string_hash(name) for name in voted]
    order = in_hash_order(range(len(voted)), hashes.__getitem__, lambda at: utf16(voted[at]))
    return next(voted[at] for at in order if votes[voted[at]] == most)
