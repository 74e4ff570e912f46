"""The optimum: coverage, then balance, then the fewest moves."""

import numpy as np

from optimizer.components import components
from optimizer.flow import flow_shares
from optimizer.hand_out import hand_out
from optimizer.one_class import even_shares
from optimizer.problem import IntArray, Problem
from optimizer.shares import Demand, demand_of
from optimizer.strategies.answer import Answer, settled


def solve(problem: Problem) -> Answer:
    """The best assignment of a group, exactly.

    Every partition that somebody may read is assigned; of all such assignments Σ load² is least
    (and with it the maximum, the variance and every symmetric convex cost: Harvey, Ladner, Lovász
    and Tamir, J. Algorithms 59, 2006); of all those, the fewest partitions change an owner who is
    present and still subscribed. The facts alone decide, not the order that they came in.
    """
    demand = demand_of(problem)
    shares = np.zeros_like(demand.owned)
    for component in components(demand):
        part = demand.of_classes(component)
        shares[demand.pairs_of(component)] = _shares(part)
    return settled(hand_out(problem, demand, shares))


def _shares(demand: Demand) -> IntArray:
    if len(demand.supply) == 1:
        return even_shares(int(demand.supply[0]), demand.owned)
    return flow_shares(demand)
