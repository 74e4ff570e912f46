"""Flows of least cost: the one file of this room that knows OR-Tools."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from optimizer.replicas.arrays import IntArray

MAX_NUMBER = 2**61
"""No number that the flow computes may get larger than that."""


class FlowArcs(NamedTuple):
    """Arcs of a network: where each leads from and to, what it holds, and what a unit costs."""

    tail: IntArray
    head: IntArray
    capacity: IntArray
    cost: IntArray


def cheapest_flow(arcs: FlowArcs, supply: IntArray) -> IntArray | None:
    """What flows along each arc in a flow of least cost; None if nothing meets the supplies.

    OR-Tools multiplies costs by the number of nodes; where 64 bits couldn't hold what comes of it,
    they are made coarser, and the flow is a cheap one only.
    """
    from ortools.graph.python import min_cost_flow  # noqa: PLC0415 - few plans need a flow

    dearest = int(np.abs(arcs.cost).max(initial=1))
    units = int(np.maximum(supply, 0).sum())
    coarser = -(-max(3 * len(supply) * (len(supply) + 1), units) * dearest // MAX_NUMBER)
    cost = arcs.cost // max(coarser, 1)
    solver = min_cost_flow.SimpleMinCostFlow()
    numbers = solver.add_arcs_with_capacity_and_unit_cost(arcs.tail, arcs.head, arcs.capacity, cost)
    solver.set_nodes_supplies(np.arange(len(supply)), supply)
    status = solver.solve()
    if status == solver.INFEASIBLE:
        return None
    if status != solver.OPTIMAL:
        raise RuntimeError(f"OR-Tools' min-cost flow ended with {status.name}")
    flows: IntArray = solver.flows(numbers)
    return flows
