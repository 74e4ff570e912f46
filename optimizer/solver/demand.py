"""The group in counts: how much there is of each kind, and who owns how much of it; its parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from optimizer.model import (
    Flags,
    IntArray,
    Problem,
    cell_level,
    distinct,
    every_host_of,
    host_level,
    hosts_of,
    run_starts,
    stable_order,
)
from optimizer.solver.kinds import (
    CostClasses,
    CostTable,
    Kinds,
    cost_classes,
    kinds_by_cost,
    kinds_by_topic,
)


@dataclass(frozen=True)
class Demand:
    """Kinds of partitions and their readers, in counts.

    A pair is a kind and one of its readers; the pairs of kind s are offsets[s]:offsets[s + 1].
    `supply` has the partitions of each kind, `members` the member of each pair (below
    `member_count`), `owned` how many partitions of the pair's kind the member owns, `costs` by
    level whether one of them costs it anything. A share is how many it shall have.
    Where topics are to be spread, `topics` has the topic of each kind, none of which has partitions
    of several. Where kinds are cut by cost without a pair for each reader, `fine` tells how. Where
    hosts matter, `hosts` has that of each member.
    """

    supply: IntArray
    offsets: IntArray
    members: IntArray
    owned: IntArray
    member_count: int
    costs: Mapping[str, Flags] = field(default_factory=dict)
    topics: IntArray | None = None
    fine: CostClasses | None = None
    hosts: IntArray | None = None

    @property
    def mean_load(self) -> int:
        """Rounded down."""
        return int(self.supply.sum()) // self.member_count

    @property
    def has_costs(self) -> bool:
        """Whether a partition may cost some readers more than others."""
        return self.fine is not None or any(flags.any() for flags in self.costs.values())

    @cached_property
    def kind_of_pair(self) -> IntArray:
        return np.arange(len(self.supply)).repeat(self.offsets[1:] - self.offsets[:-1])

    def restricted_to(self, pairs: IntArray) -> Demand:
        """The demand of some pairs only (ascending), its kinds and members renumbered."""
        if len(pairs) == len(self.members) and self._has_every_member():
            return self
        present, members = distinct(self.members[pairs], self.member_count)
        kind = self.kind_of_pair[pairs]
        first = run_starts(kind)
        return Demand(
            supply=self.supply[kind[first]],
            offsets=np.append(first, len(pairs)),
            members=members,
            owned=self.owned[pairs],
            member_count=len(present),
            costs={level: flags[pairs] for level, flags in self.costs.items()},
            topics=None if self.topics is None else self.topics[kind[first]],
            fine=self.fine and self.fine.restricted_to(pairs, self.kind_of_pair),
            hosts=None if self.hosts is None else self.hosts[present],
        )

    def _has_every_member(self) -> bool:
        if len(self.members) == len(self.supply) * self.member_count:
            return True
        return bool(np.bincount(self.members, minlength=self.member_count).all())


class Distribution(NamedTuple):
    """Partitions of a fine kind that a pair of its kind gets; those of no pair aren't in it."""

    fine: IntArray
    pair: IntArray
    amount: IntArray

    def renumber(self, fine: IntArray, pair: IntArray) -> Distribution:
        """The distribution by the numbers that the whole demand has for fine kinds and pairs."""
        return self._replace(fine=fine[self.fine], pair=pair[self.pair])


Shares = IntArray | Distribution
"""Partitions that each pair gets; of which fine kind, where a demand has such."""

Solver = Callable[[Sequence[str]], Shares | None]
"""Finds the best shares of a part by levels that are all within one of each other, if any are."""


class Bounds(NamedTuple):
    """The fewest and most partitions of each member, the most of a topic, or of a host.

    `of_host` has for each member how many it and all others of its host may have together. The last
    two only where that is capped.
    """

    least: int | IntArray
    most: IntArray
    of_topic: IntArray | None = None
    of_host: IntArray | None = None

    @staticmethod
    def within_one(demand: Demand) -> Bounds:
        """The mean load, rounded down, or one more."""
        base = demand.mean_load
        return Bounds(base, np.full(demand.member_count, base + 1))

    def readable(self, demand: Demand) -> Bounds:
        """The bounds of members who may read fewer partitions than they may have."""
        supply = demand.supply[demand.kind_of_pair]
        readable = np.bincount(demand.members, supply, demand.member_count).astype(np.int64)
        return self._replace(most=np.minimum(readable, self.most))


def demand_in_kinds(
    problem: Problem,
    kinds: Kinds,
    tables: Mapping[str, CostTable],
    levels: Sequence[str],
    caps: Bounds | None,
) -> tuple[Kinds, Demand]:
    """The kinds cut by what the levels look at, and their demand.

    By topic where that is spread or capped, and with the host of each member where levels ask for
    it or hosts are capped. By fine kinds where that takes less than a pair for each reader of what
    costs the same.
    """
    members, is_spread = len(problem.member_ids), cell_level(levels) is not None
    hosts = hosts_of(problem) if host_level(levels) else None
    if caps is not None and caps.of_host is not None:
        hosts = every_host_of(problem)
    of_member = None if hosts is None else hosts.of_member

    def cut(kinds: Kinds) -> tuple[Kinds, IntArray | None]:
        by_topic = is_spread or (caps is not None and caps.of_topic is not None)
        return kinds_by_topic(kinds, problem.topic_of) if by_topic else (kinds, None)

    if not is_spread:
        coarse, topics = cut(kinds)
        fine = cost_classes(coarse, tables, members)
        if fine or not tables:
            return coarse, replace(demand_of(coarse, members, topics, fine), hosts=of_member)
    cut_kinds, topics = cut(kinds_by_cost(kinds, tables))
    return cut_kinds, replace(demand_of(cut_kinds, members, topics), hosts=of_member)


def demand_of(
    kinds: Kinds, member_count: int, topics: IntArray | None = None, fine: CostClasses | None = None
) -> Demand:
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
        fine=fine,
    )


def components(demand: Demand) -> list[IntArray]:
    """The pairs of each connected component of the subscription graph, ascending.

    Every kind takes the lowest number among the kinds it shares a member with, and then that
    kind's number, until nothing changes.
    """
    kinds, members, kind_of_pair = len(demand.supply), demand.members, demand.kind_of_pair
    label = np.arange(kinds)
    while kinds > 1:
        of_member = np.full(demand.member_count, kinds)
        np.minimum.at(of_member, members, label[kind_of_pair])
        lower = np.minimum.reduceat(of_member[members], demand.offsets[:-1])
        if not lower.any():
            break
        if (lower == label).all():
            return _split(lower[kind_of_pair], kinds)
        label = lower[lower]
    return [np.arange(len(members))] if kinds else []


def _split(label: IntArray, end: int) -> list[IntArray]:
    """The indexes of each label."""
    order = stable_order(label, end)
    return np.split(order, run_starts(label[order])[1:])
