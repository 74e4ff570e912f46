"""One consumer group by names: what a caller states, and what is wrong with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from numbers import Integral
from typing import Any


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
    `capacity` is carried along; it doesn't change a plan yet.
    """

    member_id: str
    topics: Sequence[str]
    owned: Sequence[tuple[str, int]] = ()
    instance_id: str | None = None
    rack: str | None = None
    generation: int | None = None
    capacity: float | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """A consumer group: its topics with their partition counts, and its members.

    The order of `members` is the one in which Kafka's group leader sees them. The optional facts
    have one entry a partition: `weights` (any unit, not negative), `leader_racks`,
    `replica_racks`; `topic_ids` are 32 hex digits or Kafka's 22 characters.
    """

    topics: Mapping[str, int]
    members: Sequence[Member]
    weights: Mapping[str, Sequence[float]] = field(default_factory=dict)
    leader_racks: Mapping[str, Sequence[str | None]] = field(default_factory=dict)
    replica_racks: Mapping[str, Sequence[Sequence[str]]] = field(default_factory=dict)
    topic_ids: Mapping[str, str] = field(default_factory=dict)


def check_group(group: Group) -> None:
    """Raise `InvalidGroupError` with every fault of the group at once."""
    faults = [*_topic_faults(group), *_member_faults(group), *_fact_faults(group)]
    if faults:
        raise InvalidGroupError(faults)


def _topic_faults(group: Group) -> Iterator[str]:
    for topic, count in group.topics.items():
        if not isinstance(count, Integral) or isinstance(count, bool):
            yield f"topic {topic!r} has {count!r} partitions, which is not a whole number"
        elif count < 0:
            yield f"topic {topic!r} has {count} partitions, a negative number"


def _member_faults(group: Group) -> Iterator[str]:
    for member_id, times in Counter(member.member_id for member in group.members).items():
        if times > 1:
            yield f"{times} members have the id {member_id!r}"
    for member in group.members:
        if isinstance(member.topics, str):
            yield f"the topics of member {member.member_id!r} are a string, not a list of names"
    if not _are_numbers(unzipped(group.members)[1]):
        for member in group.members:
            for claim in member.owned:
                if not _are_numbers([claim[1]]):
                    yield f"member {member.member_id!r} owns {claim!r}, which is no partition"


def unzipped(members: Sequence[Member]) -> tuple[list[str], list[int]]:
    """Topics and numbers of all claims, member after member."""
    flat: list[Any] = [*chain.from_iterable(chain.from_iterable(some.owned for some in members))]
    return flat[::2], flat[1::2]


def _are_numbers(numbers: Sequence[int]) -> bool:
    """Whether all are whole and not negative."""
    whole = all(issubclass(kind, Integral) for kind in set(map(type, numbers)))
    return whole and min(numbers, default=0) >= 0


def _fact_faults(group: Group) -> Iterator[str]:
    facts = {
        "weights": group.weights,
        "leader_racks": group.leader_racks,
        "replica_racks": group.replica_racks,
    }
    for name, by_topic in facts.items():
        for topic, values in by_topic.items():
            count = group.topics.get(topic)
            if count is not None and len(values) != count:
                yield f"{name} of topic {topic!r} has {len(values)} entries for {count} partitions"
    for topic, weights in group.weights.items():
        if not all(0 <= weight < float("inf") for weight in weights):
            yield f"weights of topic {topic!r} must be finite and not negative"
