"""The aggregated min-cost flow: the one file that knows OR-Tools."""

from typing import NamedTuple

import numpy as np
from ortools.graph.python import min_cost_flow

from optimizer.levels import even_level, levels
from optimizer.problem import IntArray
from optimizer.shares import Demand

HALF_WIDTH = 2
"""Of the window of loads around the first guess, in partitions."""

COST_LIMIT = 2**62


class CostOverflowError(OverflowError):
    """The group is too large for balance and moves to be told apart in 64 bits."""


class Window(NamedTuple):
    """Loads of each member within which the costs are exact: `low` to `high`."""

    low: IntArray
    high: IntArray

    def holds(self, loads: IntArray) -> bool:
        """One step beyond the window the tangent still meets the parabola."""
        return bool(np.all((self.low - 1 <= loads) & (loads <= self.high + 1)))


class Arcs(NamedTuple):
    """The columns of some arcs."""

    tail: IntArray
    head: IntArray
    capacity: IntArray
    cost: IntArray


def flow_shares(demand: Demand) -> IntArray:
    """Shares of least Σ load², and among those with the most partitions kept.

    Nodes are the classes, the members and a sink. From a class to each of its members goes an arc
    of cost 0 for what the member owns and one of cost 1 for what it doesn't. From a member to the
    sink the n-th partition costs 2n - 1, times more than all moves together can cost: unit arcs
    inside a window of loads, outside of it one arc along the tangent, which lies below the
    parabola. So a solution whose loads stay in the window is optimal for the parabola itself; if
    they leave it, a better guess and a wider window are tried.
    """
    demand, member_count = _numbered_from_zero(demand)
    centre = even_level(demand, member_count)
    half_width = HALF_WIDTH
    while True:
        window = _window(demand, centre, half_width)
        shares = _solve(demand, window)
        loads = np.bincount(demand.members, weights=shares, minlength=member_count)
        if window.holds(loads.astype(np.int64)):
            return shares
        centre = levels(demand, member_count)
        half_width *= 2


def _numbered_from_zero(demand: Demand) -> tuple[Demand, int]:
    """The same demand with only the members that occur in it."""
    present = np.bincount(demand.members) > 0
    number = np.cumsum(present) - 1
    renumbered = Demand(demand.supply, demand.offsets, number[demand.members], demand.owned)
    return renumbered, int(number[-1]) + 1


def _window(demand: Demand, centre: IntArray, half_width: int) -> Window:
    within_reach = np.bincount(
        demand.members, weights=np.repeat(demand.supply, np.diff(demand.offsets))
    ).astype(np.int64)
    low = np.clip(centre - half_width, 0, within_reach)
    high = np.clip(centre + half_width + 1, low, within_reach)
    return Window(low, high)


def _solve(demand: Demand, window: Window) -> IntArray:
    classes, pairs = len(demand.supply), len(demand.members)
    sink = classes + len(window.low)
    give, keep = _give_arcs(demand), _keep_arcs(demand)
    load = _load_arcs(window, classes, int(demand.supply.sum()))
    dearer_than_all_moves = int(demand.owned.sum()) + 1
    _check_range(load.cost, dearer_than_all_moves, demand, sink)
    load = load._replace(cost=load.cost * dearer_than_all_moves)
    tail, head, capacity, cost = (np.concatenate(column) for column in zip(give, keep, load))
    network = min_cost_flow.SimpleMinCostFlow()
    arcs = network.add_arcs_with_capacity_and_unit_cost(tail, head, capacity, cost)
    network.set_nodes_supplies(np.arange(classes), demand.supply)
    network.set_node_supply(sink, -int(demand.supply.sum()))
    status = network.solve()
    if status != network.OPTIMAL:
        raise RuntimeError(f"OR-Tools' min-cost flow ended with {status.name}")
    flows = network.flows(arcs[: pairs + len(keep.tail)])
    shares: IntArray = flows[:pairs].astype(np.int64)
    shares[demand.owned > 0] += flows[pairs:]
    return shares


def _give_arcs(demand: Demand) -> Arcs:
    c = demand.class_of_pair
    return Arcs(c, len(demand.supply) + demand.members, demand.supply[c], np.ones_like(c))


def _keep_arcs(demand: Demand) -> Arcs:
    owned = np.flatnonzero(demand.owned)
    c = demand.class_of_pair[owned]
    members = len(demand.supply) + demand.members[owned]
    return Arcs(c, members, demand.owned[owned], np.zeros_like(c))


def _load_arcs(window: Window, classes: int, supply: int) -> Arcs:
    """Arcs from members to the sink; costs are in steps of load, from the lowest tangent up."""
    low, high = window
    members = np.arange(len(low))
    widths = high - low
    unit = np.repeat(members, widths)
    nth = np.arange(len(unit)) - np.repeat(np.cumsum(widths) - widths - low, widths) + 1
    member = np.concatenate([members, unit, members])
    slope = np.concatenate([2 * low - 1, 2 * nth - 1, 2 * high + 1])
    capacity = np.concatenate([low, np.ones_like(unit), np.full_like(low, supply)])
    sink = np.full_like(member, classes + len(low))
    return Arcs(classes + member, sink, capacity, slope - slope.min())


def _check_range(slope: IntArray, factor: int, demand: Demand, nodes: int) -> None:
    """OR-Tools scales costs by the number of nodes and adds them up over the supply."""
    dearest = int(slope.max()) * factor + 1
    if dearest * max(nodes + 1, int(demand.supply.sum())) >= COST_LIMIT:
        raise CostOverflowError(
            f"{int(demand.supply.sum())} partitions with loads {int(slope.max()) // 2} apart are "
            "too many for balance and moves in one 64-bit cost"
        )
