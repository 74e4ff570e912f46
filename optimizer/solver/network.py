"""The network of a group: from kinds to members, what a load costs, and what a topic's share does.

kinds → where topics matter, cells (a topic and a member) → members → where they matter, hosts →
a sink

From a kind to each of its readers goes an arc for what the reader owns and one for anything else,
or, where partitions differ more in what they cost than in who reads them, an arc by way of hubs
(`optimizer.solver.arcs`). Members take in the least that they have to; what exceeds it goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from optimizer.flow import (
    MAX_NUMBER,
    Arcs,
    are_near,
    cheapest_by_levels,
    cheapest_flow,
    dearer_arcs,
    source_side,
)
from optimizer.model import NOTHING, CostOverflowError, IntArray, distinct
from optimizer.solver.arcs import AggregatedArcs, PairArcs
from optimizer.solver.demand import Demand, Shares, Solver


class Bounds(NamedTuple):
    """How many partitions each member gets at least and at most, at most of a topic, or of a host.

    `of_host` has for each member how many it and all others of its host may have together.
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


@dataclass(frozen=True)
class Caps:
    """How many partitions each member may have, how many of a topic, and how many with its host.

    The last two only where that is capped.
    """

    of_member: IntArray
    of_topic: IntArray | None = None
    of_host: IntArray | None = None

    def bounds(self, demand: Demand) -> Bounds:
        """As what there is to read allows."""
        supply = demand.supply[demand.kind_of_pair]
        readable = np.bincount(demand.members, supply, demand.member_count).astype(np.int64)
        return Bounds(0, np.minimum(readable, self.of_member), self.of_topic, self.of_host)


def cheapest_shares(demand: Demand, bounds: Bounds, levels: Sequence[str]) -> IntArray | None:
    """Shares within the bounds, the best by `levels`; None if there are none.

    The levels are "moves", those of `optimizer.solver.costs`, at which a partition costs 0 or 1,
    and three that grow with what is there: "spread", for which the demand has topics, by cells,
    "balance", the least Σ load², by members, and "hosts", the same by hosts. Levels that don't fit
    in one cost are looked at one after the other where one of the last two is among them;
    otherwise, and where a single one doesn't fit 64 bits, raises `CostOverflowError`.
    """
    network = Network.of(demand, bounds, levels)
    flows = network.cheapest()
    return None if flows is None else network.arcs.shares(flows)


def cheapest_of_fine(demand: Demand, bounds: Bounds, levels: Sequence[str]) -> Shares | None:
    """The same; of a demand with fine kinds, how much of which of these."""
    network = Network.of(demand, bounds, levels)
    flows = network.cheapest()
    return None if flows is None else network.arcs.given(flows)


def by_network(part: Demand) -> Solver:
    """How to find the shares of any part that are all within one of each other."""
    return lambda levels: cheapest_of_fine(part, Bounds.within_one(part), levels)


def cannot_be_placed(demand: Demand, caps: Caps) -> tuple[NDArray[np.bool_], int]:
    """The kinds that have too little room together, and how many partitions of theirs have none.

    They are those on the source's side of the minimum cut nearest to the source, and all their
    members are on that side with them. A kind without a reader is one of them.
    """
    network = Network.of(replace(demand, fine=None), caps.bounds(demand), ())
    side, flow = source_side(network.parts(), network.sources, network.sink)
    return side, int(demand.supply.sum()) - flow


def halves(part: Demand) -> tuple[IntArray, IntArray]:
    """Cut a part at a load k into the pairs of the members above it and those of the others.

    Write Σ load² as Σ load + 2 Σ_k Σ_m max(load_m - k, 0), over whole k > 0. No assignment can make
    the k-th of those inner sums less than what the minimum cut at k leaves over, and one reaches
    all of these bounds at once: the rounded fractional balance (Harvey et al. 2006; Frank and
    Murota, arXiv 1907.02673). So every balanced assignment reaches each
    of them, which it does just if the members above the cut get no less than k each and only
    partitions that nobody else may read, and the others no more than k each.

    Not all members can be above the mean load, rounded down, and one more. If none is, some are
    above the mean and some aren't: otherwise all loads could be the mean or one more.
    """
    for level in (part.mean_load + 1, part.mean_load):
        above, _ = cannot_be_placed(part, Caps(np.full(part.member_count, level)))
        if above.any():
            break
    in_kind_above = above[part.kind_of_pair]
    is_above = np.zeros(part.member_count, np.bool_)
    is_above[part.members[in_kind_above]] = True
    return in_kind_above.nonzero()[0], (~is_above[part.members]).nonzero()[0]


@dataclass(frozen=True)
class Network:
    """What stays the same from flow to flow.

    `cell` is that of each pair, None without cells; `host` that of each member, None without hosts.
    """

    demand: Demand
    bounds: Bounds
    sources: IntArray
    arcs: PairArcs | AggregatedArcs
    cell: IntArray | None
    member_of_cell: IntArray
    most_of_cell: IntArray
    host: IntArray | None

    @staticmethod
    def of(demand: Demand, bounds: Bounds, levels: Sequence[str]) -> Network:
        fine = demand.fine
        sources = demand.supply if fine is None else fine.supply
        cell, member, most = None, NOTHING, NOTHING
        if demand.topics is not None and (bounds.of_topic is not None or "spread" in levels):
            cell, member, most = _cells(demand, demand.topics, bounds.of_topic)
        host = demand.hosts if bounds.of_host is not None or "hosts" in levels else None
        first_member = len(sources) + len(member)
        sink = first_member + demand.member_count + _host_count(host)
        taker = first_member + demand.members if cell is None else len(sources) + cell
        arcs = (
            PairArcs(demand, levels, taker)
            if fine is None
            else AggregatedArcs(demand, fine, levels, taker, sink + 1)
        )
        return Network(demand, bounds, sources, arcs, cell, member, most, host)

    @property
    def first_member(self) -> int:
        return len(self.sources) + len(self.member_of_cell)

    @property
    def sink(self) -> int:
        return self.first_member + self.demand.member_count + _host_count(self.host)

    @cached_property
    def levels(self) -> list[str]:
        """Those at which anything costs anything, in their order."""
        weighed = sorted((weight, level) for level, weight in self.arcs.weights.items() if weight)
        return [level for _, level in reversed(weighed)]

    @cached_property
    def _least(self) -> IntArray:
        """How many partitions each member gets at least."""
        return np.broadcast_to(self.bounds.least, self.demand.member_count)

    @property
    def may_be_split(self) -> bool:
        """Whether levels may be looked at one after the other."""
        return not {"balance", "hosts"}.isdisjoint(self.levels)

    @cached_property
    def fits(self) -> bool:
        """Whether one number can hold what an arc costs at all levels."""
        dearest = 1 + 2 * int(self.demand.supply.sum())
        return sum(self.arcs.weights.values()) * dearest <= MAX_NUMBER

    def cheapest(self) -> IntArray | None:
        """The cheapest flow, by one that is exact near a point after the other.

        The first point is what is owned, each other one what the flow before found. A flow that
        stays near its point, or is no cheaper than the one before, is the cheapest
        (`optimizer.flow.convex`).
        """
        point, least = self.demand.owned, None
        while True:
            flows = self._cheapest_near(point)
            if flows is None or not self._growing:
                return flows
            shares = self.arcs.shares(flows)
            if self._are_near(shares, point):
                return flows
            cost = [self._cost(level, shares, flows) for level in self.levels]
            if cost == least:
                return flows
            point, least = shares, cost

    def loads(self, shares: IntArray) -> IntArray:
        """How many partitions each member has."""
        counts = np.bincount(self.demand.members, shares, self.demand.member_count)
        return counts.astype(np.int64)

    def on_hosts(self, shares: IntArray) -> IntArray:
        """How many the members of each host have together."""
        assert self.host is not None, "only where hosts matter"
        return np.bincount(self.host, self.loads(shares)).astype(np.int64)

    def in_cells(self, shares: IntArray) -> IntArray:
        """How many each member has of each topic."""
        if self.cell is None:
            return self.member_of_cell
        return np.bincount(self.cell, shares, len(self.member_of_cell)).astype(np.int64)

    @cached_property
    def _growing(self) -> dict[str, Callable[[IntArray], IntArray]]:
        """The levels that cost more the more there is, and how shares count there."""
        counts = {"balance": self.loads, "hosts": self.on_hosts, "spread": self.in_cells}
        return {level: of for level, of in counts.items() if level in self.levels}

    def _are_near(self, shares: IntArray, point: IntArray) -> bool:
        return all(are_near(of(shares), of(point)) for of in self._growing.values())

    def _cost(self, level: str, shares: IntArray, flows: IntArray) -> int:
        """What shares cost at a level; `flows` are theirs."""
        if level in self._growing:
            counts = self._growing[level](shares)
            return int(counts @ counts)
        costs = np.concatenate([arcs.cost for arcs in self.arcs.at(self._alone(level))])
        return int(flows[: len(costs)] @ costs)

    def _alone(self, level: str) -> dict[str, int]:
        """Weights by which nothing costs anything at other levels."""
        return {**dict.fromkeys(self.arcs.weights, 0), level: 1}

    def _cheapest_near(self, point: IntArray) -> IntArray | None:
        supply = np.zeros(self.sink + 1 + self.arcs.count, np.int64)
        supply[: len(self.sources)] = self.sources
        supply[self.first_member :][: self.demand.member_count] = -self._least
        supply[self.sink] = -supply.sum()
        if not self.may_be_split:
            return cheapest_flow(self.parts(point, self.arcs.weights), supply)
        if self.fits:
            with suppress(CostOverflowError):
                return cheapest_flow(self.parts(point, self.arcs.weights), supply)
        each = [self.parts(point, self._alone(level)) for level in self.levels]
        return cheapest_by_levels(each, supply)

    def parts(
        self, point: IntArray | None = None, weights: Mapping[str, int] | None = None
    ) -> list[Arcs]:
        """All arcs, at what they cost near a point by the weights of levels."""
        point = self.demand.owned if point is None else point
        weights = self.arcs.weights if weights is None else weights
        first_member, least = self.first_member, self._least
        parts = self.arcs.at(weights)
        if self.cell is not None:
            weight = weights["spread"] if "spread" in self.levels else None
            head, cells = first_member + self.member_of_cell, self.in_cells(point)
            parts.append(_dearer(len(self.sources), head, cells, self.most_of_cell, weight))
        weight = weights["balance"] if "balance" in self.levels else None
        head = np.full(self.demand.member_count, self.sink)
        if self.host is not None:
            head = first_member + self.demand.member_count + self.host
        loads, most = self.loads(point), self.bounds.most
        parts.append(_dearer(first_member, head, loads, most, weight, least))
        return parts if self.host is None else [*parts, self._out_of_hosts(point, weights)]

    def _out_of_hosts(self, point: IntArray, weights: Mapping[str, int]) -> Arcs:
        """The arcs from hosts to the sink; what members have at least doesn't go along these."""
        assert self.host is not None, "only where hosts matter"
        least, most = (
            np.bincount(self.host, of_member).astype(np.int64)
            for of_member in (self._least, self.bounds.most)
        )
        if self.bounds.of_host is not None:
            np.minimum.at(most, self.host, self.bounds.of_host)
        weight = weights["hosts"] if "hosts" in self.levels else None
        head = np.full(len(most), self.sink)
        return _dearer(self.sink - len(most), head, self.on_hosts(point), most, weight, least)


def _host_count(host: IntArray | None) -> int:
    return 0 if host is None else int(host.max(initial=-1)) + 1


def _cells(
    demand: Demand, topics: IntArray, most_of_topic: IntArray | None
) -> tuple[IntArray, IntArray, IntArray]:
    """The cell of each pair, the member of each cell, and how many partitions it takes in."""
    topic, members = topics[demand.kind_of_pair], demand.member_count
    keys = topic * members + demand.members
    cells, cell = distinct(keys, (int(topic.max(initial=-1)) + 1) * members)
    most = np.bincount(cell, demand.supply[demand.kind_of_pair], len(cells)).astype(np.int64)
    if most_of_topic is not None:
        most = np.minimum(most, most_of_topic[cells // members])
    return cell, cells % members, most


def _dearer(
    first: int,
    head: IntArray,
    point: IntArray,
    most: IntArray,
    weight: int | None,
    least: IntArray | None = None,
) -> Arcs:
    """Arcs from nodes, of which the n-th partition costs 2n - 1, or nothing without a weight.

    What each node has at least is there already, and doesn't go along them.
    """
    least = np.zeros_like(most) if least is None else least
    if weight is None:
        return Arcs(first + np.arange(len(head)), head, most - least, np.zeros_like(most))
    above = np.minimum(point, most) - least
    return dearer_arcs(first, head, above.clip(0), most - least, weight, least)[0]
