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
    source_side,
)
from optimizer.model import CostOverflowError, Flags, IntArray
from optimizer.solver.arcs import AggregatedArcs, PairArcs
from optimizer.solver.demand import Demand, Shares, Solver
from optimizer.solver.layers import Bounds, Caps, Layer, layers_of


def cheapest_shares(demand: Demand, bounds: Bounds, levels: Sequence[str]) -> IntArray | None:
    """Shares within the bounds, the best by `levels`; None if there are none.

    The levels are "moves", those of `optimizer.solver.costs`, at which a partition costs 0 or 1,
    and three that grow with what is there: "spread", for which the demand has topics, by cells,
    "balance", the least Σ load², by members, and "hosts", the same by hosts. Levels that don't fit
    in one cost are examined one after the other where one of the last two is among them;
    otherwise, and where a single one doesn't fit 64 bits, raises `CostOverflowError`.
    """
    network = Network.of(demand, bounds, levels)
    flows = network.cheapest()
    return None if flows is None else network.arcs.shares(flows)


def cheapest_of_fine(demand: Demand, bounds: Bounds, levels: Sequence[str]) -> Shares | None:
    """The same; of a demand with fine kinds, how much of which of these."""
    network = Network.of(demand, bounds, levels)
    flows = network.cheapest()
    return None if flows is None else network.arcs.distribution_of(flows)


def by_network(part: Demand) -> Solver:
    """How to find the shares of any part that are all within one of each other."""
    return lambda levels: cheapest_of_fine(part, Bounds.within_one(part), levels)


def cannot_be_placed(demand: Demand, caps: Caps) -> tuple[Flags, int]:
    """The kinds that have too little room together, and how many partitions of theirs have none.

    They are those on the source's side of the minimum cut nearest to the source, and all their
    members are on that side with them. A kind without a reader is one of them.
    """
    network = Network.of(replace(demand, fine=None), caps.bounds(demand), ())
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
        above, _ = cannot_be_placed(part, Caps(np.full(part.member_count, level)))
        if above.any():
            break
    in_kind_above = above[part.kind_of_pair]
    is_above = np.zeros(part.member_count, np.bool_)
    is_above[part.members[in_kind_above]] = True
    return in_kind_above.nonzero()[0], (~is_above[part.members]).nonzero()[0]


@dataclass(frozen=True)
class Network:
    """What stays the same from flow to flow."""

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
        """Those of the levels at which anything costs anything, in the order of levels."""
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
        return not {"balance", "hosts"}.isdisjoint(self.weights)

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
        """What shares cost at each level; `flows` are theirs."""
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
