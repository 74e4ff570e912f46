"""Many groups at once, in each of which everybody reads everything."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from optimizer.model.arrays import Flags, IntArray


@dataclass(frozen=True)
class HomogeneousGroups:
    """Groups one after the other: their members, and their partitions, numbered throughout.

    The members of group g are member_offsets[g]:member_offsets[g + 1], at least one, and its
    partitions partition_offsets[g]:partition_offsets[g + 1], at least one. `owner` has for each
    partition one of its group's members, or NOBODY. Topics are numbered throughout as well: the
    partitions of topic t are first_of_topic[t]:first_of_topic[t + 1], at least one. `host` has the
    number of each member's host, throughout as well, so that no two groups share one; None where it
    doesn't matter to any of them.
    """

    member_offsets: IntArray
    partition_offsets: IntArray
    owner: IntArray
    first_of_topic: IntArray
    host: IntArray | None = None

    def __len__(self) -> int:
        return len(self.member_offsets) - 1

    @cached_property
    def are_on_hosts(self) -> Flags:
        """Whether some members of each group share a host, and not all of them the same."""
        if self.host is None:
            return np.zeros(len(self), np.bool_)
        first = self.member_offsets[:-1]
        hosts = np.maximum.reduceat(self.host, first) - np.minimum.reduceat(self.host, first) + 1
        result: Flags = (hosts > 1) & (hosts < np.diff(self.member_offsets))
        return result

    def host_loads(self, member_loads: IntArray) -> IntArray:
        """How many partitions the members of each member's host have together."""
        if self.host is None:
            return member_loads
        return np.bincount(self.host, member_loads)[self.host].astype(np.int64)

    @cached_property
    def topic_offsets(self) -> IntArray:
        """The topics of group g are topic_offsets[g]:topic_offsets[g + 1]."""
        return self.first_of_topic.searchsorted(self.partition_offsets)

    @cached_property
    def topic_of(self) -> IntArray:
        """The topic of each partition."""
        return np.arange(len(self.first_of_topic) - 1).repeat(np.diff(self.first_of_topic))

    @cached_property
    def of_partition(self) -> IntArray:
        """The group of each partition."""
        return np.arange(len(self)).repeat(np.diff(self.partition_offsets))
