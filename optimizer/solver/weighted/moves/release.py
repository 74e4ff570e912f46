"""What members who have too much give up: as few partitions as can be, and just enough."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate


@dataclass(frozen=True)
class TooFull:
    """Some partitions of a member, the heaviest first, their weights, and how much is too much."""

    own: list[int]
    weight: list[int]
    excess: int

    @cached_property
    def least(self) -> list[int]:
        """Places of as few as it can give up."""
        return _least(self)

    @cached_property
    def closer(self) -> list[int]:
        """Places of what is closer to just enough: more, and none of it too heavy.

        Where one partition is enough, it is done without any that would be.
        """
        if len(self.least) > 1:
            return _least(self, more=1)
        lead = sum(weight >= self.excess for weight in self.weight)
        lighter = TooFull(self.own[lead:], self.weight[lead:], self.excess)
        return [lead + at for at in _least(lighter)] or self.least

    @cached_property
    def saved(self) -> int:
        """How much less `closer` weighs than `least`."""
        weight = self.weight
        return sum(weight[at] for at in self.least) - sum(weight[at] for at in self.closer)

    @cached_property
    def worth(self) -> float:
        """The same for each partition that is more."""
        return self.saved / max(len(self.closer) - len(self.least), 1)


def to_release(full: Sequence[TooFull], saving: int) -> list[int]:
    """What some members are to give up.

    Each gives up as few as it can. So that it weighs less by `saving`, some give up more, and what
    is closer to just enough: those first who save most for each that is more.
    """
    releases = [member.least for member in full]
    if saving:
        for at in sorted(range(len(full)), key=lambda at: -full[at].worth):
            if saving <= 0 or full[at].saved <= 0:
                break
            saving -= full[at].saved
            releases[at] = full[at].closer
    return [
        member.own[at] for member, released in zip(full, releases, strict=True) for at in released
    ]


def _least(member: TooFull, more: int = 0) -> list[int]:
    """Of the fewest partitions that are enough those that weigh least, about; none if none are.

    `more`: how many more than the fewest to take. All but two are the heaviest; of those two the
    sum is the least that is enough.
    """
    weight, excess = member.weight, member.excess
    enough = next((at for at, sums in enumerate(accumulate(weight)) if sums >= excess), None)
    if enough is None:
        return []
    count = min(enough + 1 + more, len(weight))
    fixed = max(0, count - 2)
    heaviest = list(range(fixed))
    excess -= sum(weight[:fixed])
    if count - fixed == 1:
        return [*heaviest, sum(item >= excess for item in weight[fixed:]) + fixed - 1]
    return [*heaviest, *_two(weight, fixed, excess)]


def _two(weight: list[int], first: int, excess: int) -> tuple[int, int]:
    """Of those from the first on the two, the heavier one before, of the least sum that is enough.

    The heavier a partition is, the lighter is the lightest that is enough with it.
    """
    count, lightest = len(weight), first - 1
    best, result = None, (first, first + 1)
    for at in range(count - 1, first - 1, -1):
        while lightest + 1 < count and weight[lightest + 1] + weight[at] >= excess:
            lightest += 1
        sums = weight[at] + weight[lightest]
        if lightest > at and (best is None or sums < best):
            best, result = sums, (at, lightest)
    return result
