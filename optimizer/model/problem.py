"""One consumer group as arrays: what every strategy works on."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, update_wrapper
from typing import TypeVar, TypeVarTuple
from weakref import WeakKeyDictionary

import numpy as np

from optimizer.model.arrays import IntArray, Reals

NOBODY = -1
"""Owner of a partition that nobody owned, and target of one that nobody may read."""

GONE = -2
"""Owner of a partition whose owner isn't in the group any more."""


@dataclass(frozen=True)
class KafkaFacts:
    """Facts of a group that only Kafka's own strategies read.

    `claims` are all (member, partition) claims of present members in the order given, losing ones
    included (None: each owner claims what it owns). `leader_order` has the member indexes in the
    order that Kafka's leader sees (None: the order of their ids), `generations` are -1 where
    absent, `topic_ids` 32 hex digits or Kafka's 22 characters. `vanished` has for each subscription
    the topics in it that the cluster lacks (Kafka compares subscriptions before it drops them);
    `beyond` are claims (members, topics, numbers) on partitions that an existing topic doesn't have
    (Kafka's sticky assignors take them for real). None: there are none.
    """

    claims: tuple[IntArray, IntArray] | None = None
    leader_order: IntArray | None = None
    instance_ids: Sequence[str | None] | None = None
    client_ids: Sequence[str | None] | None = None
    generations: IntArray | None = None
    topic_ids: Sequence[str | None] | None = None
    vanished: Sequence[tuple[str, ...]] | None = None
    beyond: tuple[IntArray, IntArray, IntArray] | None = None


@dataclass(frozen=True, eq=False)
class Problem:
    """One group as arrays, members sorted by id and topics by name.

    Partition p of topic t has the index `topic_offsets[t] + p`; an assignment is an array with the
    member index of each partition. Members of equal subscriptions share one entry of
    `subscriptions`, an array of topic indexes, each once; every entry is some member's. `owner` is
    what the claims come to: a member index, NOBODY or GONE.

    `racks` has the rack of each member; `leader_racks` and `replica_racks` have for each partition
    the rack of its leader and the racks of its replicas, of which the first is read where the goals
    name it only. None: none is known. `weights` of partitions and `capacities` of members have NaN
    where one isn't known (`optimizer.model.weights`). `hosts` are where members run.
    """

    member_ids: Sequence[str]
    topics: Sequence[str]
    topic_offsets: IntArray
    member_subscription: IntArray
    subscriptions: Sequence[IntArray]
    owner: IntArray
    racks: Sequence[str | None] | None = None
    leader_racks: Sequence[str | None] | None = None
    replica_racks: Sequence[tuple[str, ...]] | None = None
    kafka: KafkaFacts = field(default_factory=KafkaFacts)
    hosts: Sequence[str | None] | None = None
    weights: Reals | None = None
    capacities: Reals | None = None

    @property
    def partition_count(self) -> int:
        return int(self.topic_offsets[-1])

    @cached_property
    def topic_sizes(self) -> IntArray:
        """Number of partitions of each topic."""
        return self.topic_offsets[1:] - self.topic_offsets[:-1]

    @cached_property
    def topic_of(self) -> IntArray:
        """Topic index of each partition."""
        return np.arange(len(self.topics)).repeat(self.topic_sizes)

    @cached_property
    def claims(self) -> tuple[IntArray, IntArray]:
        """All (member, partition) claims: see `KafkaFacts`."""
        if self.kafka.claims is not None:
            return self.kafka.claims
        owned = (self.owner >= 0).nonzero()[0]
        return self.owner[owned], owned

    def partition_name(self, partition: int) -> str:
        """Topic and number, as Kafka's tools print them: `orders-3`."""
        topic = int(self.topic_of[partition])
        return f"{self.topics[topic]}-{partition - int(self.topic_offsets[topic])}"


Key = TypeVarTuple("Key")
T = TypeVar("T")


def once_a_problem(derive: Callable[[Problem, *Key], T]) -> Callable[[Problem, *Key], T]:
    """Let a function of a problem, and of what can be a key, work its answer out only once.

    Answers live as long as their problem does, which they must not refer to.
    """
    answers: WeakKeyDictionary[Problem, dict[tuple[*Key], T]] = WeakKeyDictionary()

    def recall(problem: Problem, *key: *Key) -> T:
        of_problem = answers.setdefault(problem, {})
        if key not in of_problem:
            of_problem[key] = derive(problem, *key)
        return of_problem[key]

    return update_wrapper(recall, derive)
