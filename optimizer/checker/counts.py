"""An assignment in counts, by kind and member, for `verify` alone."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from optimizer.checker.hosts import host_loads, host_of_members
from optimizer.checker.kinds import Kinds
from optimizer.checker.residual_network import FREE, ArcCosts, ResidualNetwork
from optimizer.checker.spread import spread_of
from optimizer.model import NOBODY, NOTHING, IntArray, Limits, Measures, Problem, Reads

CHANGED_FRACTION = 4
"""Changes are counted apart if they are fewer than one in so many partitions."""


@dataclass(frozen=True)
class Counts:
    """Who holds how much of what; only those of an assignment without faults are any good.

    `loads` has the number of partitions of each member. `owned`, `held` and `kept` have for each
    pair how many partitions of its kind the member owns now, is given, and keeps. `limits` are
    those that other assignments have to keep to as well. `host` has that of each member, where
    hosts matter.
    """

    problem: Problem
    kinds: Kinds
    target: IntArray
    measures: Measures
    loads: IntArray
    owned: IntArray
    held: IntArray
    kept: IntArray
    limits: Limits | None = None
    host: IntArray | None = None

    def arc_costs(self, level: str) -> ArcCosts:
        """What the arcs cost at a level.

        A member's n-th partition costs n - 1, so that Σ load² falls and rises with the sum; so does
        a host's. A member's n-th of a topic costs 2n - 1 at the level of spread; a partition that
        its member could have kept costs 1, and so does one that has a cost of
        `optimizer.checker.costs`, such as a read across racks.
        """
        if level == "balance":
            return ArcCosts(FREE, FREE, more=self.loads, less=1 - self.loads)
        if level == "hosts":
            of_host = NOTHING if self.host is None else host_loads(self.host, self.loads)
            return ArcCosts(FREE, FREE, host_more=of_host, host_less=1 - of_host)
        if level == "moves":
            regains, gives_up = self.held < self.owned, self.held <= self.owned
            return ArcCosts(-regains.view(np.int8), gives_up.view(np.int8))
        if level == "spread":
            return self._costs_of_spread()
        if level not in self.kinds.flags:
            return ArcCosts(FREE, FREE)
        cost, hubs = self.kinds.flags[level].view(np.int8), self.kinds.hubs
        everywhere = FREE if hubs is None else hubs.costly.view(np.int8)
        return ArcCosts(cost, -cost, everywhere=everywhere)

    def _costs_of_spread(self) -> ArcCosts:
        if self.kinds.cell is None:
            return ArcCosts(2 * self.held + 1, 1 - 2 * self.held)
        held = self.held_in_cells
        return ArcCosts(FREE, FREE, up=2 * held + 1, down=1 - 2 * held)

    @property
    def held_in_cells(self) -> IntArray:
        """What each member has of each topic, in the order of cells (of pairs without any)."""
        cell, cells = self.kinds.cell, len(self.kinds.member_of_cell)
        return self.held if cell is None else np.bincount(cell, self.held, cells).astype(np.int64)

    @property
    def stays(self) -> bool:
        """Whether every partition stays where it is, so that any other plan moves more of them."""
        return int(self.kept.sum()) == self.measures.partitions

    def reads(self, counts: IntArray) -> Reads | None:
        """Reads of so many partitions by each pair; None where racks don't matter."""
        flags = self.kinds.flags
        if "racks" not in flags:
            return None
        local, remote = (counts.sum(where=flags[name]) for name in ("local", "racks"))
        return Reads(int(local), int(remote))

    def residual_network(self, most: int | None = None) -> ResidualNetwork:
        """All arcs that the assignment allows, within its limits and `most` for each member."""
        cell, cells = self.kinds.cell, len(self.kinds.member_of_cell)
        more = self.loads < (np.inf if most is None else most)
        gain, up = np.ones(len(self.held), np.bool_), np.ones(cells, np.bool_)
        if self.limits is not None and self.limits.most is not None:
            more &= self.loads < self.limits.most
        if self.limits is not None and self.limits.most_of_topic is not None:
            most_of_topic, kinds = self.limits.most_of_topic, self.kinds
            if cell is None:
                gain = self.held < most_of_topic[kinds.topic.repeat(np.diff(kinds.offsets))]
            else:
                up = self.held_in_cells < most_of_topic[kinds.topic_of_cell]
        network = ResidualNetwork(
            taker=self.kinds.member if cell is None else cell + len(self.loads),
            offsets=self.kinds.offsets,
            member_of_cell=self.kinds.member_of_cell,
            gain=gain,
            loss=self.held > 0,
            more=more,
            less=self.loads > 0,
            up=up,
            down=self.held_in_cells[:cells] > 0,
        )
        if self.host is not None:
            of_host = host_loads(self.host, self.loads)
            is_open = np.ones(len(of_host), np.bool_)
            if self.limits is not None and self.limits.most_on_host is not None:
                is_open[self.host] = of_host[self.host] < self.limits.most_on_host
            network = replace(network, host=self.host, host_more=is_open, host_less=of_host > 0)
        hubs = self.kinds.hubs
        if hubs is None:
            return network
        everywhere, near, on, out = (
            np.ones(len(arcs), np.bool_)
            for arcs in (hubs.class_of, hubs.near_kind, hubs.class_of_hub, hubs.reader)
        )
        return replace(network, everywhere=everywhere, near=near, on=on, out=out, hubs=hubs)


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
    if changes * CHANGED_FRACTION < len(assigned):
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
    host = host_of_members(problem)
    measures = Measures(
        partitions=len(assigned),
        max_load=int(loads.max(initial=0)),
        min_load=int(loads.min()) if len(loads) else 0,
        sum_squares=int(loads @ loads),
        moves=moves,
        takeovers=since - moves,
        spread=spread_of(problem, target),
        max_host_load=None if host is None else int(host_loads(host, loads).max()),
    )
    return Counts(problem, kinds, target, measures, loads, owned, held, kept)


def _count(kinds: Kinds, base: IntArray, owner: IntArray) -> IntArray:
    """Count owners by pair; some may be nobody."""
    if owner.min(initial=0) >= 0:
        return kinds.count(base + owner)
    owned = (owner >= 0).nonzero()[0]
    return kinds.count(base[owned] + owner[owned])
