"""The network of a group whose loads can be within one of each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from optimizer.model import IntArray
from optimizer.solver.demand import Demand
from optimizer.solver.flow import Network, cheapest_flow


def cheapest_shares(demand: Demand, base: int, levels: Sequence[str]) -> IntArray | None:
    """Shares that give each member `base` or `base + 1` partitions, the best by `levels`.

    None if there are no such shares. This is a min-cost flow. Nodes are the kinds, the members,
    who take in `base`, and a spare one for what exceeds it. From a kind to each of its members
    goes an arc for what the member owns and one for anything else; each member may pass one
    partition on to the spare node. What a partition costs at a level is 0 or 1: a move, a read
    across racks. Raises `CostOverflowError`.
    """
    kinds, members = len(demand.supply), demand.member_count
    pairs, spare = len(demand.members), kinds + members
    kind, member = demand.kind_of_pair, demand.members + kinds
    owned = demand.owned.nonzero()[0]
    every_member, ones = np.arange(kinds, spare), np.ones(members, np.int64)
    moved, kept = pair_costs(demand, level_weights(demand, levels))
    supply = np.concatenate((demand.supply, ones * -base, [0]))
    supply[spare] = -supply.sum()
    flows = cheapest_flow(
        Network(
            tail=np.concatenate((kind, kind[owned], every_member)),
            head=np.concatenate((member, member[owned], ones * spare)),
            capacity=np.concatenate((demand.supply[kind], demand.owned[owned], ones)),
            cost=np.concatenate((moved, kept[owned], ones * 0)),
            supply=supply,
        )
    )
    if flows is None:
        return None
    shares = flows[:pairs]
    shares[owned] += flows[pairs:-members]
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
