"""The aggregated networks: the one file that knows OR-Tools."""

import numpy as np
from numpy.typing import NDArray
from ortools.graph.python import max_flow, min_cost_flow

from optimizer.arrays import IntArray
from optimizer.shares import Demand


def fewest_moves(demand: Demand, base: int) -> IntArray | None:
    """Shares that give each member `base` or `base + 1` partitions and keep the most.

    None if there are no such shares. This is a min-cost flow. Nodes are the classes, the members,
    who take in `base`, and a spare one for what exceeds it. From a class to each of its members
    goes an arc of cost 0 for what the member owns and one of cost 1 for anything else; each member
    may pass one partition on to the spare node. Costs are 0 and 1 only, so 64 bits are plenty.
    """
    classes, members, pairs = len(demand.supply), demand.member_count, len(demand.members)
    spare = classes + members
    c, member = demand.class_of_pair, demand.members + classes
    owned = demand.owned.nonzero()[0]
    every_member, ones = np.arange(classes, spare), np.ones(members, np.int64)
    cost = np.zeros(pairs + len(owned) + members, np.int64)
    cost[:pairs] = 1
    network = min_cost_flow.SimpleMinCostFlow()
    arcs = network.add_arcs_with_capacity_and_unit_cost(
        np.concatenate((c, c[owned], every_member)),
        np.concatenate((member, member[owned], ones * spare)),
        np.concatenate((demand.supply[c], demand.owned[owned], ones)),
        cost,
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


def classes_above(demand: Demand, level: int) -> NDArray[np.bool_]:
    """Which classes can't be placed without giving one of their members more than `level`.

    They are the classes on the source's side of the minimum cut that lies nearest to the source,
    when a member takes in `level` at most. All their members are on that side with them.
    """
    classes, source = len(demand.supply), len(demand.supply) + demand.member_count
    sink = source + 1
    c, every_class = demand.class_of_pair, np.arange(classes)
    every_member = np.arange(classes, source)
    network = max_flow.SimpleMaxFlow()
    add_arcs = network.add_arcs_with_capacity
    add_arcs(np.full_like(every_class, source), every_class, demand.supply)
    add_arcs(c, demand.members + classes, demand.supply[c])
    add_arcs(every_member, np.full_like(every_member, sink), np.full_like(every_member, level))
    status = network.solve(source, sink)
    if status != network.OPTIMAL:
        raise RuntimeError(f"OR-Tools' max flow ended with {status.name}")
    above = np.zeros(sink + 1, np.bool_)
    above[network.get_source_side_min_cut()] = True
    return above[:classes]
