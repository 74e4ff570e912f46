"""The aggregated networks: the one file that knows OR-Tools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optimizer.model import CostOverflowError, IntArray
from optimizer.solver.demand import Demand

MOST = 2**62
"""No number that the flow computes may get larger than that."""


def cheapest_shares(demand: Demand, base: int, levels: Sequence[str]) -> IntArray | None:
    """Shares that give each member `base` or `base + 1` partitions, the best by `levels`.

    None if there are no such shares. This is a min-cost flow. Nodes are the kinds, the members,
    who take in `base`, and a spare one for what exceeds it. From a kind to each of its members
    goes an arc for what the member owns and one for anything else; each member may pass one
    partition on to the spare node.

    What a partition costs at a level is 0 or 1: a move, a read across racks. No simple cycle of
    the residual network has more arcs than there are nodes, so a level that weighs one more than
    that outweighs the next one (Klein 1967: without a cycle of negative cost nothing is better).
    Raises `CostOverflowError` where 64 bits couldn't hold what comes of it.
    """
    kinds, members, pairs = len(demand.supply), demand.member_count, len(demand.members)
    spare = kinds + members
    kind, member = demand.kind_of_pair, demand.members + kinds
    owned = demand.owned.nonzero()[0]
    every_member, ones = np.arange(kinds, spare), np.ones(members, np.int64)
    network = _graph().min_cost_flow.SimpleMinCostFlow()
    arcs = network.add_arcs_with_capacity_and_unit_cost(
        np.concatenate((kind, kind[owned], every_member)),
        np.concatenate((member, member[owned], ones * spare)),
        np.concatenate((demand.supply[kind], demand.owned[owned], ones)),
        _costs(demand, owned, levels),
    )
    supply = np.concatenate((demand.supply, ones * -base, [0]))
    supply[spare] = -supply.sum()
    network.set_nodes_supplies(np.arange(spare + 1), supply)
    status = network.solve()
    if status == network.INFEASIBLE:
        return None
    if status != network.OPTIMAL:
        raise RuntimeError(f"OR-Tools' min-cost flow ended with {status.name}")
    flows: IntArray = network.flows(arcs)
    shares = flows[:pairs]
    shares[owned] += flows[pairs:-members]
    return shares


def _costs(demand: Demand, owned: IntArray, levels: Sequence[str]) -> IntArray:
    """Costs of a partition that moves, for each pair; of one that stays; and of the spare arcs."""
    pairs = len(demand.members)
    outweighs = len(demand.supply) + demand.member_count + 2
    counted = [level for level in reversed(levels) if level == "moves" or level in demand.costs]
    weight = {level: outweighs**rank for rank, level in enumerate(counted)}
    _check_range(demand, sum(weight.values()))
    cost = np.zeros(pairs + len(owned) + demand.member_count, np.int64)
    for level, flags in demand.costs.items():
        cost[:pairs] += flags * weight[level]
    cost[pairs : pairs + len(owned)] = cost[owned]
    cost[:pairs] += weight["moves"]
    return cost


def _check_range(demand: Demand, dearest: int) -> None:
    """Bound what OR-Tools computes: total cost, and prices of its nodes.

    It multiplies costs by the number of nodes plus one and scales from there; a price falls by no
    more than three times the nodes times the dearest scaled cost (Goldberg 1997).
    """
    nodes = len(demand.supply) + demand.member_count + 1
    partitions = float(demand.supply.sum(dtype=np.float64))
    if max(partitions, 3 * nodes * (nodes + 1)) * dearest > MOST:
        raise CostOverflowError(
            f"{partitions:.0f} partitions of {len(demand.supply)} kinds among "
            f"{demand.member_count} members can't be planned exactly: their costs, {dearest} each, "
            "exceed 64 bits; split the group by topics, or plan it without racks"
        )


def kinds_above(demand: Demand, level: int) -> NDArray[np.bool_]:
    """Which kinds can't be placed without giving one of their members more than `level`.

    They are the kinds on the source's side of the minimum cut that lies nearest to the source,
    when a member takes in `level` at most. All their members are on that side with them.
    """
    kinds, source = len(demand.supply), len(demand.supply) + demand.member_count
    sink = source + 1
    kind, every_kind = demand.kind_of_pair, np.arange(kinds)
    every_member = np.arange(kinds, source)
    network = _graph().max_flow.SimpleMaxFlow()
    add_arcs = network.add_arcs_with_capacity
    add_arcs(np.full_like(every_kind, source), every_kind, demand.supply)
    add_arcs(kind, demand.members + kinds, demand.supply[kind])
    add_arcs(every_member, np.full_like(every_member, sink), np.full_like(every_member, level))
    status = network.solve(source, sink)
    if status != network.OPTIMAL:
        raise RuntimeError(f"OR-Tools' max flow ended with {status.name}")
    above = np.zeros(sink + 1, np.bool_)
    above[network.get_source_side_min_cut()] = True
    return above[:kinds]


def _graph() -> Any:
    """OR-Tools, loaded when the first group needs a flow, which most groups don't."""
    import ortools.graph.python.max_flow  # noqa: PLC0415
    import ortools.graph.python.min_cost_flow  # noqa: PLC0415

    return ortools.graph.python
