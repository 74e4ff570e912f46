"""Members of a sticky group who may still get partitions."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from optimizer.model import IntArray


class Quota(NamedTuple):
    """Every member gets `low` partitions, and `extra` of them one more."""

    low: int
    extra: int

    @property
    def high(self) -> int:
        return self.low + (self.extra > 0)


@dataclass(slots=True)
class Unfilled:
    """Members below the quota, in the order in which Kafka fills them.

    `under` own less than `quota.low`: `need[m]` tells how much less; `exact` own just that and may
    become one of the `quota.extra` members with one more, of whom there are `full` by now.
    """

    quota: Quota
    need: list[int]
    under: list[int] = field(default_factory=list)
    exact: list[int] = field(default_factory=list)
    full: int = 0

    def take_back(self, order: IntArray, owned: IntArray) -> IntArray:
        """Ask the members in `order` what they keep of `owned` partitions; returns it."""
        low, high, extra = self.quota.low, self.quota.high, self.quota.extra
        keeps = owned.tolist()
        for member in order.tolist():
            if keeps[member] < low:
                self.need[member] = low - keeps[member]
                self.under.append(member)
            elif keeps[member] >= high and self.full < extra:
                keeps[member] = high
                self.one_more_is_full()
            else:
                keeps[member] = low
                if self.full < extra:
                    self.exact.append(member)
        return np.array(keeps, np.int64)

    def one_more_is_full(self) -> None:
        self.full += 1
        if self.full == self.quota.extra:
            self.exact.clear()

    def sort(self, ranks: IntArray) -> None:
        """Sort both lists by `ranks`, those of the member ids."""
        by_id = ranks.tolist()
        self.under.sort(key=by_id.__getitem__)
        self.exact.sort(key=by_id.__getitem__)

    def rounds(self, count: int) -> IntArray:
        """Members for the next `count` partitions.

        Those under the quota take turns until each has enough, and then stand at the end of the
        queue from which everybody takes one more.
        """
        needs = np.array([self.need[member] for member in self.under], np.int64)
        place = np.repeat(np.arange(len(needs)), needs)
        turn = np.arange(len(place)) - np.repeat(np.cumsum(needs) - needs, needs)
        under = np.array(self.under, np.int64)
        taking_turns = under[place[np.lexsort((place, turn))]]
        queue = np.array(self.exact, np.int64)
        filled = under[np.argsort(needs, kind="stable")]
        return np.concatenate([taking_turns, queue, filled])[:count]
