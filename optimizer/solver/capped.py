"""Shares under caps: no member, and no member of a topic, gets more than it may have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optimizer.model import IntArray, distinct
from optimizer.solver.demand import Demand
from optimizer.solver.flow import Arcs, cheapest_flow, source_side
from optimizer.solver.hubs import FineKinds, Given, HubArcs
from optimizer.solver.shares import level_weights, pair_arcs, pair_costs, shares_of
from optimizer.solver.spread import NEAR, segments_near


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
    that stay near those at hand are the best. Raises `CostOverflowError`.
    """
    network = _Network.of(demand, caps, levels)
    flows = network.cheapest()
    return None if flows is None else network.arcs.shares(flows)


def capped_given(
    demand: Demand, fine: FineKinds, caps: Caps, levels: Sequence[str]
) -> Given | None:
    """The same of a group whose kinds are cut into fine ones; spread isn't among the levels."""
    network = _Network.of(demand, caps, levels, fine)
    flows = network.cheapest()
    if flows is None or not isinstance(network.arcs, HubArcs):
        return None
    return network.arcs.given(flows)


class _PairArcs:
    """Arcs straight from kinds to their takers: see `HubArcs`."""

    count = 0

    def __init__(self, demand: Demand, levels: Sequence[str], taker: IntArray) -> None:
        self._demand = demand
        self.weights = {"moves": 0, **level_weights(demand, levels)}
        self.arcs = pair_arcs(demand, taker, *pair_costs(demand, self.weights))

    def cost(self, flows: IntArray) -> int:
        costs = np.concatenate([arcs.cost for arcs in self.arcs])
        return int(flows[: len(costs)] @ costs)

    def shares(self, flows: IntArray) -> IntArray:
        return shares_of(self._demand, flows.copy())


@dataclass(frozen=True)
class _Network:
    """What stays the same from flow to flow."""

    demand: Demand
    sources: IntArray
    arcs: _PairArcs | HubArcs
    most: IntArray
    cell: IntArray | None
    member_of_cell: IntArray
    most_of_cell: IntArray

    @staticmethod
    def of(
        demand: Demand, caps: Caps, levels: Sequence[str], fine: FineKinds | None = None
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
            else HubArcs(demand, fine, levels, taker, after),
            most=np.minimum(readable, caps.of_member),
            cell=cell,
            member_of_cell=cells,
            most_of_cell=most_of_cell,
        )

    @property
    def load_weight(self) -> int:
        return self.arcs.weights.get("balance", 0)

    @property
    def spread_weight(self) -> int:
        return self.arcs.weights.get("spread", 0)

    def cheapest(self) -> IntArray | None:
        """The cheapest flow, by one that is exact near the shares at hand after the other."""
        at_hand, least = self.demand.owned, None
        while True:
            flows = self.cheapest_near(at_hand)
            if flows is None:
                return None
            shares = self.arcs.shares(flows)
            if self.are_near(shares, at_hand):
                return flows
            cost = self.cost(shares, flows)
            if cost == least:
                return flows
            at_hand, least = shares, cost

    def loads(self, shares: IntArray) -> IntArray:
        counts = np.bincount(self.demand.members, shares, self.demand.member_count)
        return counts.astype(np.int64)

    def in_cells(self, shares: IntArray) -> IntArray:
        if self.cell is None:
            return self.member_of_cell
        return np.bincount(self.cell, shares, len(self.member_of_cell)).astype(np.int64)

    def are_near(self, shares: IntArray, others: IntArray) -> bool:
        """Whether what they cost is exact in the same network."""
        loads = not self.load_weight or _are_near(self.loads(shares), self.loads(others))
        cells = not self.spread_weight or _are_near(self.in_cells(shares), self.in_cells(others))
        return loads and cells

    def cost(self, shares: IntArray, flows: IntArray) -> int:
        loads, cells = self.loads(shares), self.in_cells(shares)
        return (
            self.arcs.cost(flows)
            + self.load_weight * int(loads @ loads)
            + self.spread_weight * int(cells @ cells)
        )

    def cheapest_near(self, at_hand: IntArray) -> IntArray | None:
        """The cheapest flow in the network that is exact near those at hand."""
        kinds, cells = len(self.sources), len(self.member_of_cell)
        first_member = kinds + cells
        sink = first_member + self.demand.member_count
        arcs = [*self.arcs.arcs]
        if self.cell is not None:
            in_cells = (self.in_cells(at_hand), self.most_of_cell, self.spread_weight)
            arcs.append(_convex(kinds, first_member + self.member_of_cell, *in_cells))
        loads = (self.loads(at_hand), self.most, self.load_weight)
        arcs.append(_convex(first_member, np.full(self.demand.member_count, sink), *loads))
        supply = np.zeros(sink + 1 + self.arcs.count, np.int64)
        supply[:kinds] = self.sources
        supply[sink] = -self.sources.sum()
        return cheapest_flow(arcs, supply)


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


def _are_near(some: IntArray, others: IntArray) -> bool:
    return bool((np.abs(some - others) <= NEAR).all())


def _convex(first: int, head: IntArray, at_hand: IntArray, most: IntArray, weight: int) -> Arcs:
    """Arcs from nodes, of which the n-th partition costs 2n - 1, or nothing without a weight."""
    if not weight:
        nodes = np.arange(len(head))
        return Arcs(first + nodes, head, most, np.zeros_like(most))
    found = segments_near(np.minimum(at_hand, most), most)
    return Arcs(
        tail=first + found.cell,
        head=head[found.cell],
        capacity=found.end - found.start,
        cost=weight * (found.start + found.end),
    )
