"""The network of a group: from kinds to members, what a load costs, and what a topic's share does.

kinds → where topics matter, cells (a topic and a member) → members → where they matter, hosts →
a sink

From a kind to each of its readers goes an arc for what the reader owns and one for anything else,
or, where partitions differ more in what they cost than in who reads them, an arc by way of hubs
(`optimizer.solver.arcs`). Members take in the least that they have to; what exceeds it goes on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from optimizer.flow import (
    MAX_NUMBER,
    Arcs,
    are_near,
    cheapest_by_levels,
    cheapest_flow,
    dearer_arcs,
    source_side,
)
from optimizer.model import CostOverflowError, Flags, IntArray, cell_level, distinct, host_level
from optimizer.solver.arcs import AggregatedArcs, PairArcs
from optimizer.solver.demand import Bounds, Demand, Shares, Solver


@dataclass(frozen=True)
class Layer:
    """Nodes that partitions pass one after the other: cells, members or hosts.

    Of each node, counted from `first`, `head` has the node that it leads to, `least` and `most` how
    many partitions pass. `of_pair` has the node of each pair, counted from 0. At the layer's level
    the n-th partition of a node costs 2n - 1: Σ over nodes of (partitions)² has to be low.
    """

    level: str | None
    first: int
    of_pair: IntArray
    head: IntArray
    least: IntArray
    most: IntArray

    def counts(self, shares: IntArray) -> IntArray:
        """Partitions of each node."""
        return np.bincount(self.of_pair, shares, len(self.head)).astype(np.int64)

    def arcs(self, point: IntArray, weights: Mapping[str, int]) -> Arcs:
        """The arcs out of it, at their cost near some shares; without a weight they cost nothing.

        What each node has at least is there already, and doesn't go along them.
        """
        room = self.most - self.least
        if self.level is None or self.level not in weights:
            nodes = self.first + np.arange(len(self.head))
            return Arcs(nodes, self.head, room, np.zeros_like(room))
        above = np.minimum(self.counts(point), self.most) - self.least
        weight = weights[self.level]
        return dearer_arcs(self.first, self.head, above.clip(0), room, weight, self.least)[0]


def layers_of(demand: Demand, bounds: Bounds, levels: Sequence[str], sources: int) -> list[Layer]:
    """The layers, from the one that kinds lead to on; the last one leads to a sink behind it."""
    by_host, by_cell = host_level(levels), cell_level(levels)
    host = demand.hosts if bounds.of_host is not None or by_host else None
    topics = demand.topics if bounds.of_topic is not None or by_cell else None
    layers, first = [], sources
    if topics is not None:
        layers.append(_cells(demand, topics, bounds.of_topic, first, by_cell))
        first += len(layers[0].head)
    behind = first + demand.member_count
    least = np.full(demand.member_count, bounds.least)
    head = np.full(demand.member_count, behind) if host is None else behind + host
    layers.append(Layer("balance", first, demand.members, head, least, bounds.most))
    if host is not None:
        hosts = int(host.max(initial=-1)) + 1
        of_hosts = (
            np.bincount(host, each, hosts).astype(np.int64) for each in (least, bounds.most)
        )
        fewest, most = of_hosts
        if bounds.of_host is not None:
            np.minimum.at(most, host, bounds.of_host)
        head = np.full(hosts, behind + hosts)
        layers.append(Layer(by_host, behind, host[demand.members], head, fewest, most))
    return layers


def _cells(
    demand: Demand, topics: IntArray, most_of_topic: IntArray | None, first: int, level: str | None
) -> Layer:
    """A cell for each topic and member; what leads from there to members."""
    topic, members = topics[demand.kind_of_pair], demand.member_count
    keys = topic * members + demand.members
    cells, cell = distinct(keys, (int(topic.max(initial=-1)) + 1) * members)
    most = np.bincount(cell, demand.supply[demand.kind_of_pair], len(cells)).astype(np.int64)
    if most_of_topic is not None:
        most = np.minimum(most, most_of_topic[cells // members])
    head = first + len(cells) + cells % members
    return Layer(level, first, cell, head, np.zeros_like(most), most)


def cheapest_shares(demand: Demand, bounds: Bounds, levels: Sequence[str]) -> IntArray | None:
    """Shares within the bounds, the best by `levels`; None if there are none.

    The levels are "moves", those of `optimizer.solver.kinds`, at which a partition costs 0 or 1,
    and three that grow with what is there: one by cells, for which the demand has topics;
    "balance", the least Σ load², by members; and the same by hosts. Levels that don't fit in one
    cost are examined one after the other where one of the last two is among them; otherwise, and
    where a single one doesn't fit 64 bits, raises `CostOverflowError`.
    """
    network = Network.of(demand, bounds, levels)
    flows = network.cheapest()
    return None if flows is None else network.arcs.shares(flows)


def cheapest_of_fine(demand: Demand, bounds: Bounds, levels: Sequence[str]) -> Shares | None:
    """Shares within the bounds; of a demand with fine kinds, how much of which of these."""
    network = Network.of(demand, bounds, levels)
    flows = network.cheapest()
    return None if flows is None else network.arcs.distribution_of(flows)


def by_network(part: Demand) -> Solver:
    """How to find the shares of any part that are all within one of each other."""
    return lambda levels: cheapest_of_fine(part, Bounds.within_one(part), levels)


def cannot_be_placed(demand: Demand, caps: Bounds) -> tuple[Flags, int]:
    """The kinds that have too little room together, and how many partitions of theirs have none.

    They are those on the source's side of the minimum cut nearest to the source, and all their
    members are on that side with them. A kind without a reader is one of them.
    """
    network = Network.of(replace(demand, fine=None), caps.readable(demand), ())
    side, flow = source_side(network.parts(demand.owned, {}), network.sources, network.sink)
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
        above, _ = cannot_be_placed(part, Bounds(0, np.full(part.member_count, level)))
        if above.any():
            break
    in_kind_above = above[part.kind_of_pair]
    is_above = np.zeros(part.member_count, np.bool_)
    is_above[part.members[in_kind_above]] = True
    return in_kind_above.nonzero()[0], (~is_above[part.members]).nonzero()[0]


@dataclass(frozen=True)
class Network:
    """The nodes and arcs that stay from flow to flow."""

    demand: Demand
    sources: IntArray
    arcs: PairArcs | AggregatedArcs
    layers: Sequence[Layer]
    sink: int

    @staticmethod
    def of(demand: Demand, bounds: Bounds, levels: Sequence[str]) -> Network:
        fine = demand.fine
        sources = demand.supply if fine is None else fine.supply
        layers = layers_of(demand, bounds, levels, len(sources))
        sink, taker = layers[-1].first + len(layers[-1].head), layers[0].first + layers[0].of_pair
        arcs = (
            PairArcs(demand, levels, taker)
            if fine is None
            else AggregatedArcs(demand, fine, levels, taker, sink + 1)
        )
        return Network(demand, sources, arcs, layers, sink)

    @cached_property
    def weights(self) -> dict[str, int]:
        """The weights of levels at which anything costs, in the order of levels."""
        weighed = sorted(
            ((weight, level) for level, weight in self.arcs.weights.items()), reverse=True
        )
        return {level: weight for weight, level in weighed if weight}

    @cached_property
    def growing(self) -> list[Layer]:
        """The layers that cost more the more there is."""
        return [layer for layer in self.layers if layer.level in self.weights]

    @property
    def may_be_split(self) -> bool:
        """Whether levels may be examined one after the other."""
        return "balance" in self.weights or host_level(self.weights) is not None

    @property
    def fits(self) -> bool:
        """Whether one number can hold what an arc costs at all levels."""
        dearest = 1 + 2 * int(self.demand.supply.sum())
        return sum(self.weights.values()) * dearest <= MAX_NUMBER

    def cheapest(self) -> IntArray | None:
        """The cheapest flow, by one that is exact near a point after the other.

        The first point is what is owned, each other one what the flow before found. A flow that
        stays near its point, or is no cheaper than the one before, is the cheapest
        (`optimizer.flow.convex`).
        """
        point, least = self.demand.owned, None
        while True:
            flows = self._cheapest_near(point)
            if flows is None or not self.growing:
                return flows
            shares = self.arcs.shares(flows)
            if all(are_near(layer.counts(shares), layer.counts(point)) for layer in self.growing):
                return flows
            cost = self._costs(shares, flows)
            if cost == least:
                return flows
            point, least = shares, cost

    def _costs(self, shares: IntArray, flows: IntArray) -> list[int]:
        """The cost of shares at each level; `flows` are theirs."""
        squares = {
            layer.level: int(counts @ counts)
            for layer in self.growing
            for counts in [layer.counts(shares)]
        }
        return [
            squares[level] if level in squares else self._linear_cost(level, flows)
            for level in self.weights
        ]

    def _linear_cost(self, level: str, flows: IntArray) -> int:
        costs = np.concatenate([arcs.cost for arcs in self.arcs.at(self._alone(level))])
        return int(flows[: len(costs)] @ costs)

    def _alone(self, level: str) -> dict[str, int]:
        """Weights by which nothing costs anything at other levels."""
        return {**dict.fromkeys(self.weights, 0), "moves": 0, level: 1}

    def _cheapest_near(self, point: IntArray) -> IntArray | None:
        supply = np.zeros(self.sink + 1 + self.arcs.count, np.int64)
        supply[: len(self.sources)] = self.sources
        (members,) = (layer for layer in self.layers if layer.level == "balance")
        supply[members.first :][: len(members.least)] = -members.least
        supply[self.sink] = -supply.sum()
        if self.fits or not self.may_be_split:
            try:
                return cheapest_flow(self.parts(point, self.weights), supply)
            except CostOverflowError:
                if not self.may_be_split:
                    raise
        each = [self.parts(point, self._alone(level)) for level in self.weights]
        return cheapest_by_levels(each, supply)

    def parts(self, point: IntArray, weights: Mapping[str, int]) -> list[Arcs]:
        """All arcs, at what they cost near a point by the weights of levels."""
        return [
            *self.arcs.at({"moves": 0, **weights}),
            *(layer.arcs(point, weights) for layer in self.layers),
        ]
