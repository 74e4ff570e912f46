"""The group in counts: how much there is of each kind, and who owns how much of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from optimizer.model import IntArray, distinct
from optimizer.solver.costs import Flags
from optimizer.solver.kinds import Kinds


@dataclass(frozen=True)
class Demand:
    """Kinds of partitions and their readers, in counts.

    A pair is a kind and one of its readers; the pairs of kind s are offsets[s]:offsets[s + 1].
    `supply` has the partitions of each kind, `members` the member of each pair (below
    `member_count`), `owned` how many partitions of the pair's kind the member owns, `costs` by
    level whether one of them costs it anything. A share is how many it shall have.
    Where topics are to be spread, `topics` has the topic of each kind, none of which has partitions
    of several.
    """

    supply: IntArray
    offsets: IntArray
    members: IntArray
    owned: IntArray
    member_count: int
    costs: Mapping[str, Flags] = field(default_factory=dict)
    topics: IntArray | None = None

    @property
    def mean_load(self) -> int:
        """Rounded down."""
        return int(self.supply.sum()) // self.member_count

    @cached_property
    def kind_of_pair(self) -> IntArray:
        return np.arange(len(self.supply)).repeat(self.offsets[1:] - self.offsets[:-1])

    def restricted_to(self, pairs: IntArray) -> Demand:
        """The demand of some pairs only (ascending), its kinds and members numbered anew."""
        if len(pairs) == len(self.members) and self._has_every_member():
            return self
        present, members = distinct(self.members[pairs], self.member_count)
        kind = self.kind_of_pair[pairs]
        first = np.diff(kind, prepend=-1).nonzero()[0]
        return Demand(
            supply=self.supply[kind[first]],
            offsets=np.append(first, len(pairs)),
            members=members,
            owned=self.owned[pairs],
            member_count=len(present),
            costs={level: flags[pairs] for level, flags in self.costs.items()},
            topics=None if self.topics is None else self.topics[kind[first]],
        )

    def _has_every_member(self) -> bool:
        if len(self.members) == len(self.supply) * self.member_count:
            return True
        return bool(np.bincount(self.members, minlength=self.member_count).all())


Solver = Callable[[Sequence[str]], IntArray | None]
"""Finds the best shares of a part by levels that are all within one of each other, if any are."""


def demand_of(kinds: Kinds, member_count: int, topics: IntArray | None = None) -> Demand:
    """Count partitions by kind, and by kind and owner; `topics` are those of kinds to spread."""
    supply = np.bincount(kinds.of_partition + 1, minlength=len(kinds.offsets))
    owned = np.bincount(kinds.owner_pair + 1, minlength=len(kinds.members) + 1)
    return Demand(
        supply=supply[1:],
        offsets=kinds.offsets,
        members=kinds.members,
        owned=owned[1:],
        member_count=member_count,
        costs=kinds.costs,
        topics=topics,
    )
