"""Partitions that the same members may read: what the solver and Kafka's strategies derive.

The checker derives the like of it by itself (`optimizer.checker.kinds`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from optimizer.model.arrays import NOTHING, Flags, IntArray, ranges, stable_order
from optimizer.model.problem import NOBODY, Problem, once_a_problem


@dataclass(frozen=True)
class Classes:
    """Partitions that the same members may read, put together.

    `of_topic[t]` is the class of topic t, or -1 when nobody subscribes to it; the members of
    class c are `members[offsets[c]:offsets[c + 1]]`, ascending. A class and one of its members are
    a pair; `keys` has class * `member_count` + member for each, ascending. `topic_sizes` and
    `owner` are those of the problem.
    """

    of_topic: IntArray
    offsets: IntArray
    members: IntArray
    keys: IntArray
    member_count: int
    topic_sizes: IntArray
    owner: IntArray

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def members_of(self, c: int) -> IntArray:
        return self.members[self.offsets[c] : self.offsets[c + 1]]

    @cached_property
    def of_partition(self) -> IntArray:
        """Class of each partition, -1 where nobody subscribes."""
        return self.of_topic.repeat(self.topic_sizes)

    @cached_property
    def keepable(self) -> Flags:
        """Whether each partition's owner is present and still subscribed to its topic."""
        return self.owner_pair >= 0

    @cached_property
    def owner_pair(self) -> IntArray:
        """The pair of each partition's class and owner as an index into `members`, or -1.

        -1 where the owner isn't present or not subscribed.
        """
        key = np.where(self.owner >= 0, self.of_partition * self.member_count + self.owner, -1)
        if len(self.keys) == len(self) * self.member_count:  # everybody reads everything
            return np.maximum(key, -1)
        at = self.keys.searchsorted(key)
        return np.where(self.keys.take(at, mode="clip") == key, at, -1)

    @cached_property
    def kept(self) -> IntArray:
        """The owner of each partition who is present and still subscribed, or NOBODY."""
        return np.where(self.keepable, self.owner, NOBODY)


@once_a_problem
def classes_of(problem: Problem) -> Classes:
    """The classes of a problem."""
    if len(problem.subscriptions) == 1 and len(problem.subscriptions[0]):
        return _single_class(problem)
    return _grouped_classes(problem)


def _single_class(problem: Problem) -> Classes:
    of_topic = np.full(len(problem.topics), -1)
    of_topic[problem.subscriptions[0]] = 0
    members = np.arange(len(problem.member_ids))
    offsets = np.array([0, len(members)])
    return _classes(problem, of_topic, offsets, members, members)


def _grouped_classes(problem: Problem) -> Classes:
    """Topics belong together when the same subscriptions hold them."""
    readers, ends = _subscriptions_by_topic(problem)
    number: dict[bytes, int] = {}
    of_topic = [
        number.setdefault(readers[start:end].tobytes(), len(number)) if start < end else -1
        for start, end in zip([0, *ends], ends, strict=False)
    ]
    keys = _keys(problem, [np.frombuffer(of_class, readers.dtype) for of_class in number])
    members = len(problem.member_ids)
    offsets = keys.searchsorted(np.arange(len(number) + 1) * members)
    return _classes(problem, np.array(of_topic, np.int64), offsets, keys % max(members, 1), keys)


def _classes(
    problem: Problem, of_topic: IntArray, offsets: IntArray, members: IntArray, keys: IntArray
) -> Classes:
    return Classes(
        of_topic=of_topic,
        offsets=offsets,
        members=members,
        keys=keys,
        member_count=len(problem.member_ids),
        topic_sizes=problem.topic_sizes,
        owner=problem.owner,
    )


def _subscriptions_by_topic(problem: Problem) -> tuple[IntArray, list[int]]:
    """The subscriptions that hold the first topic, the second, …, and where each topic ends."""
    sizes = [len(topics) for topics in problem.subscriptions]
    topic = np.concatenate([NOTHING, *problem.subscriptions])
    subscription = np.arange(len(sizes)).repeat(sizes)
    counts = np.bincount(topic, minlength=len(problem.topics))
    return subscription[stable_order(topic, len(problem.topics))], counts.cumsum().tolist()


def _keys(problem: Problem, readers: Sequence[IntArray]) -> IntArray:
    """The keys of classes whose members are those of some subscriptions each."""
    c = np.arange(len(readers)).repeat([len(subscriptions) for subscriptions in readers])
    subscription = np.concatenate([NOTHING, *readers])
    counts = np.bincount(problem.member_subscription, minlength=len(problem.subscriptions))
    by_subscription = stable_order(problem.member_subscription, len(counts))
    lengths = counts[subscription]
    members = by_subscription[ranges((counts.cumsum() - counts)[subscription], lengths)]
    keys: IntArray = c.repeat(lengths) * len(problem.member_ids) + members
    keys.sort()
    return keys
