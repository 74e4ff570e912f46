"""Many groups at once, in each of which everybody reads everything."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from optimizer.model.arrays import IntArray


@dataclass(frozen=True)
class HomogeneousGroups:
    """Groups one after the other: their members, and their partitions, numbered throughout.

    The members of group g are member_offsets[g]:member_offsets[g + 1], at least one, and its
    partitions partition_offsets[g]:partition_offsets[g + 1], at least one. `owner` has for each
    partition one of its group's members, or NOBODY. Topics are numbered throughout as well: the
    partitions of topic t are first_of_topic[t]:first_of_topic[t + 1], at least one.
    """

    member_offsets: IntArray
    partition_offsets: IntArray
    owner: IntArray
    first_of_topic: IntArray

    def __len__(self) -> int:
        return len(self.member_offsets) - 1

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
