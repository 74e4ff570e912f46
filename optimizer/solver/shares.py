"""What shares cost: weights of levels, and arcs straight from kinds to their takers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from optimizer.flow import Arcs
from optimizer.model import IntArray
from optimizer.solver.demand import Demand


class PairArcs:
    """Arcs from kinds, the first nodes, to the taker of each pair; see `AggregatedArcs` as well.

    They are first for partitions that move there, of each pair, and then for those that stay, of
    pairs that own any.
    """

    count = 0
    """Of nodes that it adds."""

    def __init__(self, demand: Demand, levels: Sequence[str], taker: IntArray) -> None:
        self._demand, self._taker = demand, taker
        self.weights = {"moves": 0, **level_weights(demand, levels)}

    def at(self, weights: Mapping[str, int]) -> list[Arcs]:
        """The arcs at what they cost by the weights of levels."""
        demand, taker = self._demand, self._taker
        moved, kept = pair_costs(demand, weights)
        kind, owned = demand.kind_of_pair, demand.owned.nonzero()[0]
        return [
            Arcs(kind, taker, demand.supply[kind], moved),
            Arcs(kind[owned], taker[owned], demand.owned[owned], kept[owned]),
        ]

    def shares(self, flows: IntArray) -> IntArray:
        """What each pair gets by the flows along these arcs, which stand first."""
        pairs, owned = len(self._demand.members), self._demand.owned.nonzero()[0]
        shares = flows[:pairs].copy()
        shares[owned] += flows[pairs : pairs + len(owned)]
        return shares


def level_weights(
    demand: Demand,
    levels: Sequence[str],
    passed: int | None = None,
    costs: Iterable[str] | None = None,
) -> dict[str, int]:
    """What one costs at each level that anything costs anything at: more than all below together.

    Without a simple cycle of negative cost in the residual network nothing is better (Klein 1967).
    Such a cycle passes each kind and each member once at most. It enters and leaves a kind by arcs
    that cost 0 or 1, so it gains no more at a level than there are kinds (`passed`, if that is
    another number). For spread, it passes a member by one partition more of one topic and one less
    of another, which makes a difference of twice the topic's partitions at most. (Spread is a level
    of demands with topics alone.)
    """
    kinds = len(demand.supply) if passed is None else passed
    most = dict.fromkeys(("moves", *(demand.costs if costs is None else costs)), kinds)
    most["balance"] = 2 * int(demand.supply.sum())  # one member more, and one less
    if demand.topics is not None:
        largest = int(np.bincount(demand.topics, demand.supply).max(initial=0))
        most["spread"] = 2 * largest * demand.member_count
    weights, weight = {}, 1
    for level in reversed(levels):
        if level in most:
            weights[level] = weight
            weight *= most[level] + 1
    return weights


def pair_costs(demand: Demand, weights: Mapping[str, int]) -> tuple[IntArray, IntArray]:
    """The cost for each pair of a partition that moves to it, and of one that stays."""
    kept = np.zeros(len(demand.members), np.int64)
    for level, flags in demand.costs.items():
        kept += flags * weights.get(level, 0)
    return kept + weights["moves"], kept
