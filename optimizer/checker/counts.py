"""An assignment in counts, by kind and member, for `verify` alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from optimizer.checker.kinds import Kinds
from optimizer.checker.residual_network import ArcCosts, ResidualNetwork
from optimizer.model import NOBODY, IntArray, Measures, Problem, Reads

ZERO: IntArray = np.zeros(1, np.int64)

MANY = 4
"""Changes are counted apart if they are fewer than one in so many partitions."""


@dataclass(frozen=True)
class Counts:
    """Who holds how much of what; only those of an assignment without faults are any good.

    `loads` has the number of partitions of each member. `owned`, `held` and `kept` have for each
    pair how many partitions of its kind the member owns now, is given, and keeps.
    """

    problem: Problem
    kinds: Kinds
    target: IntArray
    measures: Measures
    loads: IntArray
    owned: IntArray
    held: IntArray
    kept: IntArray

    def arc_costs(self, level: str) -> ArcCosts:
        """What the arcs cost at a level.

        A member's n-th partition costs n - 1, so that Σ load² falls and rises with the sum; a
        partition that its member could have kept costs 1, and so does one that has a cost of
        `optimizer.checker.costs`, such as a read across racks.
        """
        if level == "balance":
            return ArcCosts(ZERO, ZERO, self.loads, 1 - self.loads)
        if level == "moves":
            regains, gives_up = self.held < self.owned, self.held <= self.owned
            return ArcCosts(-regains.view(np.int8), gives_up.view(np.int8), ZERO, ZERO)
        if level not in self.kinds.flags:
            return ArcCosts(ZERO, ZERO, ZERO, ZERO)
        cost = self.kinds.flags[level].view(np.int8)
        return ArcCosts(cost, -cost, ZERO, ZERO)

    def reads(self, counts: IntArray) -> Reads | None:
        """Reads of so many partitions by each pair; None where racks don't matter."""
        flags = self.kinds.flags
        if "racks" not in flags:
            return None
        local, remote = (counts.sum(where=flags[name]) for name in ("local", "racks"))
        return Reads(int(local), int(remote))

    def residual_network(self) -> ResidualNetwork:
        """All arcs that the assignment allows."""
        return ResidualNetwork(
            member=self.kinds.member,
            offsets=self.kinds.offsets,
            gain=np.ones(len(self.held), np.bool_),
            loss=self.held > 0,
            more=np.ones(len(self.loads), np.bool_),
            less=self.loads > 0,
        )


def counts_of(problem: Problem, kinds: Kinds, target: IntArray) -> Counts | None:
    """Count an assignment, from what changes; None if it isn't one of the group.

    It is one if all partitions with readers, and no others, are held by kinds.
    """
    kind, owner, assigned = kinds.kind_of, problem.owner, target
    if kind.min(initial=0) < 0:
        read = (kind >= 0).nonzero()[0]
        if np.count_nonzero(target >= 0) > np.count_nonzero(target[read] >= 0):
            return None
        kind, owner, assigned = kind[read], owner[read], target[read]
    if assigned.min(initial=0) < 0:
        return None
    base = kind * kinds.member_count
    is_changed = assigned != owner
    changes = int(np.count_nonzero(is_changed))
    if changes * MANY < len(assigned):
        changed = is_changed.nonzero()[0]
        where, before = base[changed], owner[changed]
        owned = _count(kinds, base, owner)
        kept = owned - _count(kinds, where, before) if changes else owned
        held = kept + kinds.count(where + assigned[changed]) if changes else owned
        since = int(np.count_nonzero(before != NOBODY))
    else:
        owned = _count(kinds, base, owner)
        base += assigned
        held = kinds.count(base)
        kept = kinds.count(base[~is_changed])
        since = int(np.count_nonzero(is_changed & (owner != NOBODY)))
    if int(held.sum()) != len(assigned):
        return None
    loads = np.bincount(assigned, minlength=kinds.member_count)
    moves = int(owned.sum()) - int(kept.sum())
    measures = Measures(
        partitions=len(assigned),
        max_load=int(loads.max(initial=0)),
        min_load=int(loads.min()) if len(loads) else 0,
        sum_squares=int(loads @ loads),
        moves=moves,
        takeovers=since - moves,
    )
    return Counts(problem, kinds, target, measures, loads, owned, held, kept)


def _count(kinds: Kinds, base: IntArray, owner: IntArray) -> IntArray:
    """Count owners by pair; some may be nobody."""
    if owner.min(initial=0) >= 0:
        return kinds.count(base + owner)
    owned = (owner >= 0).nonzero()[0]
    return kinds.count(base[owned] + owner[owned])
