"""What a group would be like with more members, or with fewer."""

from dataclasses import dataclass, field
from functools import cache

from optimizer.model import Problem, classes_of, member_loads, members_per_host
from optimizer.sizes.readers import Readers, readers_of

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
    result = int(member_loads(problem, classes_of(problem).kept).max(initial=0))
    per_host = members_per_host(problem)
    ladder = Ladder(readers, members, per_host)
    optimal = ladder.max_load(members)
    assert optimal is not None
    fewest_optimal = ladder.fewest(optimal)
    assert fewest_optimal is not None
    fewest_found = ladder.fewest(max(result, optimal)) or fewest_optimal
    next_better = ladder.next_better(optimal)
    return Sizes(
        members=members,
        partitions=readers.partitions,
        current_max=result,
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
