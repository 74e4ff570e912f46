"""Members by load, from both ends: who gets the next partition, who gives one."""

from collections.abc import Mapping, Sized

import numpy as np

from optimizer.model import NOBODY, IntArray


class Levels:
    """Walks `members` from the least and from the most loaded end, a level at a time.

    Members stand in the order of (load, number), and keep their places while loads change: the
    least loaded range takes one partition each, then rises a level and takes in those who stand on
    it; the most loaded range falls likewise
    (UniformHeterogeneousAssignmentBuilder.MemberAssignmentBalancer).
    """

    def __init__(self, members: IntArray, loads: IntArray) -> None:
        """`loads` of all members is examined again at every step: the caller brings it up."""
        self._loads = loads
        self._members: list[int] = members[np.argsort(loads[members], kind="stable")].tolist()
        self._low_end = 0
        self._low_level = self._load_at(0) - 1
        self._low_next = 0
        self._high_start = self._high_end = len(self._members)
        self._high_level = self._load_at(-1) + 1
        self._high_next = len(self._members) - 1

    def next_least(self) -> int:
        """The member for the next partition."""
        if self._low_next >= self._low_end:
            self._low_level += 1
            while (
                self._low_end < len(self._members)
                and self._load_at(self._low_end) == self._low_level
            ):
                self._low_end += 1
            self._low_next = 0
        self._low_next += 1
        return self._members[self._low_next - 1]

    def next_most(self, owned: Mapping[int, Sized]) -> int:
        """The member to take a partition from, NOBODY if none has any left in `owned`.

        A member without any changes places with the last one of the range, and leaves it.
        """
        while True:
            if self._high_next < self._high_start:
                self._lower()
            if self._high_next < 0:
                return NOBODY
            at = self._high_next
            self._high_next -= 1
            if owned.get(self._members[at]):
                return self._members[at]
            self._high_end -= 1
            members = self._members
            members[at], members[self._high_end] = members[self._high_end], members[at]

    def even(self) -> bool:
        return self._high_level - self._low_level <= 1

    def _lower(self) -> None:
        emptied = self._high_end <= self._high_start
        if emptied and self._high_start > 0:
            self._high_level = self._load_at(self._high_start - 1)
        else:
            self._high_level -= 1
        while self._high_start > 0 and self._load_at(self._high_start - 1) == self._high_level:
            self._high_start -= 1
        self._high_next = self._high_end - 1

    def _load_at(self, place: int) -> int:
        return int(self._loads[self._members[place]])
