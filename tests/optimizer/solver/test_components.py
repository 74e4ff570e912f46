"""Connected components of the subscription graph."""

import numpy as np

from optimizer.solver.demand import Demand, components
from tests.support.groups import demand as demand_of, problem


def demand(sizes: int, topics_of: list[list[int]]) -> Demand:
    return demand_of(problem([1] * sizes, topics_of, np.full(sizes, -1)))


def test_random_graphs_come_apart_as_by_merging_sets() -> None:
    for seed in range(200):
        draw = np.random.default_rng(seed)
        topics_of = [np.flatnonzero(draw.random(12) < 0.12).tolist() for _ in range(9)]
        sets: list[set[int]] = []
        for topics in topics_of:
            joined = set(topics).union(*(items for items in sets if items & set(topics)))
            sets = [items for items in sets if not items & joined] + [joined] * bool(joined)
        group = demand(12, topics_of)
        result = [set(group.members[pairs].tolist()) for pairs in components(group)]
        wanted = [{m for m, topic in enumerate(topics_of) if set(topic) & item} for item in sets]
        assert sorted(map(sorted, result)) == sorted(map(sorted, wanted))


def test_long_chain_in_random_order_is_one_component() -> None:
    order = np.random.default_rng(1).permutation(4_000).tolist()
    links = [[order[at], order[at + 1]] for at in range(len(order) - 1)]
    assert len(components(demand(len(order), links))) == 1
