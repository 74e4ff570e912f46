"""Sizes of a group: what more members, or fewer, would have to read, from the group in counts."""

from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optimizer.flow import Takers, fewest_takers
from optimizer.model import IntArray, Problem, classes_of, member_loads, members_per_host, ranges
from optimizer.solver import min_max_load

UNBOUNDED = 1_000_000
"""More members than any group has: they wouldn't fit into Kafka's record of a group."""


@dataclass(frozen=True)
class Readers:
    """Kinds of members, who read the same, and classes of partitions, which the same kinds read.

    `supply` has the partitions of each class, `reads[c, k]` tells whether kind k reads class c,
    `counts` has the members of each kind. Who reads nothing that is there isn't among them.
    """

    supply: IntArray
    reads: NDArray[np.bool_]
    counts: IntArray

    @property
    def partitions(self) -> int:
        return int(self.supply.sum())

    @property
    def members(self) -> int:
        return int(self.counts.sum())

    @cached_property
    def commonest(self) -> int:
        """The kind of most members; of several the one that reads most, then the first."""
        amounts = self.supply @ self.reads
        return max(
            range(len(self.counts)), key=lambda k: (int(self.counts[k]), int(amounts[k]), -k)
        )

    @property
    def alike(self) -> bool:
        """Whether all members read the same."""
        return len(self.counts) == 1

    def least_max(self, counts: IntArray) -> int:
        """The optimum's highest load with `counts` members of each kind."""
        if self.alike:
            return -(-self.partitions // int(counts[0]))
        starts, kinds = counts.cumsum() - counts, [row.nonzero()[0] for row in self.reads]
        of_class = [ranges(starts[kind], counts[kind]) for kind in kinds]
        offsets = np.cumsum([0, *map(len, of_class)])
        return min_max_load(self.supply, offsets, np.concatenate(of_class), int(counts.sum()))

    def with_more(self, members: int) -> IntArray:
        """The counts with `members` more members of the commonest kind."""
        counts = self.counts.copy()
        counts[self.commonest] += members
        return counts

    def fewest_left(self, load: float) -> Takers | None:
        """The fewest of the members who read everything with no load above this one.

        None: all of them don't do.
        """
        return self._fewest(load, self.supply, np.zeros_like(self.counts), self.counts)

    def fewest_added(self, load: float) -> Takers | None:
        """The fewest, of all the members and new ones of the commonest kind, for such a load."""
        return self._fewest(load, self.supply, self.counts, self.with_more(UNBOUNDED))

    def fewest(self, load: float, supply: NDArray[Any]) -> Takers | None:
        """The fewest of any of the members, and of new ones of the commonest kind, for such a load.

        `supply` stands for the partitions, such as their rates.
        """
        return self._fewest(load, supply, np.zeros_like(self.counts), self.with_more(UNBOUNDED))

    def _fewest(
        self, load: float, supply: NDArray[Any], least: IntArray, most: IntArray
    ) -> Takers | None:
        if not self.alike:
            return fewest_takers(supply, self.reads, load, least, most)
        needed = max(int(least[0]), _quotient(supply.sum(), load), 1)
        return Takers(np.array([needed]), True) if needed <= most[0] else None


def readers_of(problem: Problem) -> Readers:
    """The kinds of a group's members; of one whose members read nothing there are none."""
    classes = classes_of(problem)
    supply = np.bincount(classes.of_partition + 1, minlength=len(classes) + 1)[1:]
    is_there = supply > 0
    reads = np.zeros((len(classes), len(problem.subscriptions)), np.bool_)
    for kind, topics in enumerate(problem.subscriptions):
        reads[classes.of_topic[topics], kind] = True
    reads = reads[is_there]
    counts = np.bincount(problem.member_subscription, minlength=len(problem.subscriptions))
    kinds, of_kind = np.unique(reads, axis=1, return_inverse=True)
    totals = np.bincount(of_kind.reshape(-1), weights=counts, minlength=kinds.shape[1])
    useful = kinds.any(axis=0)
    return Readers(supply[is_there], kinds[:, useful], totals[useful].astype(np.int64))


def _quotient(amount: Any, load: float) -> int:
    """An amount in loads, rounded up but for what floating point makes of it."""
    if isinstance(load, int):
        return -(-int(amount) // load)
    return int(np.ceil(float(amount) / load - 1e-9))


SIZES_AROUND = 3
"""Sizes listed above and below that of a group."""

FARTHEST = 64
"""Members to add or remove, at most, in the search for an even size."""


@dataclass(frozen=True)
class Size:
    """The smallest `max_load` that `members` members can have.

    `even`: all have the same.
    """

    members: int
    max_load: int
    even: bool


@dataclass(frozen=True)
class Sizes:
    """A group's members, and how many it needs; counts are of partitions.

    `current_max` is the highest load now, `optimal_max` that of the optimum. Of the members
    `fewest_found` and `fewest_optimal` would do for these two, so that `spare` could go without
    raising the optimum's; `next_better` have a lower one, null where more members of the commonest
    subscription don't help. `even_below` and `even_above` are the nearest sizes that divide evenly.
    `sizes` are those near the current one. `kinds`: how many kinds of members there are, by what
    they read; `proven`: no count was cut short.

    Where each of several hosts, or pods, has the same number of members, `per_host`, all of these
    sizes are multiples of that number. If members differ by what they read, `proven` is False then:
    members of one host can only come and go together.
    """

    members: int
    partitions: int
    current_max: int
    optimal_max: int
    fewest_found: int
    fewest_optimal: int
    next_better: int | None
    even_below: int | None
    even_above: int | None
    kinds: int
    proven: bool
    sizes: list[Size] = field(default_factory=list)
    per_host: int = 1

    @property
    def spare(self) -> int:
        return self.members - self.fewest_optimal

    @property
    def even(self) -> bool:
        return self.optimal_max * self.members == self.partitions


def sizes_of(problem: Problem) -> Sizes | None:
    """The sizes of a group near its current one; None where members read nothing.

    More members are new ones of the commonest subscription. Fewer are those of the present ones
    that carry the most: which ones go is the best choice of all, by what they read.
    """
    readers = readers_of(problem)
    if not readers.partitions:
        return None
    members = len(problem.member_ids)
    current_max = int(member_loads(problem, classes_of(problem).kept).max(initial=0))
    per_host = members_per_host(problem)
    ladder = Ladder(readers, members, per_host)
    optimal = ladder.max_load(members)
    assert optimal is not None
    fewest_optimal = ladder.fewest(optimal)
    assert fewest_optimal is not None
    fewest_found = ladder.fewest(max(current_max, optimal)) or fewest_optimal
    next_better = ladder.next_better(optimal)
    return Sizes(
        members=members,
        partitions=readers.partitions,
        current_max=current_max,
        optimal_max=optimal,
        fewest_found=whole_hosts(fewest_found, per_host),
        fewest_optimal=whole_hosts(fewest_optimal, per_host),
        next_better=next_better and whole_hosts(next_better, per_host),
        even_below=ladder.nearest_even(-1),
        even_above=ladder.nearest_even(1),
        kinds=len(readers.counts),
        proven=ladder.proven and (per_host == 1 or readers.alike),
        sizes=[
            size
            for n in range(-SIZES_AROUND, SIZES_AROUND + 1)
            if (size := ladder.size(members + n * per_host))
        ],
        per_host=per_host,
    )


def whole_hosts(members: int, per_host: int) -> int:
    """A number of members, rounded up to all members of each host."""
    return -(-members // per_host) * per_host


class Ladder:
    """The highest loads of the optimum by the number of members.

    Who reads nothing counts as a member, and is the first to go.
    """

    def __init__(self, readers: Readers, members: int, per_host: int) -> None:
        self.readers, self.members, self.per_host = readers, members, per_host
        self.proven = True
        self.fewest = cache(self._fewest)
        self.max_load = cache(self._max_load)

    def size(self, members: int) -> Size | None:
        """None for too few members to read everything."""
        if members < 1 or (load := self.max_load(members)) is None:
            return None
        return Size(members, load, load * members == self.readers.partitions)

    def _fewest(self, load: int) -> int | None:
        """The fewest present members for that load; None if all aren't enough."""
        takers = self.readers.fewest_left(load)
        if takers is None:
            return None
        self.proven &= takers.proven
        return int(takers.counts.sum())

    def _max_load(self, members: int) -> int | None:
        readers, new = self.readers, max(members - self.members, 0)
        if readers.alike:
            return -(-readers.partitions // (min(members, readers.members) + new))
        if members >= readers.members:
            return readers.least_max(readers.with_more(new))
        return self._max_load_of_fewer(members)

    def _max_load_of_fewer(self, members: int) -> int | None:
        """The least load for which so few are enough, by bisection: it falls with their number."""
        low, high = -(-self.readers.partitions // members), self.readers.partitions
        if not self._do(members, high):
            return None
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if self._do(members, middle) else (middle + 1, high)
        return low

    def _do(self, members: int, load: int) -> bool:
        fewest = self.fewest(load)
        return fewest is not None and fewest <= members

    def next_better(self, load: int | None) -> int | None:
        """The fewest of present members and new ones who have less than that."""
        if load is None or load <= 1:
            return None
        takers = self.readers.fewest_added(load - 1)
        if takers is None:
            return None
        self.proven &= takers.proven
        return self.members + int((takers.counts - self.readers.counts).sum())

    def nearest_even(self, step: int) -> int | None:
        """The nearest size that divides evenly, in one direction."""
        partitions = self.readers.partitions
        start = min(self.members - 1, partitions) if step < 0 else self.members + 1
        for members in range(start, start + step * FARTHEST, step):
            if not 1 <= members <= partitions:
                return None
            if partitions % members == 0 and members % self.per_host == 0:
                size = self.size(members)
                if size and size.even:
                    return members
        return None
