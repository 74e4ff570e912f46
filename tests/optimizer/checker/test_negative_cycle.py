"""Bellman and Ford's algorithm finds a cycle of negative cost exactly when there is one."""

from __future__ import annotations

import numpy as np
import pytest

from optimizer.checker.negative_cycle import Arcs, search


def least_closed_walk(nodes: int, arcs: dict[tuple[int, int], int]) -> float:
    """Floyd and Warshall: the least cost from any node back to itself."""
    far = [[arcs.get((a, b), float("inf")) for b in range(nodes)] for a in range(nodes)]
    for via in range(nodes):
        for a in range(nodes):
            for b in range(nodes):
                far[a][b] = min(far[a][b], far[a][via] + far[via][b])
    return min(far[a][a] for a in range(nodes))


@pytest.mark.parametrize("seed", range(200))
def test_random_networks(seed: int) -> None:
    draw = np.random.default_rng(seed)
    nodes = int(draw.integers(2, 9))
    arcs = {
        (a, b): int(draw.integers(-2, 9))
        for a in range(nodes)
        for b in range(nodes)
        if a != b and draw.random() < 0.4
    }
    tail, head = (np.array([arc[end] for arc in arcs], np.int64) for end in (0, 1))
    cost = np.array(list(arcs.values()), np.int64)
    cuts = np.sort(draw.integers(0, len(cost) + 1, 2))
    ends = [np.split(of_arcs, cuts) for of_arcs in (tail, head, cost)]
    cycle = search([Arcs(*part) for part in zip(*ends, strict=True)], nodes).cycle
    assert (cycle is None) == (least_closed_walk(nodes, arcs) >= 0)
    if cycle is not None:
        assert len(set(cycle)) == len(cycle)
        around = zip(cycle, cycle[1:] + cycle[:1], strict=True)
        assert sum(arcs[arc] for arc in around) < 0
