"""Shares under caps: no member, and no member of a topic, gets more than it may have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from optimizer.model import CostOverflowError, IntArray, distinct
from optimizer.solver.by_levels import cheapest_by_levels
from optimizer.solver.demand import Demand
from optimizer.solver.flow import MAX_NUMBER, Arcs, cheapest_flow, source_side
from optimizer.solver.hubs import AggregatedArcs, CostClasses, Distribution
from optimizer.solver.shares import level_weights, pair_arcs, pair_costs, shares_of
from optimizer.solver.spread import EXACT_RADIUS, segments_near


@dataclass(frozen=True)
class Caps:
    """How many partitions each member may have, and how many of a topic, if that is capped."""

    of_member: IntArray
    of_topic: IntArray | None = None


def capped_shares(demand: Demand, caps: Caps, levels: Sequence[str]) -> IntArray | None:
    """Shares within the caps, the best by `levels`; None if there are none.

    Levels are those of `optimizer.solver.shares`, and "balance", the least Σ load², wherever it
    stands. This is a min-cost flow: from kinds to members, by way of a cell (a topic and a member)
    where topics are capped or spread, and from there to a sink. What a load, or a cell, costs is
    exact near the shares at hand, and a line farther away: as in `optimizer.solver.spread`, flows
    that stay near those at hand are the best. Levels that don't fit in one cost are looked at one
    after the other. Raises `CostOverflowError` where a single one doesn't fit 64 bits.
    """
    network = _Network.of(demand, caps, levels)
    flows = network.cheapest()
    return None if flows is None else network.arcs.shares(flows)


def capped_distribution(
    demand: Demand, fine: CostClasses, caps: Caps, levels: Sequence[str]
) -> Distribution | None:
    """The same of a group whose kinds are cut into fine ones; spread isn't among the levels."""
    network = _Network.of(demand, caps, levels, fine)
    flows = network.cheapest()
    if flows is None or not isinstance(network.arcs, AggregatedArcs):
        return None
    return network.arcs.given(flows)


class _PairArcs:
    """Arcs straight from kinds to their takers: see `AggregatedArcs`."""

    count = 0

    def __init__(self, demand: Demand, levels: Sequence[str], taker: IntArray) -> None:
        self._demand, self._taker = demand, taker
        self.weights = {"moves": 0, **level_weights(demand, levels)}

    def at(self, weights: Mapping[str, int]) -> list[Arcs]:
        return pair_arcs(self._demand, self._taker, *pair_costs(self._demand, weights))

    def shares(self, flows: IntArray) -> IntArray:
        return shares_of(self._demand, flows.copy())


@dataclass(frozen=True)
class _Network:
    """What stays the same from flow to flow."""

    demand: Demand
    sources: IntArray
    arcs: _PairArcs | AggregatedArcs
    most: IntArray
    cell: IntArray | None
    member_of_cell: IntArray
    most_of_cell: IntArray

    @staticmethod
    def of(
        demand: Demand, caps: Caps, levels: Sequence[str], fine: CostClasses | None = None
    ) -> _Network:
        supply = demand.supply[demand.kind_of_pair]
        by_cell = demand.topics is not None and (caps.of_topic is not None or "spread" in levels)
        cell, cells, most_of_cell = None, np.empty(0, np.int64), np.empty(0, np.int64)
        if by_cell:
            assert demand.topics is not None
            topic, members = demand.topics[demand.kind_of_pair], demand.member_count
            keys = topic * members + demand.members
            cells, cell = distinct(keys, (int(topic.max(initial=-1)) + 1) * members)
            most_of_cell = np.bincount(cell, supply, len(cells)).astype(np.int64)
            if caps.of_topic is not None:
                most_of_cell = np.minimum(most_of_cell, caps.of_topic[cells // members])
            cells = cells % members
        readable = np.bincount(demand.members, supply, demand.member_count).astype(np.int64)
        sources = demand.supply if fine is None else fine.supply
        first_member = len(sources) + len(cells)
        taker = first_member + demand.members if cell is None else len(sources) + cell
        after = first_member + demand.member_count + 1
        return _Network(
            demand=demand,
            sources=sources,
            arcs=_PairArcs(demand, levels, taker)
            if fine is None
            else AggregatedArcs(demand, fine, levels, taker, after),
            most=np.minimum(readable, caps.of_member),
            cell=cell,
            member_of_cell=cells,
            most_of_cell=most_of_cell,
        )

    @cached_property
    def levels(self) -> list[str]:
        """Those at which anything costs anything, in their order."""
        weighed = sorted((weight, level) for level, weight in self.arcs.weights.items() if weight)
        return [level for _, level in reversed(weighed)]

    @cached_property
    def fits(self) -> bool:
        """Whether one number can hold what an arc costs at all levels."""
        dearest = 1 + 2 * int(self.demand.supply.sum())
        return sum(self.arcs.weights.values()) * dearest <= MAX_NUMBER

    def cheapest(self) -> IntArray | None:
        """The cheapest flow, by one that is exact near the shares at hand after the other."""
        current_point, least = self.demand.owned, None
        while True:
            flows = self.cheapest_near(current_point)
            if flows is None:
                return None
            shares = self.arcs.shares(flows)
            if self.are_near(shares, current_point):
                return flows
            cost = [self.cost(level, shares, flows) for level in self.levels]
            if cost == least:
                return flows
            current_point, least = shares, cost

    def loads(self, shares: IntArray) -> IntArray:
        counts = np.bincount(self.demand.members, shares, self.demand.member_count)
        return counts.astype(np.int64)

    def in_cells(self, shares: IntArray) -> IntArray:
        if self.cell is None:
            return self.member_of_cell
        return np.bincount(self.cell, shares, len(self.member_of_cell)).astype(np.int64)

    def are_near(self, shares: IntArray, others: IntArray) -> bool:
        """Whether what they cost is exact in the same network."""
        counts = {"balance": self.loads, "spread": self.in_cells}
        convex = [of for level, of in counts.items() if level in self.levels]
        return all(_are_near(of(shares), of(others)) for of in convex)

    def cost(self, level: str, shares: IntArray, flows: IntArray) -> int:
        """What they cost at a level; `flows` are those of the shares."""
        if level in ("balance", "spread"):
            counts = self.loads(shares) if level == "balance" else self.in_cells(shares)
            return int(counts @ counts)
        costs = np.concatenate([arcs.cost for arcs in self.arcs.at(self.alone(level))])
        return int(flows[: len(costs)] @ costs)

    def alone(self, level: str) -> dict[str, int]:
        """Weights by which nothing costs anything at other levels."""
        return {**dict.fromkeys(self.arcs.weights, 0), level: 1}

    def cheapest_near(self, current_point: IntArray) -> IntArray | None:
        """The cheapest flow in the network that is exact near those at hand."""
        sink = len(self.sources) + len(self.member_of_cell) + self.demand.member_count
        supply = np.zeros(sink + 1 + self.arcs.count, np.int64)
        supply[: len(self.sources)] = self.sources
        supply[sink] = -self.sources.sum()
        if self.fits:
            with suppress(CostOverflowError):
                return cheapest_flow(self.arcs_near(current_point, self.arcs.weights), supply)
        each = [self.arcs_near(current_point, self.alone(level)) for level in self.levels]
        return cheapest_by_levels(each, supply)

    def arcs_near(self, current_point: IntArray, weights: Mapping[str, int]) -> list[Arcs]:
        """All arcs, at what they cost by the weights of levels."""
        kinds, members = len(self.sources), self.demand.member_count
        first_member = kinds + len(self.member_of_cell)
        arcs = self.arcs.at(weights)
        if self.cell is not None:
            cells, taker = self.in_cells(current_point), first_member + self.member_of_cell
            weight = weights["spread"] if "spread" in self.levels else None
            arcs.append(_convex(kinds, taker, cells, self.most_of_cell, weight))
        weight = weights["balance"] if "balance" in self.levels else None
        sink = np.full(members, first_member + members)
        return [*arcs, _convex(first_member, sink, self.loads(current_point), self.most, weight)]


def cannot_be_placed(demand: Demand, caps: Caps) -> tuple[NDArray[np.bool_], int]:
    """The kinds that have too little room together, and how many partitions of theirs have none.

    They are those on the source's side of the minimum cut nearest to the source. A kind without a
    reader is one of them.
    """
    network = _Network.of(demand, caps, ())
    kinds, cells, members = len(demand.supply), len(network.member_of_cell), demand.member_count
    first_member, sink = kinds + cells, kinds + cells + members
    free = np.zeros(members, np.int64)
    taker = first_member + demand.members if network.cell is None else kinds + network.cell
    parts = [
        Arcs(demand.kind_of_pair, taker, demand.supply[demand.kind_of_pair], free[:0]),
        Arcs(
            kinds + np.arange(cells),
            first_member + network.member_of_cell,
            network.most_of_cell,
            free[:0],
        ),
        Arcs(np.arange(first_member, sink), np.full(members, sink), network.most, free),
    ]
    side, flow = source_side(parts, demand.supply, sink)
    return side[:kinds], int(demand.supply.sum()) - flow


def _are_near(numbers: IntArray, others: IntArray) -> bool:
    return bool((np.abs(numbers - others) <= EXACT_RADIUS).all())


def _convex(
    first: int, head: IntArray, current_point: IntArray, most: IntArray, weight: int | None
) -> Arcs:
    """Arcs from nodes, of which the n-th partition costs 2n - 1, or nothing without a weight."""
    if weight is None:
        nodes = np.arange(len(head))
        return Arcs(first + nodes, head, most, np.zeros_like(most))
    segments = segments_near(np.minimum(current_point, most), most)
    return Arcs(
        tail=first + segments.cell,
        head=head[segments.cell],
        capacity=segments.end - segments.start,
        cost=weight * (segments.start + segments.end),
    )
