"""A group at a change of its facts: what strategies are asked, and what their answers change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from optimizer.model import (
    GONE,
    NOBODY,
    Classes,
    Goals,
    IntArray,
    KafkaFacts,
    Problem,
    RackTable,
    classes_of,
    member_loads,
    rack_table_of,
)
from spark.solve import max_weight
from spark.trial import same_partitions


class Start(Enum):
    """What is owned before the first answer: what was found, or nothing."""

    AS_FOUND = 1
    NOTHING = 2


class Answer(NamedTuple):
    """An answer, and the group that it was given to."""

    state: GroupState
    target: IntArray


Owned = Answer | Start


class Changes(NamedTuple):
    """What an answer changes of what was owned.

    `keepable` partitions were owned by somebody who is there and still reads them; `lost` are those
    of them that aren't that member's any more. See `StepRow` for the others.
    """

    moves: int = 0
    takeovers: int = 0
    keepable: int = 0
    lost: int = 0


Outcome = dict[str, int | None]
"""An answer in numbers, by columns of a `StepRow`."""

Reader = tuple[str | None, bytes, tuple[str, ...]]
"""A member's rack where racks matter, the topics that it reads, and those the cluster lacks."""


@dataclass(frozen=True, eq=False)
class GroupState:
    """A group at a change of its facts.

    `problem` is the group now, `who` tells members apart from one change to the next: a member
    is known by its instance id if it has one (KIP-345), and else by its member id. `ways` lead from
    earlier states to this one: to be cleared when they aren't needed any more, as they keep these.
    """

    problem: Problem
    goals: Goals
    who: Sequence[str]
    ways: dict[GroupState, tuple[Any, Any, IntArray]] = field(default_factory=dict)

    @staticmethod
    def of(problem: Problem, goals: Goals) -> GroupState:
        instances = problem.kafka.instance_ids or [None] * len(problem.member_ids)
        named = zip(instances, problem.member_ids, strict=True)
        who = [f"i{item}" if item is not None else f"m{id_}" for item, id_ in named]
        return GroupState(problem, goals, who)

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

    def owner(self, owned: Owned) -> IntArray:
        """Who of its members, if anybody, owns each of its partitions."""
        if isinstance(owned, Answer):
            return self._carried(owned)
        return self.problem.owner if owned is Start.AS_FOUND else self.unowned.owner

    def _carried(self, answer: Answer) -> IntArray:
        """An earlier answer as what its members own now; GONE are owners who aren't there."""
        if answer.state not in self.ways:
            index = {who: m for m, who in enumerate(self.who)}
            member = np.array([*(index.get(who, GONE) for who in answer.state.who), NOBODY])
            self.ways[answer.state] = *same_partitions(answer.state.problem, self.problem), member
        before, now, member = self.ways[answer.state]
        owner = np.full(self.problem.partition_count, NOBODY)
        owner[now] = member[answer.target[before]]
        return owner

    def asked(self, owned: Owned, owner: IntArray) -> Problem:
        """What a strategy is asked; at first with all that members claim."""
        return self.problem if owned is Start.AS_FOUND else replace(self.unowned, owner=owner)

    def changes(self, owner: IntArray, target: IntArray) -> Changes:
        """What `target` changes of what `owner` says."""
        keepable = self.keepable(owner)
        changed = target != owner
        mask = changed & (target != NOBODY)
        moves = int(np.count_nonzero(mask & keepable))
        return Changes(
            moves=moves,
            takeovers=int(np.count_nonzero(mask & (owner != NOBODY))) - moves,
            keepable=int(np.count_nonzero(keepable)),
            lost=int(np.count_nonzero(changed & keepable)),
        )

    def outcome(self, target: IntArray) -> Outcome:
        loads = member_loads(self.problem, target)
        reads = self._racks and self._racks.reads(target)
        return {
            "partitions": int(np.count_nonzero(self.is_read)),
            "max_load": int(loads.max()),
            "min_load": int(loads.min()),
            "sum_squares": int(loads @ loads),
            "local_reads": reads and reads.local,
            "remote_reads": reads and reads.remote,
        }

    def max_weight(self, owned: Owned) -> float | None:
        """The largest load by what partitions weigh now; None where they only count."""
        problem = self.problem
        return max_weight(problem, self.owner(owned)) if problem.weights is not None else None

    @cached_property
    def _racks(self) -> RackTable | None:
        return rack_table_of(self.problem, self.goals.rack)

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
