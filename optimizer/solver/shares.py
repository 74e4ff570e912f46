"""The network of a group whose loads can be within one of each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from optimizer.model import IntArray
from optimizer.solver.demand import Demand
from optimizer.solver.flow import Arcs, cheapest_flow


def cheapest_shares(demand: Demand, base: int, levels: Sequence[str]) -> IntArray | None:
    """Shares that give each member `base` or `base + 1` partitions, the best by `levels`.

    None if there are no such shares. This is a min-cost flow. Nodes are the kinds, the members,
    who take in `base`, and a spare one for what exceeds it. From a kind to each of its members
    goes an arc for what the member owns and one for anything else; each member may pass one
    partition on to the spare node. What a partition costs at a level is 0 or 1: a move, a read
    across racks. Raises `CostOverflowError`.
    """
    kinds, members = len(demand.supply), demand.member_count
    spare = kinds + members
    moved, kept = pair_costs(demand, level_weights(demand, levels))
    arcs = [*pair_arcs(demand, demand.members + kinds, moved, kept), spare_arcs(members, spare)]
    flows = cheapest_flow(arcs, supply_of(demand, base, spare))
    return None if flows is None else shares_of(demand, flows)


def pair_arcs(demand: Demand, taker: IntArray, moved: IntArray, kept: IntArray) -> list[Arcs]:
    """Arcs from kinds, the first nodes, to the taker of each pair.

    They are first for partitions that move there, of each pair, and then for those that stay, of
    pairs that own any; `shares_of` reads a flow along them. The costs are those of `pair_costs`.
    """
    kind, owned = demand.kind_of_pair, demand.owned.nonzero()[0]
    return [
        Arcs(kind, taker, demand.supply[kind], moved),
        Arcs(kind[owned], taker[owned], demand.owned[owned], kept[owned]),
    ]


def spare_arcs(members: int, spare: int) -> Arcs:
    """An arc for one partition from each member to the spare node, which stands behind them."""
    ones = np.ones(members, np.int64)
    return Arcs(np.arange(spare - members, spare), ones * spare, ones, ones * 0)


def supply_of(demand: Demand, base: int, spare: int) -> IntArray:
    """The supply of each node.

    Kinds come first; members, who take in `base`, stand last but for the spare node, which takes in
    the rest.
    """
    supply = np.zeros(spare + 1, np.int64)
    supply[: len(demand.supply)] = demand.supply
    supply[spare - demand.member_count : spare] = -base
    supply[spare] = -supply.sum()
    return supply


def shares_of(demand: Demand, flows: IntArray) -> IntArray:
    """The shares that flow along `pair_arcs`, which stand first."""
    pairs, owned = len(demand.members), demand.owned.nonzero()[0]
    shares = flows[:pairs]
    shares[owned] += flows[pairs : pairs + len(owned)]
    return shares


def level_weights(demand: Demand, levels: Sequence[str]) -> dict[str, int]:
    """What one costs at each level that anything costs anything at: more than all below together.

    Without a simple cycle of negative cost in the residual network nothing is better (Klein 1967).
    Such a cycle passes each kind and each member once at most. It enters and leaves a kind by arcs
    that cost 0 or 1, so it gains no more at a level than there are kinds. For spread, it passes a
    member by one partition more of one topic and one less of another, which makes a difference of
    twice the topic's partitions at most. (Spread is a level of demands with topics alone.)
    """
    kinds = len(demand.supply)
    most = {"moves": kinds, **dict.fromkeys(demand.costs, kinds)}
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
        kept += flags * weights[level]
    return kept + weights["moves"], kept
