"""The network of cells, pools and brokers, and the cheapest flow through it.

cell → the brokers that it lists, at their cost → sink, dearer with every unit
cell → the pool of its rack, at the cost of a new broker → any broker of the rack that receives
"""

from typing import NamedTuple

import numpy as np

from optimizer.flow import EXACT_RADIUS, MAX_NUMBER, Arcs, cheapest_flow, dearer_arcs
from optimizer.replicas.arrays import IntArray
from optimizer.replicas.cells import Cells
from optimizer.replicas.placement import Placement


class CellFlow(NamedTuple):
    """What flows: to listed brokers (cells, K), beyond the least of a rack, out of each pool.

    `pool` has topic, rack, broker and amount, a row each.
    """

    kept: IntArray
    beyond: IntArray
    pool: IntArray


def flow_through(placement: Placement, cells: Cells) -> CellFlow:
    """The cheapest flow: exact as far as cells may take any broker from their pool.

    Loads are dearer with every unit: near a guess each unit is an arc of its own, further off many
    together. That is repeated around what comes out, until it lies where every unit counts.
    """
    network = _Network(placement, cells)
    guess = network.first_guess()
    for _ in range(TIMES):
        flow, loads = network.solved(guess)
        if np.abs(loads - guess).max(initial=0) < EXACT_RADIUS:
            break
        guess = loads
    return flow


STEPS = np.concatenate((np.arange(1, EXACT_RADIUS + 1), EXACT_RADIUS + 2 ** np.arange(1, 40)))
"""How far from a guess the cost is exact."""

TIMES = 20
"""So often a guess is made better; single exchanges mend what little may be wrong after that."""


class _Network:
    def __init__(self, placement: Placement, cells: Cells) -> None:
        self.placement, self.cells = placement, cells
        self.topical = placement.topic_weight > 0
        classes, count = len(cells.spare), len(cells.size)
        self.cell = classes + np.arange(count)
        self.pool = classes + count
        self.place = self.pool + placement.topics * placement.racks
        self.broker = self.place + (placement.topics * placement.brokers if self.topical else 0)
        self.sink = self.broker + placement.brokers
        self.quota = cells.low * cells.size
        self.most = np.where(cells.class_of >= 0, cells.high, cells.low) * cells.size
        self.units = int(self.quota.sum() + cells.spare.sum())
        self.farthest = MAX_NUMBER // (8 * (self.sink + 2) ** 2)
        self.still = self._still()

    def _place(self, topic: IntArray, broker: IntArray) -> IntArray:
        """The node at which a topic's replicas arrive at a broker."""
        if self.topical:
            return self.place + topic * self.placement.brokers + broker
        return self.broker + broker

    def _still(self) -> list[Arcs]:
        """The arcs that don't depend on loads: beyond, listed, to the pools, out of these."""
        placement, cells = self.placement, self.cells
        free = np.flatnonzero(cells.class_of >= 0)
        beyond = Arcs(
            cells.class_of[free],
            self.cell[free],
            (cells.high - cells.low)[free] * cells.size[free],
            np.zeros(len(free), np.int64),
        )
        at, column = np.nonzero(cells.listed >= 0)
        listed = Arcs(
            self.cell[at],
            self._place(cells.topic[at], cells.listed[at, column]),
            np.minimum(cells.size, self.most)[at],
            cells.listed_cost[at, column],
        )
        takes = np.array([len(placement.receivers_of(r)) for r in range(placement.racks)]) > 0
        new = np.flatnonzero(takes[cells.rack])
        pool = cells.topic * placement.racks + cells.rack
        to_pool = Arcs(self.cell[new], self.pool + pool[new], self.most[new], cells.new_cost[new])
        used = np.unique(pool[new])
        self.pool_topic = np.empty(0, np.int64)
        topics, takers = [self.pool_topic], [self.pool_topic]
        for item in used.tolist():
            receivers = placement.receivers_of(item % placement.racks)
            topics.append(np.full(len(receivers), item // placement.racks))
            takers.append(receivers)
        self.pool_topic, self.pool_taker = np.concatenate(topics), np.concatenate(takers)
        out = Arcs(
            self.pool + self.pool_topic * placement.racks + placement.rack_of[self.pool_taker],
            self._place(self.pool_topic, self.pool_taker),
            np.full(len(self.pool_taker), self.units),
            np.zeros(len(self.pool_taker), np.int64),
        )
        return [beyond, listed, to_pool, out]

    def first_guess(self) -> IntArray:
        """Even shares: of all for the brokers, of each topic for its places."""
        placement = self.placement
        share = (placement.rack_of >= 0) / placement.weight
        share = share / max(share.sum(), 1e-9)
        total = self.units + int(placement.base[placement.rack_of >= 0].sum())
        share_left = np.rint(total * share).astype(np.int64) - placement.base
        of_broker: IntArray = np.clip(share_left, 0, self.units)
        if not self.topical:
            return of_broker
        units = np.bincount(placement.topic, weights=placement.count, minlength=placement.topics)
        of_topic = np.rint(units[:, None] * share).astype(np.int64)
        return np.concatenate([of_topic.ravel(), of_broker])

    def solved(self, guess: IntArray) -> tuple[CellFlow, IntArray]:
        """The cheapest flow with unit arcs around the guess, and the loads that come of it."""
        placement, cells = self.placement, self.cells
        dearer = self._dearer(guess)
        parts = [*self.still, dearer]
        supply = np.zeros(self.sink + 1, np.int64)
        supply[: len(cells.spare)] = cells.spare
        supply[self.cell] = self.quota
        supply[self.sink] = -self.units
        flows = cheapest_flow(parts, supply, may_be_coarser=True)
        assert flows is not None  # rack bounds can always be met
        ends = np.cumsum([len(part.tail) for part in parts])
        beyond, listed, _, out, up = np.split(flows, ends[:-1])
        free = np.flatnonzero(cells.class_of >= 0)
        all_beyond = np.zeros(len(cells.size), np.int64)
        all_beyond[free] = beyond
        kept = np.zeros_like(cells.listed)
        kept[cells.listed >= 0] = listed
        loads = np.bincount(dearer.tail - self.place, weights=up, minlength=len(guess))
        pool = np.stack([self.pool_topic, placement.rack_of[self.pool_taker], self.pool_taker, out])
        return CellFlow(kept, all_beyond, pool[:, out > 0].T), loads.astype(np.int64)

    def _dearer(self, guess: IntArray) -> Arcs:
        """Arcs out of places and brokers; a segment from a to b costs its mean a unit."""
        placement = self.placement
        brokers = np.arange(placement.brokers)
        weight = placement.load_weight * placement.weight
        base, head = placement.base, np.full(placement.brokers, self.sink)
        if self.topical:
            cells = placement.topics * placement.brokers
            weight = np.append(np.full(cells, placement.topic_weight), weight)
            base = np.append(placement.topic_base.ravel(), base)
            head = np.append(self.broker + np.tile(brokers, placement.topics), head)
        most = np.full(len(guess), self.units)
        arcs, (node, start, end) = dearer_arcs(self.place, head, guess, most, weight, base, STEPS)
        cost = arcs.cost
        last = node >= len(guess) - placement.brokers
        near = (start < guess[node]) & (guess[node] <= end) & last
        middle = int(np.median(cost[near])) if near.any() else 0
        # every unit passes one broker; what is far from all guesses needn't be told apart
        cost[last] = np.clip(cost[last] - middle, -self.farthest, self.farthest)
        return arcs
