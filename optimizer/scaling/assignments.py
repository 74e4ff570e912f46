"""Who reads which partition at each number of members, by the group's own strategy."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from optimizer.model import Group, IntArray, Member, problem_of
from optimizer.strategies import strategy_named


@dataclass(frozen=True, eq=False)
class Assignments:
    """The strategy's assignment for each size, computed at its first use and kept.

    All members subscribe to all `topics`, whose partitions are numbered topic by topic in order of
    name. The strategy starts with nothing owned, so a size has one assignment, after any other.
    """

    topics: Mapping[str, int]
    strategy: str
    _owners: dict[int, IntArray] = field(default_factory=dict, repr=False)

    @cached_property
    def partitions(self) -> int:
        """How many all topics have."""
        return sum(self.topics.values())

    def owners(self, members: int) -> IntArray:
        """The number of the member that reads each partition.

        More members than partitions own nothing more.
        """
        useful = min(members, self.partitions)
        if useful not in self._owners:
            self._owners[useful] = self._assign(useful)
        return self._owners[useful]

    def useful(self, most: int) -> list[int]:
        """Sizes up to `most` of which each has a lower largest load than all that are smaller."""
        all_ = self.partitions
        largest = {-(-all_ // members) for members in range(1, min(most, all_) + 1)}
        return sorted(-(-all_ // load) for load in largest)

    def _assign(self, members: int) -> IntArray:
        digits = len(str(members))
        group = Group(
            dict(self.topics),
            [Member(f"m{number:0{digits}d}", [*self.topics]) for number in range(members)],
        )
        target = strategy_named(self.strategy).assign(problem_of(group).problem).target
        return np.maximum(target, 0)

    def partition_name(self, partition: int) -> str:
        """Topic and number, as Kafka's tools print them: `orders-3`."""
        for topic in sorted(self.topics):
            if partition < self.topics[topic]:
                return f"{topic}-{partition}"
            partition -= self.topics[topic]
        raise IndexError(partition)
