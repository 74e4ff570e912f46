"""What a strategy is asked about: members, subscriptions and partitions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optimizer.model import (
    GONE,
    NOBODY,
    NOTHING,
    Classes,
    IntArray,
    KafkaFacts,
    Problem,
    classes_of,
    ranges,
)

Reader = tuple[str | None, bytes, tuple[str, ...]]
"""A member's rack where racks matter, the topics that it reads, and those the cluster lacks."""


@dataclass(frozen=True, eq=False)
class GroupState:
    """A group at a change of its facts.

    `problem` is the group now, `who` tells members apart from one scene to the next: a member
    is known by its instance id if it has one (KIP-345), and else by its member id.
    """

    problem: Problem
    who: Sequence[str]

    @staticmethod
    def of(problem: Problem) -> GroupState:
        instances = problem.kafka.instance_ids or [None] * len(problem.member_ids)
        named = zip(instances, problem.member_ids, strict=True)
        return GroupState(
            problem, [f"i{item}" if item is not None else f"m{id_}" for item, id_ in named]
        )

    @property
    def classes(self) -> Classes:
        return classes_of(self.problem)

    @cached_property
    def is_homogeneous(self) -> bool:
        """Whether everybody reads everything that anybody reads."""
        return len(self.classes) == 1 and len(self.classes.members) == len(self.who)

    @cached_property
    def is_read(self) -> NDArray[np.bool_]:
        """Whether somebody reads each partition."""
        return np.asarray(self.classes.of_partition >= 0)

    @cached_property
    def partitions(self) -> int:
        """How many partitions somebody reads."""
        return int(np.count_nonzero(self.is_read))

    def keepable(self, owner: IntArray) -> NDArray[np.bool_]:
        """Whether each partition's owner is there and reads it."""
        if self.is_homogeneous:
            return np.asarray((owner >= 0) & self.is_read)
        return replace(self.classes, owner=owner).keepable

    @cached_property
    def unowned(self) -> Problem:
        """The same without what is owned, or was claimed."""
        kafka = self.problem.kafka
        return replace(
            self.problem,
            owner=np.full(self.problem.partition_count, NOBODY),
            kafka=KafkaFacts(
                instance_ids=kafka.instance_ids, topic_ids=kafka.topic_ids, vanished=kafka.vanished
            ),
        )

    def is_like(self, other: GroupState) -> bool:
        """Whether no rebalance leads from the one to the other, as far as facts tell."""
        return self._readers == other._readers and self._read == other._read

    @cached_property
    def _readers(self) -> dict[str, Reader]:
        """Each member by what it is known by."""
        problem = self.problem
        number = np.cumsum(self.classes.of_topic >= 0)
        topics = [number[np.sort(topics)].tobytes() for topics in problem.subscriptions]
        vanished = problem.kafka.vanished or [()] * len(topics)
        racks = problem.racks if problem.racks and problem.replica_racks else [None] * len(self.who)
        of_member = problem.member_subscription.tolist()
        return {
            who: (rack, topics[item], vanished[item])
            for who, rack, item in zip(self.who, racks, of_member, strict=True)
        }

    @cached_property
    def _read(self) -> tuple[Sequence[Any], ...]:
        """The topics that somebody reads, their sizes, their ids and the racks of partitions."""
        problem, classes = self.problem, self.classes
        sizes = problem.topic_sizes.tolist()
        ids = problem.kafka.topic_ids or [None] * len(sizes)
        racks = problem.leader_racks or (), problem.replica_racks or ()
        if (classes.of_topic >= 0).all():
            return problem.topics, sizes, ids, *racks
        topics = np.flatnonzero(classes.of_topic >= 0).tolist()
        partitions = np.flatnonzero(classes.of_partition >= 0).tolist()
        of_topics = ([items[t] for t in topics] for items in (problem.topics, sizes, ids))
        return *of_topics, *([rack[p] for p in partitions if rack] for rack in racks)


@dataclass(frozen=True, eq=False)
class MemberMapping:
    """From one scene to a later one: what became of its members and partitions.

    `member` has for each member of the first its index in the second or GONE, and NOBODY at the
    end; `before` are the partitions of the first that are `now` those of the second.
    """

    member: IntArray
    before: IntArray | slice
    now: IntArray | slice
    count: int

    @staticmethod
    def of(first: GroupState, second: GroupState) -> MemberMapping:
        index = {who: m for m, who in enumerate(second.who)}
        member = np.array([*(index.get(who, GONE) for who in first.who), NOBODY])
        before, now = _same_partitions(first.problem, second.problem)
        return MemberMapping(member, before, now, second.problem.partition_count)

    def carry(self, target: IntArray) -> IntArray:
        """An assignment of the first scene as what its members own in the second."""
        owner = np.full(self.count, NOBODY)
        owner[self.now] = self.member[target[self.before]]
        return owner


def _same_partitions(first: Problem, second: Problem) -> tuple[Any, Any]:
    """The partitions that both have, as indexes of the one and of the other."""
    if first.topics == second.topics and np.array_equal(first.topic_offsets, second.topic_offsets):
        return slice(None), slice(None)
    at = {topic: t for t, topic in enumerate(first.topics)}
    pairs = [(at[topic], t) for t, topic in enumerate(second.topics) if topic in at]
    if not pairs:
        return NOTHING, NOTHING
    before, now = np.array(pairs).T
    sizes = np.minimum(first.topic_sizes[before], second.topic_sizes[now])
    return (
        ranges(first.topic_offsets[before], sizes),
        ranges(second.topic_offsets[now], sizes),
    )
