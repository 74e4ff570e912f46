"""One consumer group as arrays: what every strategy works on."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]

NOBODY = -1
"""Owner of a partition that nobody owned, and target of one that nobody may read."""

GONE = -2
"""Owner of a partition whose owner isn't in the group any more."""


@dataclass(frozen=True)
class Classes:
    """Partitions that the same members may read, put together.

    `of_topic[t]` is the class of topic t, or -1 when nobody subscribes to it; the members of
    class c are `members[offsets[c]:offsets[c + 1]]`, ascending.
    """

    of_topic: IntArray
    offsets: IntArray
    members: IntArray

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def members_of(self, c: int) -> IntArray:
        return self.members[self.offsets[c] : self.offsets[c + 1]]

    def everybody_reads_everything(self, member_count: int) -> bool:
        return len(self.members) == len(self) * member_count

    def pairs(self, member_count: int) -> IntArray:
        """Every (class c, member m) of a subscription as c * member_count + m, ascending."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets)) * member_count + self.members


@dataclass(frozen=True)
class Problem:
    """One group as arrays, members sorted by id and topics by name.

    Partition p of topic t has the index `topic_offsets[t] + p`; an assignment is an array with the
    member index of each partition. Members of equal subscriptions share one entry of
    `subscriptions`, an array of topic indexes. `owner` is what the claims come to: a member index,
    NOBODY or GONE.

    The rest is read by Kafka's own strategies only. `claims` are all (member, partition) claims of
    present members in the order given, losing ones included; `leader_order` has the member
    indexes in the order that Kafka's leader sees (None: the order of their ids); `generations`
    are -1 where absent. `replica_racks` has one tuple of rack names a partition.
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

    @property
    def partition_count(self) -> int:
        return int(self.topic_offsets[-1])

    @cached_property
    def topic_of(self) -> IntArray:
        """Topic index of each partition."""
        return np.repeat(np.arange(len(self.topics)), np.diff(self.topic_offsets))

    @cached_property
    def class_of(self) -> IntArray:
        """Class of each partition, -1 where nobody subscribes."""
        return self.classes.of_topic[self.topic_of]

    @cached_property
    def keepable(self) -> NDArray[np.bool_]:
        """Whether each partition's owner is present and still subscribed to its topic."""
        return self.owner_pair >= 0

    @cached_property
    def owner_pair(self) -> IntArray:
        """The (class, owner) pair of each partition as an index into `classes.members`, or -1.

        -1 where the owner isn't present or not subscribed.
        """
        owned = (self.owner >= 0) & (self.class_of >= 0)
        wanted = self.class_of * len(self.member_ids) + self.owner
        if self.classes.everybody_reads_everything(len(self.member_ids)):
            return np.where(owned, wanted, -1)
        pairs = self.classes.pairs(len(self.member_ids))
        at = np.searchsorted(pairs, wanted[owned])
        found = pairs[np.minimum(at, len(pairs) - 1)] == wanted[owned]
        pair = np.full(len(owned), -1)
        pair[owned] = np.where(found, at, -1)
        return pair

    @cached_property
    def classes(self) -> Classes:
        if len(self.subscriptions) == 1 and len(self.member_ids):
            return self._single_class()
        return self._grouped_classes()

    def _single_class(self) -> Classes:
        of_topic = np.full(len(self.topics), -1)
        of_topic[self.subscriptions[0]] = 0
        count = 1 if len(self.subscriptions[0]) else 0
        members = np.arange(len(self.member_ids) * count)
        return Classes(of_topic, np.array([0, len(members)][: count + 1]), members)

    def _grouped_classes(self) -> Classes:
        readers = self._subscriptions_by_topic()
        of_topic = np.full(len(self.topics), -1)
        number: dict[bytes, int] = {}
        members: list[IntArray] = []
        members_of = self._members_by_subscription()
        for t, subscriptions in enumerate(readers):
            if not len(subscriptions):
                continue
            key = subscriptions.tobytes()
            if key not in number:
                number[key] = len(number)
                members.append(np.sort(np.concatenate([members_of[s] for s in subscriptions])))
            of_topic[t] = number[key]
        offsets = np.cumsum([0, *(len(some) for some in members)])
        joined = np.concatenate(members) if members else np.empty(0, np.int64)
        return Classes(of_topic, offsets, joined)

    def _subscriptions_by_topic(self) -> list[IntArray]:
        sizes = [len(some) for some in self.subscriptions]
        topic = np.concatenate([np.empty(0, np.int64), *self.subscriptions])
        subscription = np.repeat(np.arange(len(sizes)), sizes)[np.argsort(topic, kind="stable")]
        counts = np.bincount(topic, minlength=len(self.topics))
        return np.split(subscription, np.cumsum(counts)[:-1]) if len(counts) else []

    def _members_by_subscription(self) -> list[IntArray]:
        order = np.argsort(self.member_subscription, kind="stable")
        counts = np.bincount(self.member_subscription, minlength=len(self.subscriptions))
        return np.split(order, np.cumsum(counts)[:-1])
