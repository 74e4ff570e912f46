"""Shares that spread each topic over its readers: what one costs grows with what is there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from optimizer.model import IntArray, distinct
from optimizer.solver.demand import Demand
from optimizer.solver.flow import Arcs, cheapest_flow
from optimizer.solver.shares import (
    level_weights,
    pair_arcs,
    pair_costs,
    shares_of,
    spare_arcs,
    supply_of,
)

EXACT_RADIUS = 3
"""Within so many partitions of the shares at hand, and one more, each has an arc of its own."""

STEPS = np.concatenate((np.arange(1, EXACT_RADIUS + 1), 2 ** np.arange(2, 40)))
"""How far from the shares at hand what a share costs is exact; in between it is a line."""


def spread_shares(
    demand: Demand, topics: IntArray, base: int, levels: Sequence[str]
) -> IntArray | None:
    """Shares that give each member `base` or `base + 1` partitions, the best by `levels`.

    They are like those of `optimizer.solver.shares.cheapest_shares`, with "spread" among the
    levels. A cell is a topic and a member: a node that takes in what the member gets of all kinds
    of the topic, and passes it on at a cost of 2n - 1 for the n-th partition. `topics` has
    the topic of each kind. Raises `CostOverflowError`.

    Not every n has an arc of its own: near the shares at hand it has; farther away an arc stands
    for several partitions, at their mean cost. So no shares seem cheaper than they are, and those
    at hand seem what they are: first what is owned, then what the flow before found. If a flow's
    shares stay near those at hand in each cell, or are no cheaper, the true residual network has no
    cycle of negative cost, and nothing is better (Klein 1967).
    """
    search = _Search.of(demand, topics, base, levels)
    current_point, least = demand.owned, None
    while True:
        shares = search.cheapest_near(current_point)
        if shares is None or search.are_near(shares, current_point):
            return shares
        cost = search.cost(shares)
        if cost == least:
            return shares
        current_point, least = shares, cost


class Segments(NamedTuple):
    """Arcs of nodes (of cells, of members), from one number of partitions to another."""

    cell: IntArray
    start: IntArray
    end: IntArray


@dataclass(frozen=True)
class _Search:
    """What stays the same from flow to flow; cells are numbered, `cell` is that of each pair."""

    demand: Demand
    base: int
    cell: IntArray
    member_of_cell: IntArray
    most: IntArray
    spread: int
    moved: IntArray
    kept: IntArray

    @staticmethod
    def of(demand: Demand, topics: IntArray, base: int, levels: Sequence[str]) -> _Search:
        topic = topics[demand.kind_of_pair]
        members = demand.member_count
        keys = topic * members + demand.members
        cells, cell = distinct(keys, (int(topic.max(initial=-1)) + 1) * members)
        weights = level_weights(demand, levels)
        moved, kept = pair_costs(demand, weights)
        return _Search(
            demand=demand,
            base=base,
            cell=cell,
            member_of_cell=cells % members,
            most=_count(cell, demand.supply[demand.kind_of_pair], len(cells)),
            spread=weights["spread"],
            moved=moved,
            kept=kept,
        )

    def in_cells(self, shares: IntArray) -> IntArray:
        return _count(self.cell, shares, len(self.most))

    def are_near(self, shares: IntArray, others: IntArray) -> bool:
        return bool((np.abs(self.in_cells(shares) - self.in_cells(others)) <= EXACT_RADIUS).all())

    def cost(self, shares: IntArray) -> int:
        held = self.in_cells(shares)
        stays = np.minimum(shares, self.demand.owned)
        moves = shares - stays
        return self.spread * int(held @ held) + int(stays @ self.kept) + int(moves @ self.moved)

    def cheapest_near(self, current_point: IntArray) -> IntArray | None:
        """The cheapest shares in the network that is exact near those at hand."""
        demand, segments = self.demand, segments_near(self.in_cells(current_point), self.most)
        kinds, cells, members = len(demand.supply), len(self.most), demand.member_count
        spare = kinds + cells + members
        in_cells = Arcs(
            tail=kinds + segments.cell,
            head=kinds + cells + self.member_of_cell[segments.cell],
            capacity=segments.end - segments.start,
            cost=self.spread * (segments.start + segments.end),
        )
        to_cells = pair_arcs(demand, kinds + self.cell, self.moved, self.kept)
        flows = cheapest_flow(
            [*to_cells, in_cells, spare_arcs(members, spare)], supply_of(demand, self.base, spare)
        )
        return None if flows is None else shares_of(demand, flows)


def segments_near(current_point: IntArray, most: IntArray) -> Segments:
    """Cut the numbers of partitions of each node, from none to the most, into segments."""
    steps = STEPS[: STEPS.searchsorted(most.max(initial=0)) + 1]
    offsets = np.concatenate((-steps[::-1], [0], steps))
    points = current_point[:, None] + offsets
    np.maximum(points, 0, out=points)
    np.minimum(points, most[:, None], out=points)
    points[:, 0], points[:, -1] = 0, most
    cell, column = (points[:, 1:] > points[:, :-1]).nonzero()
    return Segments(cell, points[cell, column], points[cell, column + 1])


def _count(cell: IntArray, number: IntArray, cells: int) -> IntArray:
    return np.bincount(cell, number, cells).astype(np.int64)
