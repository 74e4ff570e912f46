"""Goals of a plan, in the order in which they count."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import floor

import numpy as np

from optimizer.figures import nearest_name
from optimizer.model.classes import classes_of
from optimizer.model.hosts import host_fault
from optimizer.model.levels import LEVELS
from optimizer.model.limits import Limit, LimitSet, stated_limits
from optimizer.model.problem import Problem

RACKS = (None, "leader", "any")
"""Replica that a member reads: it doesn't matter; the leader's; the nearest (KIP-392)."""

BALANCES = ("auto", "count", "weight")
"""A member's load: its partitions, or what they weigh for its capacity; or as
`optimizer.model.goals` finds it."""

WEIGHTS = ("column", "rate", "lag")
"""Where a fleet's weights come from: partitions.weight, rates of its history, or lags."""

MOST_SHARE = 1_000
"""The largest tolerance and gain: more changes no plan."""

EFFORTS = ("quick", "standard")
"""How far a plan by weight, and the bound that shows how good it is, are searched for."""


class GoalsError(ValueError):
    """Goals that don't make sense; `faults` lists all that is wrong."""

    def __init__(self, faults: list[str]) -> None:
        self.faults = faults
        super().__init__("; ".join(faults))


@dataclass(frozen=True, slots=True)
class Goals:
    """Goals of the strategy `optimal`. Every partition is read, and loads are balanced, always.

    Limits (`pin` to `copartition`) are lists of `optimizer.model.limits.Limit`, or of tables of its
    keys. They come before everything else: where they can't be met together the group has no plan.
    Raises `GoalsError` with every fault.
    """

    rack: str | None = None
    """Among balanced assignments, as few partitions as possible are read across racks: by a member
    whose rack isn't the leader's ("leader") or none of the replicas' ("any"). Racks are compared
    exactly, as Kafka does; without rack facts (None or empty names) a read costs nothing. None:
    racks don't matter."""
    levels: tuple[str, ...] = ("racks", "moves")
    """Levels after balance, in order: "racks", reads across racks; "moves"; "hosts", Σ over hosts
    of (partitions that their members have together)², where members share a host; "spread", Σ over
    topics and members of (partitions that the member has of the topic)². Levels that aren't named
    come last, in this order: by default neither hosts nor spread cost a move. Groups that are too
    large for spread have none (`optimizer.model.measures`)."""
    min_gain: float = 0.0
    """Minimum improvement (partitions) per move; below it all stays, and only partitions without
    an owner are placed. An improvement is a partition above the load that its member has in the
    plan when both are sorted by load (half of the sum of differences); where racks matter, one less
    that is read across them; where spread comes before moves, one above what its member has of its
    topic in the plan. 0: any improvement is enough."""
    balance: str = "auto"
    """With "count" every partition weighs one and every member is like any other.

    With "weight" a load is what a member's partitions weigh, divided by its capacity
    (`optimizer.model.weights`). The least largest load is then NP-hard to find: the plan has a
    bound below which none is, and who shows it. After it come racks and moves, then Σ load² /
    capacity.

    With "auto" it is by weight for a group of whose partitions at least half have a known weight,
    and for goals with `max_weight`; by count elsewhere, and where goals state what plans by weight
    don't have: `rack`, `max_per_host`, or the levels "hosts" or "spread"."""
    weight: str = "column"
    """Where a fleet's weights come from; a `Group` states its own."""
    tolerance: float = 0.01
    """How far the largest load by weight may be above the best that is known, as a share of it,
    where that saves moves."""
    effort: str = "standard"
    """How far plans by weight are searched for, in steps and never in seconds."""
    max_moves: int | float | None = None
    """How many partitions may move: a whole number, or a share of the group's partitions, from 0.0
    to 1.0. Where the best plan moves more, the largest load is as low as that many moves make it;
    then as few move as that takes; then loads are as even as that leaves them; then come the other
    levels but spread. None: as many as it takes."""
    pin: tuple[Limit, ...] = ()
    """Partitions that may go to some members only."""
    exclude: tuple[Limit, ...] = ()
    """Members that get nothing, or nothing of some partitions."""
    max_partitions: tuple[Limit, ...] = ()
    """How many partitions a member may have."""
    max_per_topic: tuple[Limit, ...] = ()
    """How many partitions of a topic a member may have."""
    max_weight: tuple[Limit, ...] = ()
    """Highest weight of all partitions of a member, where balance is by weight."""
    copartition: tuple[Limit, ...] = ()
    """Topics whose partitions of equal numbers go to the same member; racks and spread aren't
    examined then."""
    host: str | None = None
    """Members that share a host. None: those that name the same one; otherwise a pattern of client
    ids, such as "{host}-consumer-*"."""
    max_per_host: tuple[Limit, ...] = ()
    """How many partitions the members of a host may have together."""

    def __post_init__(self) -> None:
        faults = list(self._faults())
        for name in LimitSet._fields:
            if getattr(self, name) != ():
                limits, wrong = stated_limits(name, getattr(self, name))
                faults += wrong
                object.__setattr__(self, name, limits)
        if self.max_weight and self.balance == "count":
            faults.append("max_weight needs balance = 'weight'")
        if self.copartition and self.max_per_topic:
            faults.append("max_per_topic doesn't work with copartition: use max_partitions")
        if self.max_per_host and (self.copartition or self.by_weight or self.max_weight):
            against = "copartition" if self.copartition else "balance = 'weight'"
            faults.append(f"max_per_host doesn't work with {against}: use max_partitions")
        if faults:
            raise GoalsError(faults)
        object.__setattr__(self, "levels", tuple(self.levels))

    def _faults(self) -> Iterator[str]:
        if self.rack not in RACKS:
            yield _not_among(
                "rack", self.rack, "must be 'leader', 'any' or none", filter(None, RACKS)
            )
        if self.host is not None and (fault := host_fault(self.host)):
            yield fault
        if not _are_levels(self.levels):
            names = ", ".join(map(repr, LEVELS))
            yield f"levels is {self.levels!r} and must be a list of {names}, each once at most"
        for name in ("min_gain", "tolerance"):
            if not _is_share(value := getattr(self, name)):
                yield f"{name} is {value!r:.40} and must be a number from 0 to {MOST_SHARE:,}"
        if not _is_budget(self.max_moves):
            yield (
                f"max_moves is {self.max_moves!r} and must be a whole number of 0 or more, or a "
                "share from 0.0 to 1.0"
            )
        for name, choices in (("balance", BALANCES), ("weight", WEIGHTS), ("effort", EFFORTS)):
            if (value := getattr(self, name)) not in choices:
                which = f"must be one of {', '.join(map(repr, choices))}"
                yield _not_among(name, value, which, choices)

    @property
    def limits(self) -> LimitSet:
        """Limits that no plan may break, at any cost."""
        return LimitSet(*(getattr(self, name) for name in LimitSet._fields))

    @property
    def by_weight(self) -> bool:
        """Whether loads are weights; those of "auto" aren't until `resolve_balance` says so."""
        return self.balance == "weight"

    @property
    def weight_source(self) -> str | None:
        """Where weights come from, if they may matter."""
        if self.balance == "auto":
            return "column" if self.may_weigh else None
        return self.weight if self.by_weight else None

    @property
    def may_weigh(self) -> bool:
        """Whether these goals state nothing that plans by weight don't have."""
        suit = all(LEVELS[level].suits_weights for level in self.levels)
        return (suit and not (self.rack or self.max_per_host)) or bool(self.max_weight)

    def budget(self, partitions: int) -> int | None:
        """The most of a group's partitions that may move; None: as many as it takes."""
        if isinstance(self.max_moves, float):
            return floor(self.max_moves * partitions)
        return self.max_moves

    @property
    def order(self) -> tuple[str, ...]:
        """The levels below balance that count."""
        needed = {level: LEVELS[level].setting for level in self.ranking}
        return tuple(n for n, key in needed.items() if not key or getattr(self, key) is not None)

    @property
    def ranking(self) -> tuple[str, ...]:
        """All levels in their order, those that aren't named last."""
        return (*self.levels, *(level for level in LEVELS if level not in self.levels))


def _not_among(name: str, value: object, which: str, choices: Iterable[str]) -> str:
    near = nearest_name(value, choices)
    return f"{name} is {value!r}{f': did you mean {near!r}?' if near else f' and {which}'}"


def _is_share(value: object) -> bool:
    """Whether it is a number from 0 to `MOST_SHARE`."""
    return (
        isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MOST_SHARE
    )


def _is_budget(value: object) -> bool:
    """Whether it is None, a whole number of 0 or more, or a share."""
    if value is None or (isinstance(value, float) and 0 <= value <= 1):
        return True
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _are_levels(levels: object) -> bool:
    """Whether each is one of the levels, and none stands there twice."""
    if isinstance(levels, str) or not isinstance(levels, Sequence):
        return False
    if not all(isinstance(level, str) for level in levels):
        return False
    return set(levels) <= set(LEVELS) and len(set(levels)) == len(levels)


DEFAULT_GOALS = Goals()
BY_COUNT = Goals(balance="count")


LEAST_KNOWN = 0.5
"""The share of a group's partitions whose weight has to be known."""


def resolve_balance(goals: Goals, problem: Problem) -> Goals:
    """The goals with a balance of `count` or `weight`, as `auto` comes to for this group."""
    if goals.balance != "auto":
        return goals
    return _goals_by(goals, goals.may_weigh and (bool(goals.max_weight) or _has_weights(problem)))


@cache
def _goals_by(goals: Goals, by_weight: bool) -> Goals:
    return replace(goals, balance="weight" if by_weight else "count")


def _has_weights(problem: Problem) -> bool:
    if problem.weights is None:
        return False
    weights = problem.weights[classes_of(problem).of_partition >= 0]
    count = int(np.count_nonzero(~np.isnan(weights)))
    return count >= LEAST_KNOWN * len(weights) > 0


def levels_of(problem: Problem, goals: Goals) -> tuple[str, ...]:
    """The levels below balance that are examined in a group, in their order."""
    is_named = {name: name in goals.levels for name in goals.order}
    return tuple(n for n, named in is_named.items() if LEVELS[n].is_examined(problem, named))
