"""Why a partition moves, and why loads can't be more even: as facts and as sentences."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optimizer.checker import Kinds, kinds_of
from optimizer.figures import figure, plural
from optimizer.model import Goals, IntArray, Problem


@dataclass(frozen=True)
class PathStep:
    """A partition that goes from one member to another; `giver` is None if none could keep it."""

    topic: str
    partition: int
    giver: str | None
    taker: str

    @property
    def name(self) -> str:
        return f"{self.topic}-{self.partition}"


@dataclass(frozen=True)
class HostLoads:
    """A host, and how many partitions its members had and will have together."""

    host: str
    before: int
    after: int

    def __str__(self) -> str:
        return f"{self.host} {self.after} (was {self.before})"


@dataclass(frozen=True)
class Reason:
    """Why a partition moves: the path that it is a step of, `path[place]`.

    `loads` has for each member of the path how many partitions it had (that it may keep) and will
    have. `fewer_remote` is by how many fewer partitions of the path are read across racks, and
    `less_spread` by how much Σ (partitions of a topic that a member has)² is less. `on_hosts` has
    the hosts that the path leads from and to, where they get more even by it.
    `barred`: the path's last member doesn't subscribe to the topic of the step before, or, at the
    first place, of this one, so that it couldn't have had that partition directly.

    `cause` is
    "balance": load flows from the first member, who had more than the last and still has no less;
    "room": the first partition had no owner, and its taker passes another one on to the last;
    "racks": going back, more would be read across racks, and the balance would be as good
    (`is_even`) or better (not in an optimal plan);
    "hosts": going back, partitions would be spread less evenly over hosts, and the balance be so;
    "spread": going back, topics would be spread less evenly, and the balance be so likewise;
    "limits": going back isn't allowed by the goals' limits;
    "nothing": going back would be no worse for any of these (not in an optimal plan).
    """

    path: tuple[PathStep, ...]
    place: int
    cause: str
    loads: dict[str, tuple[int, int]]
    fewer_remote: int
    less_spread: int
    barred: bool
    on_hosts: tuple[HostLoads, HostLoads] | None = None

    @property
    def step(self) -> PathStep:
        return self.path[self.place]

    @property
    def is_even(self) -> bool:
        """Whether going back would leave the balance as good."""
        first, last = self.path[0].giver, self.path[-1].taker
        if first is None or first == last:
            return True
        return self.loads[first][1] + 1 == self.loads[last][1]

    def __str__(self) -> str:
        step, last = self.step, self.path[-1].taker
        start = f"{step.name} moves from {self._with_load(step.giver)} to "
        if self.cause == "limits":
            return f"{start}{self._with_load(step.taker)}: {self.beside_loads}"
        if self.cause == "nothing":
            return f"{start}{self._with_load(step.taker)}: nothing is gained by that"
        if self.beside_loads:
            around = "" if len(self.path) == 1 else f" along {self._along()}"
            cost = "at equal balance" if self.is_even else "at the cost of balance"
            return f"{start}{self._with_load(step.taker)}: {cost}{around}, {self.beside_loads}"
        if len(self.path) == 1:
            before, after = (self.loads[member][1] for member in (str(step.giver), step.taker))
            return f"{start}{self._with_load(step.taker)}: they will have {before} and {after}"
        if self.place == 0:
            bar = f" and doesn't subscribe to {step.topic}" if self.barred else ""
            return (
                f"{start}{step.taker}, which passes {self.path[1].name} on: the load goes along "
                f"{self._along()}, which had {self.loads[last][0]}{bar}"
            )
        room = self.path[self.place - 1]
        origin = f"comes from {self._with_load(room.giver)}" if room.giver else "had no owner"
        bar = f"; {last} doesn't subscribe to {room.topic}" if self.barred else ""
        return (
            f"{step.name} moves from {step.giver} to {self._with_load(step.taker)}: it makes room "
            f"on {step.giver} for {room.name}, which {origin}{bar}"
        )

    @property
    def beside_loads(self) -> str:
        """The purpose of the move where loads don't tell it; else nothing."""
        if self.cause == "limits":
            return "its limits take that"
        if self.cause == "hosts" and self.on_hosts:
            return "hosts get more even: {} and {}".format(*self.on_hosts)
        if self.cause == "spread":
            return "topics are spread more evenly"
        remote = self.cause in ("racks", "hosts")
        return f"{plural(self.fewer_remote, 'fewer read')} across racks" if remote else ""

    def _with_load(self, member: str | None) -> str:
        return f"{member}, which had {self.loads[str(member)][0]},"

    def _along(self) -> str:
        return " → ".join([str(self.path[0].giver), *(step.taker for step in self.path)])


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
        members = _names_of(self.members, "members")
        if self.side == "at least":
            share = self._share("that can read them", members)
            return f"{share}: {NO} a largest load below {self.load}"
        share = self._share("that can read no others", members)
        return f"{share}: {NO} a smallest load above {self.load}"

    def _share(self, which: str = "", members: str = "") -> str:
        """The mean of these partitions over these members, in words."""
        named = f" {which} ({members})" if which else ""
        of_topics = f" of {_names_of(self.topics, 'topics')}" if self.topics else ""
        return (
            f"{plural(self.partitions, 'partition')}{of_topics} ÷ "
            f"{plural(len(self.members), 'member')}{named} = "
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


def _names_of(names: tuple[str, ...], what: str) -> str:
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
