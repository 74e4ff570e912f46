"""One consumer group by names: what a caller states, and what is wrong with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat
from numbers import Integral
from operator import itemgetter
from typing import Any, NamedTuple, Protocol

import numpy as np

from optimizer.model.arrays import NOTHING, IntArray

MOST_PARTITIONS = 20_000_000
"""A group of more is none that memory could hold; the largest clusters have a tenth of it."""

LEAST_CAPACITY, MOST_WEIGHT = 1e-100, 1e100
"""Bounds of weights and capacities: their sums and ratios stay far from those of reals."""

AT_A_TIME = 64
"""Members whose claims are read together."""


class InvalidGroupError(ValueError):
    """A group that no snapshot of a sound cluster can hold; `faults` lists all that is wrong."""

    def __init__(self, faults: Sequence[str]) -> None:
        self.faults = list(faults)
        super().__init__("the group can't be planned: " + "; ".join(self.faults))


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a group: what it subscribes to and what it owns now.

    `owned` holds (topic, partition) pairs; a partition that the cluster lacks is ignored and
    noted. Two members may claim one partition: the claim of the higher `generation` stands
    (None counts as -1), equal generations cancel out (KAFKA-14639).
    `capacity`: what it can take beside the others, for plans by weight (None counts as 1). `host`
    tells which members a host takes along when it fails.
    """

    member_id: str
    topics: Sequence[str]
    owned: Sequence[tuple[str, int]] = ()
    instance_id: str | None = None
    rack: str | None = None
    generation: int | None = None
    capacity: float | None = None
    client_id: str | None = None
    host: str | None = None

    def __post_init__(self) -> None:
        if self.topics is None or self.owned is None:  # None is nothing
            object.__setattr__(self, "topics", self.topics or ())
            object.__setattr__(self, "owned", self.owned or ())


class GroupEvent(Protocol):
    """An event that changes a group: one of `optimizer.scenarios`, or a scenario of them."""

    def apply(self, group: Group) -> Group:
        """The group when it has happened."""


@dataclass(frozen=True, slots=True)
class Group:
    """A consumer group: its topics with their partition counts, and its members.

    The order of `members` is the one in which Kafka's group leader sees them. The optional facts
    have one entry a partition: `weights` (any unit, not negative; None where it isn't known),
    `leader_racks`, `replica_racks`; `topic_ids` are 32 hex digits or Kafka's 22 characters.
    """

    topics: Mapping[str, int]
    members: Sequence[Member]
    weights: Mapping[str, Sequence[float | None]] = field(default_factory=dict)
    leader_racks: Mapping[str, Sequence[str | None]] = field(default_factory=dict)
    replica_racks: Mapping[str, Sequence[Sequence[str]]] = field(default_factory=dict)
    topic_ids: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("weights", "leader_racks", "replica_racks", "topic_ids"):
            by_topic: Mapping[str, Any] | None = getattr(self, name)
            if by_topic is None or None in by_topic.values():  # None is nothing
                without_none = {
                    topic: column
                    for topic, column in (by_topic or {}).items()
                    if column is not None
                }
                object.__setattr__(self, name, without_none)

    def after(self, event: GroupEvent) -> Group:
        """The group when that has happened, with all that its members still own.

        What nobody owns then waits for the next rebalance: `assign` says what a strategy makes of
        it. Raises a ValueError where this group can't have the event (a member that isn't there).
        """
        return event.apply(self)


class Owned(NamedTuple):
    """Claims of members: how many each has, and the topics and numbers of all of them.

    Topics are those of the group, in its order; -1 is none of them.
    """

    counts: list[int]
    topics: IntArray
    numbers: IntArray


def check_group(group: Group) -> Owned:
    """The claims of the members, in their order.

    Raises `InvalidGroupError` with every fault of the group at once.
    """
    owned = _claims_of(group)
    faults = [*_topic_faults(group), *_member_faults(group)]
    if owned is None:
        faults += _claim_faults(group)
    faults += _fact_faults(group)
    if owned is None or faults:
        raise InvalidGroupError(faults)
    return owned


def _claims_of(group: Group) -> Owned | None:
    """The claims in batches that fit a processor's cache; None if one is bad."""
    lists = [member.owned for member in group.members]
    index_of = dict(zip(group.topics, range(len(group.topics)), strict=True)).get
    topics, numbers = [NOTHING], [NOTHING]
    for start in range(0, len(lists), AT_A_TIME):
        claims = [*chain.from_iterable(lists[start : start + AT_A_TIME])]
        if not claims:
            continue
        partition_numbers = _partition_numbers([*map(itemgetter(1), claims)])
        if partition_numbers is None:
            return None
        numbers.append(partition_numbers)
        indexes = map(index_of, map(itemgetter(0), claims), repeat(-1))
        topics.append(np.fromiter(indexes, np.int64, len(claims)))
    return Owned([*map(len, lists)], np.concatenate(topics), np.concatenate(numbers))


def _topic_faults(group: Group) -> Iterator[str]:
    counts = group.topics.values()
    if set(map(type, counts)) == {int} and min(counts) >= 0 and sum(counts) <= MOST_PARTITIONS:
        return
    total = 0
    for topic, count in group.topics.items():
        if not isinstance(count, Integral) or isinstance(count, bool):
            yield f"topic {topic!r} has {count!r} partitions, which is not a whole number"
        elif count < 0:
            yield f"topic {topic!r} has {count} partitions, a negative number"
        else:
            total += int(count)
    if total > MOST_PARTITIONS:
        yield (
            f"its topics have {total:,} partitions, and no more than {MOST_PARTITIONS:,} can be "
            "planned at once: plan its topics in several groups"
        )


def _member_faults(group: Group) -> Iterator[str]:
    ids = [member.member_id for member in group.members]
    if len(set(ids)) < len(ids):
        for member_id, times in Counter(ids).items():
            if times > 1:
                yield f"{times} members have the id {member_id!r}"
    if any(issubclass(kind, str) for kind in {type(member.topics) for member in group.members}):
        for member in group.members:
            if isinstance(member.topics, str):
                yield f"the topics of member {member.member_id!r} are a string, not a list of names"
    for member in group.members:
        if member.capacity is not None and not _is_within(member.capacity, LEAST_CAPACITY):
            yield capacity_fault(member.member_id, member.capacity)


def _claim_faults(group: Group) -> Iterator[str]:
    for member in group.members:
        for claim in member.owned:
            if _partition_numbers([claim[1]]) is None:
                yield f"member {member.member_id!r} owns {claim!r}, which is not a partition"


def _partition_numbers(claimed: list[Any]) -> IntArray | None:
    """Numbers as an array; None unless all are whole and not negative."""
    if not all(issubclass(kind, Integral) for kind in set(map(type, claimed))):
        return None
    try:
        numbers = np.fromiter(claimed, np.int64, len(claimed))
    except OverflowError:
        return None
    return None if numbers.min(initial=0) < 0 else numbers


def _fact_faults(group: Group) -> Iterator[str]:
    tables = {
        "weights": group.weights,
        "leader_racks": group.leader_racks,
        "replica_racks": group.replica_racks,
    }
    for name, by_topic in tables.items():
        for topic, column in by_topic.items():
            count = group.topics.get(topic)
            if count is not None and len(column) != count:
                yield f"{name} of topic {topic!r} has {len(column)} entries for {count} partitions"
    for topic, weights in group.weights.items():
        reported_weights = (weight for weight in weights if weight is not None)
        if not all(_is_within(weight, 0.0) for weight in reported_weights):
            yield f"weights of topic {topic!r} must be numbers from 0 to {MOST_WEIGHT:g}"


def capacity_fault(member: str, capacity: object) -> str:
    """A sentence on a member's capacity that can't be."""
    shown = f"{capacity!r:.40}"
    return (
        f"member {member!r} has the capacity {shown}: it must be a number above 0, "
        f"from {LEAST_CAPACITY:g} to {MOST_WEIGHT:g}"
    )


def _is_within(value: Any, least: float) -> bool:
    """Whether it is a number from there to `MOST_WEIGHT`."""
    if isinstance(value, bool | str | bytes):
        return False
    try:
        return least <= float(value) <= MOST_WEIGHT
    except (TypeError, ValueError, OverflowError):
        return False
