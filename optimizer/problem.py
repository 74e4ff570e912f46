"""One consumer group as arrays: what every strategy works on."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from optimizer.arrays import NOTHING, IntArray, ranges, stable_order

__all__ = ["GONE", "NOBODY", "Classes", "IntArray", "Problem"]

NOBODY = -1
"""Owner of a partition that nobody owned, and target of one that nobody may read."""

GONE = -2
"""Owner of a partition whose owner isn't in the group any more."""


@dataclass(frozen=True)
class Classes:
    """Partitions that the same members may read, put together.

    `of_topic[t]` is the class of topic t, or -1 when nobody subscribes to it; the members of
    class c are `members[offsets[c]:offsets[c + 1]]`, ascending. A class and one of its members are
    a pair; `keys` has class * (number of members of the group) + member for each, ascending.
    """

    of_topic: IntArray
    offsets: IntArray
    members: IntArray
    keys: IntArray

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def members_of(self, c: int) -> IntArray:
        return self.members[self.offsets[c] : self.offsets[c + 1]]


@dataclass(frozen=True)
class Problem:
    """One group as arrays, members sorted by id and topics by name.

    Partition p of topic t has the index `topic_offsets[t] + p`; an assignment is an array with the
    member index of each partition. Members of equal subscriptions share one entry of
    `subscriptions`, an array of topic indexes, each once; every entry is some member's. `owner` is
    what the claims come to: a member index, NOBODY or GONE.

    The rest is read by Kafka's own strategies only. `claims` are all (member, partition) claims of
    present members in the order given, losing ones included; `leader_order` has the member
    indexes in the order that Kafka's leader sees (None: the order of their ids); `generations`
    are -1 where absent. `vanished` has
    for each subscription the topics in it that the cluster lacks (Kafka compares subscriptions
    before it drops them); `beyond` are claims (members, topics, numbers) on partitions that an
    existing topic doesn't have (Kafka's sticky assignors take them for real). None: there are none.

    `leader_racks` and `replica_racks` have an entry for each partition, the rack of its leader and
    the racks of its replicas; the first is read where the goals name it only.
    """

    member_ids: Sequence[str]
    topics: Sequence[str]
    topic_offsets: IntArray
    member_subscription: IntArray
    subscriptions: Sequence[IntArray]
    owner: IntArray
    claims: tuple[IntArray, IntArray]
    leader_order: IntArray | None = None
    instance_ids: Sequence[str | None] | None = None
    racks: Sequence[str | None] | None = None
    generations: IntArray | None = None
    replica_racks: Sequence[tuple[str, ...]] | None = None
    topic_ids: Sequence[str | None] | None = None
    vanished: Sequence[tuple[str, ...]] | None = None
    beyond: tuple[IntArray, IntArray, IntArray] | None = None
    leader_racks: Sequence[str | None] | None = None

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
    def class_of(self) -> IntArray:
        """Class of each partition, -1 where nobody subscribes."""
        return self.classes.of_topic.repeat(self.topic_sizes)

    @cached_property
    def keepable(self) -> NDArray[np.bool_]:
        """Whether each partition's owner is present and still subscribed to its topic."""
        return self.owner_pair >= 0

    @cached_property
    def owner_pair(self) -> IntArray:
        """The pair of each partition's class and owner as an index into `classes.members`, or -1.

        -1 where the owner isn't present or not subscribed.
        """
        members, keys = len(self.member_ids), self.classes.keys
        key = np.where(self.owner >= 0, self.class_of * members + self.owner, -1)
        if len(keys) == len(self.classes) * members:  # everybody reads everything
            return np.maximum(key, -1)
        at = keys.searchsorted(key)
        return np.where(keys.take(at, mode="clip") == key, at, -1)

    @cached_property
    def classes(self) -> Classes:
        if len(self.subscriptions) == 1 and len(self.subscriptions[0]):
            return self._single_class()
        return self._grouped_classes()

    def _single_class(self) -> Classes:
        of_topic = np.full(len(self.topics), -1)
        of_topic[self.subscriptions[0]] = 0
        members = np.arange(len(self.member_ids))
        return Classes(of_topic, np.array([0, len(members)]), members, members)

    def _grouped_classes(self) -> Classes:
        """Topics belong together when the same subscriptions hold them."""
        readers, ends = self._subscriptions_by_topic()
        number: dict[bytes, int] = {}
        of_topic = [
            number.setdefault(readers[start:end].tobytes(), len(number)) if start < end else -1
            for start, end in zip([0, *ends], ends, strict=False)
        ]
        keys = self._keys([np.frombuffer(some, readers.dtype) for some in number])
        members = len(self.member_ids)
        offsets = keys.searchsorted(np.arange(len(number) + 1) * members)
        return Classes(np.array(of_topic, np.int64), offsets, keys % max(members, 1), keys)

    def _subscriptions_by_topic(self) -> tuple[IntArray, list[int]]:
        """The subscriptions that hold the first topic, the second, …, and where each topic ends."""
        sizes = [len(some) for some in self.subscriptions]
        topic = np.concatenate([NOTHING, *self.subscriptions])
        subscription = np.arange(len(sizes)).repeat(sizes)
        counts = np.bincount(topic, minlength=len(self.topics))
        return subscription[stable_order(topic, len(self.topics))], counts.cumsum().tolist()

    def _keys(self, readers: Sequence[IntArray]) -> IntArray:
        """The keys of classes whose members are those of some subscriptions each."""
        c = np.arange(len(readers)).repeat([len(some) for some in readers])
        subscription = np.concatenate([NOTHING, *readers])
        counts = np.bincount(self.member_subscription, minlength=len(self.subscriptions))
        by_subscription = stable_order(self.member_subscription, len(counts))
        lengths = counts[subscription]
        members = by_subscription[ranges((counts.cumsum() - counts)[subscription], lengths)]
        keys: IntArray = c.repeat(lengths) * len(self.member_ids) + members
        keys.sort()
        return keys
