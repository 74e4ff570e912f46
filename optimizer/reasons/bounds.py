"""Why loads can't be more even: partitions that some members only may read."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optimizer.checker import Kinds, kinds_of
from optimizer.figures import counted, figure
from optimizer.model import Goals, IntArray, Problem

NO = "no assignment has"

NAMED = 3
"""Members or topics that are named; the rest are counted."""


@dataclass(frozen=True)
class Bound:
    """A set of members and what it implies for the load of one of them.

    "at least": only `members` can read the `partitions` of `topics`, so one of them has `load` or
    more. "at most": `members` can read no others than the `partitions` of `topics`, so one of them
    has `load` or less.
    """

    side: str
    members: tuple[str, ...]
    topics: tuple[str, ...]
    partitions: int
    load: int

    def __str__(self) -> str:
        members = _named(self.members, "members")
        if self.side == "at least":
            share = self._share("that can read them", members)
            return f"{share}: {NO} a largest load below {self.load}"
        share = self._share("that can read no others", members)
        return f"{share}: {NO} a smallest load above {self.load}"

    def _share(self, which: str = "", members: str = "") -> str:
        """What a member has on average of these partitions, if these members have them all."""
        named = f" {which} ({members})" if which else ""
        of_topics = f" of {_named(self.topics, 'topics')}" if self.topics else ""
        return (
            f"{counted(self.partitions, 'partition')}{of_topics} ÷ "
            f"{counted(len(self.members), 'member')}{named} = "
            f"{figure(self.partitions / len(self.members))}"
        )


def sentences_of(bounds: Sequence[Bound]) -> list[str]:
    """The bounds in words; one sentence where both are about the same members and partitions."""
    if len(bounds) == 2:
        least, most = bounds
        if (least.members, least.partitions) == (most.members, most.partitions):
            return [_of_both(least, most)]
    return [str(bound) for bound in bounds]


def _of_both(least: Bound, most: Bound) -> str:
    above = f" or a smallest one above {most.load}" if most.load < least.load else ""
    return f"{least._share()}: {NO} a largest load below {least.load}{above}"


def _named(names: tuple[str, ...], what: str) -> str:
    if len(names) <= NAMED:
        return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    return f"{', '.join(names[:NAMED])} and {len(names) - NAMED} other {what}"


def bounds_of(problem: Problem, kinds: Kinds, target: IntArray) -> list[Bound]:
    """The bounds on the largest and the smallest load of those who may read anything.

    Whoever a partition of the most loaded member could go to, and on from there, can't give what
    these hold to anybody else; whoever could give one to the least loaded member, straight or over
    others, and all who could give to those, hold all that these may read. If the balance is
    optimal, all loads in the first set are no more than one below the largest, and in the second no
    more than one above the smallest (Harvey et al. 2006), so that the bounds are what is reached.
    """
    if not len(kinds.member):
        return []
    loads = np.bincount(target[target >= 0], minlength=kinds.member_count)
    kind = kinds.keys // kinds.member_count
    read = target >= 0
    held = kinds.count((kinds.kind_of * kinds.member_count)[read], target[read]) > 0
    subscribed = np.unique(kinds.member)
    most = int(subscribed[loads[subscribed].argmax()])
    least = int(subscribed[loads[subscribed].argmin()])
    downstream = _closure(kinds, kind, most, out_of=held, into=np.ones_like(held))
    upstream = _closure(kinds, kind, least, out_of=np.ones_like(held), into=held)
    return [
        _bound("at least", problem, kinds, kind, downstream),
        _bound("at most", problem, kinds, kind, upstream),
    ]


def held_by(problem: Problem, target: IntArray, goals: Goals) -> tuple[str, ...]:
    """The goals that keep loads of a plan by count two or more apart; none where they don't.

    They do where what members subscribe to would allow a lower largest load, or a higher least one.
    """
    names = ["max_moves"] * (goals.max_moves is not None)
    names += [name for name, limits in goals.limits._asdict().items() if limits]
    if not names or goals.by_weight:
        return ()
    kinds = kinds_of(problem)
    loads = np.bincount(target[target >= 0], minlength=kinds.member_count)[np.unique(kinds.member)]
    if not len(loads) or np.ptp(loads) < 2:
        return ()
    least, most = bounds_of(problem, kinds, target)
    is_reached = (least.load, most.load) == (loads.max(), loads.min())
    return () if is_reached else tuple(names)


def _closure(
    kinds: Kinds, kind: IntArray, member: int, out_of: NDArray[np.bool_], into: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Members reached from one over pairs: out of a member into a kind, from there to members."""
    reached = np.zeros(kinds.member_count, np.bool_)
    reached[member] = True
    while True:
        passed_on = np.zeros(kinds.kind_count, np.bool_)
        passed_on[kind[out_of & reached[kinds.member]]] = True
        wider = reached.copy()
        wider[kinds.member[into & passed_on[kind]]] = True
        if (wider == reached).all():
            return reached
        reached = wider


def _bound(
    side: str, problem: Problem, kinds: Kinds, kind: IntArray, members: NDArray[np.bool_]
) -> Bound:
    """At least: count the kinds that only `members` read. At most: those that any of them reads."""
    has_kind = np.zeros(kinds.kind_count + 1, np.bool_)
    if side == "at least":
        inside = np.ones(kinds.kind_count, np.bool_)
        inside[kind[~members[kinds.member]]] = False
        has_kind[:-1] = inside
    else:
        has_kind[kind[members[kinds.member]]] = True
    partitions = int(np.count_nonzero(has_kind[kinds.kind_of]))
    count = int(members.sum())
    topics = np.unique(problem.topic_of[has_kind[kinds.kind_of]])
    return Bound(
        side=side,
        members=tuple(problem.member_ids[m] for m in np.flatnonzero(members).tolist()),
        topics=tuple(problem.topics[t] for t in topics.tolist()),
        partitions=partitions,
        load=-(-partitions // count) if side == "at least" else partitions // count,
    )
