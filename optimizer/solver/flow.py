"""Flows in networks, and how many have to take them in: the one file that knows OR-Tools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from optimizer.model import CostOverflowError, IntArray
from optimizer.solver.demand import Demand
from optimizer.solver.interruptible import interruptible

MAX_NUMBER = 2**62
"""No number that the flow computes may get larger than that."""

LONG = 2 * 10**7
"""Nodes times arcs of a network that may take a tenth of a second."""


class Arcs(NamedTuple):
    """Arcs of a network: where each leads from and to, what it holds, and what a unit costs."""

    tail: IntArray
    head: IntArray
    capacity: IntArray
    cost: IntArray


def cheapest_flow(parts: Sequence[Arcs], supply: IntArray) -> IntArray | None:
    """What flows along each arc in a flow of least cost; None if nothing meets the supplies.

    `supply` is that of each node; the arcs of the parts come one after the other. Raises
    `CostOverflowError` where 64 bits couldn't hold what comes of it.
    """
    arcs = Arcs(*map(np.concatenate, zip(*parts, strict=True)))
    _check_range(arcs.cost, supply)
    if len(supply) * len(arcs.tail) < LONG:
        return _cheapest_flow(arcs, supply)
    return interruptible(lambda: _cheapest_flow(arcs, supply))


def _cheapest_flow(arcs: Arcs, supply: IntArray) -> IntArray | None:
    solver = _graph().min_cost_flow.SimpleMinCostFlow()
    numbers = solver.add_arcs_with_capacity_and_unit_cost(*arcs)
    solver.set_nodes_supplies(np.arange(len(supply)), supply)
    status = solver.solve()
    if status == solver.INFEASIBLE:
        return None
    if status != solver.OPTIMAL:
        raise RuntimeError(f"OR-Tools' min-cost flow ended with {status.name}")
    flows: IntArray = solver.flows(numbers)
    return flows


def _check_range(cost: IntArray, supply: IntArray) -> None:
    """Bound what OR-Tools computes: total cost, and prices of its nodes.

    It multiplies costs by the number of nodes plus one and scales from there; a price falls by no
    more than three times the nodes times the dearest scaled cost (Goldberg 1997).
    """
    nodes, dearest = len(supply), int(cost.max(initial=0))
    units = float(np.maximum(supply, 0).sum(dtype=np.float64))
    if max(units, 3 * nodes * (nodes + 1)) * dearest > MAX_NUMBER:
        raise CostOverflowError(
            f"{units:.0f} partitions in a network of {nodes} nodes can't be planned exactly: their "
            f"costs, {dearest} each, exceed 64 bits; split the group by topics, or plan it without "
            "racks"
        )


def kinds_above(demand: Demand, level: int) -> NDArray[np.bool_]:
    """Which kinds can't be placed without giving one of their members more than `level`.

    They are the kinds on the source's side of the minimum cut that lies nearest to the source,
    when a member takes in `level` at most. All their members are on that side with them.
    """
    nodes, arcs = len(demand.supply) + demand.member_count, len(demand.members)
    if nodes * arcs < LONG:
        return _kinds_above(demand, level)
    indices = interruptible(lambda: _kinds_above(demand, level).astype(np.int64))
    assert indices is not None
    return indices.astype(np.bool_)


def _kinds_above(demand: Demand, level: int) -> NDArray[np.bool_]:
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


def source_side(
    parts: Sequence[Arcs], supply: IntArray, sink: int
) -> tuple[NDArray[np.bool_], int]:
    """Which nodes the cut nearest to the source separates from the sink, and the largest flow.

    The first nodes have supplies; costs of arcs don't matter.
    """
    network = _graph().max_flow.SimpleMaxFlow()
    source = sink + 1
    network.add_arcs_with_capacity(np.full(len(supply), source), np.arange(len(supply)), supply)
    for arcs in parts:
        network.add_arcs_with_capacity(arcs.tail, arcs.head, arcs.capacity)
    status = network.solve(source, sink)
    if status != network.OPTIMAL:
        raise RuntimeError(f"OR-Tools' max flow ended with {status.name}")
    side = np.zeros(source + 1, np.bool_)
    side[network.get_source_side_min_cut()] = True
    return side, int(network.optimal_flow())


NODES = 5_000
"""So many parts of a search for the fewest takers are looked at."""


class Takers(NamedTuple):
    """How many there are of each kind; `proven` tells that no fewer would do."""

    counts: IntArray
    proven: bool


def fewest_takers(
    supply: NDArray[Any],
    reads: NDArray[np.bool_],
    load: float,
    least: IntArray,
    most: IntArray,
) -> Takers | None:
    """The fewest takers who take in all supplies, each no more than `load`; None if none do.

    `reads[s, k]` tells whether takers of kind k may take of supply s; of these there are `least[k]`
    to `most[k]`. An integer programme whose only whole numbers are those counts: with them given,
    what flows from supplies to kinds is a flow (a covering problem in general, and so NP-hard).
    """
    from ortools.linear_solver import pywraplp  # noqa: PLC0415 - few groups need it

    solver = pywraplp.Solver.CreateSolver("SCIP")
    solver.SetSolverSpecificParametersAsString(f"limits/nodes = {NODES}")
    counts = [
        solver.IntVar(low, high, "")
        for low, high in zip(least.tolist(), most.tolist(), strict=True)
    ]
    taken: list[list[Any]] = [[] for _ in counts]
    for amount, takers in zip(supply.tolist(), reads, strict=True):
        flows = [solver.NumVar(0, amount, "") for _ in takers.nonzero()[0]]
        solver.Add(solver.Sum(flows) == amount)
        for kind, flow in zip(takers.nonzero()[0].tolist(), flows, strict=True):
            taken[kind].append(flow)
    for count, flows in zip(counts, taken, strict=True):
        solver.Add(solver.Sum(flows) <= load * count)
    solver.Minimize(solver.Sum(counts))
    status = solver.Solve()
    if status not in (solver.OPTIMAL, solver.FEASIBLE):
        return None
    result = np.array([round(count.solution_value()) for count in counts], np.int64)
    return Takers(result, status == solver.OPTIMAL)


def _graph() -> Any:
    """OR-Tools, loaded when the first group needs a flow, which most groups don't."""
    import ortools.graph.python.max_flow  # noqa: PLC0415
    import ortools.graph.python.min_cost_flow  # noqa: PLC0415

    return ortools.graph.python
