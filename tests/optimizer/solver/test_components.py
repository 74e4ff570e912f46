"""Connected components of the subscription graph."""

import numpy as np

from optimizer.solver.demand import Demand, components
from tests.support.groups import demand as demand_of, problem


def demand(sizes: int, topics_of: list[list[int]]) -> Demand:
    return demand_of(problem([1] * sizes, topics_of, np.full(sizes, -1)))


def test_long_chain_in_random_order_is_one_component() -> None:
    order = np.random.default_rng(1).permutation(4_000).tolist()
    links = [[order[at], order[at + 1]] for at in range(len(order) - 1)]
    assert len(components(demand(len(order), links))) == 1
