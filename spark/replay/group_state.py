"""A group at a change of its facts: what strategies are asked, and what their answers change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

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
from spark.trial import same_partitions


class GroupAnswer(NamedTuple):
    """An answer, and the group that it was given to."""

    state: GroupState
    target: IntArray


class Changes(NamedTuple):
    """Changes by an answer to what was owned.

    `keepable` partitions were owned by somebody who is there and still reads them; `lost` are those
    of them that aren't that member's any more. See `StepRow` for the others.
    """

    moves: int = 0
    takeovers: int = 0
    keepable: int = 0
    lost: int = 0


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
        who = [
            f"i{instance_id}" if instance_id is not None else f"m{id_}"
            for instance_id, id_ in named
        ]
        return GroupState(problem, goals, who)

    @property
    def classes(self) -> Classes:
        return classes_of(self.problem)

    @cached_property
    def ownerless(self) -> Problem:
        """The group without owners and claims."""
        kafka = self.problem.kafka
        return replace(
            self.problem,
            owner=np.full(self.problem.partition_count, NOBODY),
            kafka=KafkaFacts(
                instance_ids=kafka.instance_ids, topic_ids=kafka.topic_ids, vanished=kafka.vanished
            ),
        )

    def owner(self, owned: GroupAnswer) -> IntArray:
        """Members that own what an answer gave them; GONE are owners that aren't there."""
        if owned.state not in self.ways:
            index = {who: m for m, who in enumerate(self.who)}
            member = np.array([*(index.get(who, GONE) for who in owned.state.who), NOBODY])
            self.ways[owned.state] = *same_partitions(owned.state.problem, self.problem), member
        before, now, member = self.ways[owned.state]
        owner = np.full(self.problem.partition_count, NOBODY)
        owner[now] = member[owned.target[before]]
        return owner

    def changes(self, owner: IntArray, target: IntArray) -> Changes:
        """The changes from the owners in `owner` to those in `target`."""
        keepable = replace(self.classes, owner=owner).keepable
        changed = target != owner
        mask = changed & (target != NOBODY)
        moves = int(np.count_nonzero(mask & keepable))
        return Changes(
            moves=moves,
            takeovers=int(np.count_nonzero(mask & (owner != NOBODY))) - moves,
            keepable=int(np.count_nonzero(keepable)),
            lost=int(np.count_nonzero(changed & keepable)),
        )

    def measures(self, target: IntArray) -> dict[str, int | None]:
        """Further columns of a `StepRow`."""
        loads = member_loads(self.problem, target)
        reads = self._racks and self._racks.reads(target)
        return {
            "sum_squares": int(loads @ loads),
            "local_reads": reads and reads.local,
            "remote_reads": reads and reads.remote,
        }

    @cached_property
    def _racks(self) -> RackTable | None:
        return rack_table_of(self.problem, self.goals.rack)

    @cached_property
    def causes(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Causes that a rebalance can have: topics that members read and where, and those topics.

        Of a member its rack where racks matter, the topics, and those that the cluster lacks; of a
        topic its id, and the racks of each partition.
        """
        problem, names = self.problem, self.problem.topics
        vanished = problem.kafka.vanished or [()] * len(problem.subscriptions)
        topics = [
            (frozenset(names[t] for t in topic_numbers.tolist()), missing)
            for topic_numbers, missing in zip(problem.subscriptions, vanished, strict=True)
        ]
        own_racks = (problem.racks if problem.replica_racks else None) or [None] * len(self.who)
        of_member = (topics[subscription] for subscription in problem.member_subscription.tolist())
        readers = zip(own_racks, of_member, strict=True)
        ids = problem.kafka.topic_ids or [None] * len(names)
        of_partitions = [racks for racks in (problem.leader_racks, problem.replica_racks) if racks]
        ends = problem.topic_offsets.tolist()
        return dict(zip(self.who, readers, strict=True)), {
            names[t]: (
                *(ids[t], ends[t + 1] - ends[t]),
                *(racks[ends[t] : ends[t + 1]] for racks in of_partitions),
            )
            for t in np.flatnonzero(self.classes.of_topic >= 0).tolist()
        }
