"""The problem in arrays: partitions that take brokers, each broker dearer the more it has.

Replicas are placed so, and then leaders: a leader is one of its partition's replicas, which are
all listed, and nobody else may be taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from optimizer.replicas.arrays import NOBODY, BoolArray, IntArray


@dataclass(frozen=True)
class Placement:
    """P partitions, B brokers, R racks, S shapes (how many replicas go to which rack), G topics.

    Partition p takes `shape_low[s, r]` to `shape_high[s, r]` brokers of each rack, together
    `shape_count[s]`, s being `shape[p]`; no broker twice. Candidates are the brokers `listed[p]`
    at `listed_cost[p]` each, and all who `receive` at `new_cost[p]`. `rack_of` is -1 for brokers
    who aren't to be used. A broker with load x costs `load_weight · weight · x²`, x being what it
    takes and its `base`; what it takes of a topic, with `topic_base`, costs `topic_weight` times
    its square. `topic_weight` 0: topics don't count, and `topic` is 0 everywhere.
    """

    rack_of: IntArray  # (B,)
    receives: BoolArray  # (B,)
    weight: IntArray  # (B,)
    base: IntArray  # (B,)
    listed: IntArray  # (P, K), filled up with NOBODY
    listed_cost: IntArray  # (P, K)
    new_cost: IntArray  # (P,)
    shape: IntArray  # (P,)
    shape_count: IntArray  # (S,)
    shape_low: IntArray  # (S, R)
    shape_high: IntArray  # (S, R)
    topic: IntArray  # (P,)
    topic_base: IntArray  # (G, B)
    load_weight: int
    topic_weight: int = 0
    is_exact: bool = True  # whether no lower level can outweigh a higher one
    size_step: int = 1  # bytes: sizes count as multiples of it

    @property
    def partitions(self) -> int:
        return len(self.shape)

    @property
    def brokers(self) -> int:
        return len(self.rack_of)

    @property
    def racks(self) -> int:
        return int(self.shape_low.shape[1])

    @property
    def topics(self) -> int:
        return len(self.topic_base)

    @cached_property
    def width(self) -> int:
        """Columns of a choice."""
        return int(self.shape_count.max(initial=1))

    @cached_property
    def low(self) -> IntArray:
        return self.shape_low[self.shape]

    @cached_property
    def high(self) -> IntArray:
        return self.shape_high[self.shape]

    @cached_property
    def count(self) -> IntArray:
        return self.shape_count[self.shape]

    @cached_property
    def listed_rack(self) -> IntArray:
        """The rack of each listed broker; -1 where none is."""
        return np.where(self.listed >= 0, self.rack_of[self.listed], -1)

    def receivers_of(self, rack: int) -> IntArray:
        result: IntArray = np.flatnonzero(self.receives & (self.rack_of == rack))
        return result

    def loads(self, indices: IntArray) -> IntArray:
        """What each broker has of partitions with these brokers, its base included."""
        return self.base + np.bincount(indices[indices >= 0], minlength=self.brokers)

    def topic_loads(self, indices: IntArray) -> IntArray:
        """What each broker has of each topic: (G, B)."""
        at = indices + self.topic[:, None] * self.brokers
        counts = np.bincount(at[indices >= 0], minlength=self.topics * self.brokers)
        return self.topic_base + counts.reshape(self.topics, self.brokers)

    def in_racks(self, indices: IntArray) -> IntArray:
        """How many brokers each partition has in each rack: (P, R)."""
        counts = np.zeros((len(indices), self.racks), np.int64)
        rows = np.arange(len(indices))
        for column in indices.T:
            taken = column >= 0
            counts[rows[taken], self.rack_of[column[taken]]] += 1
        return counts

    def costs_of(self, indices: IntArray) -> IntArray:
        """What each partition pays for each of its brokers; 0 where there is none."""
        costs = np.repeat(self.new_cost[:, None], indices.shape[1], axis=1)
        for listed, cost in zip(self.listed.T, self.listed_cost.T, strict=True):
            same = (indices == listed[:, None]) & (listed >= 0)[:, None]
            costs = np.where(same, cost[:, None], costs)
        return np.where(indices >= 0, costs, 0)

    def cost_of(self, partition: int, broker: int) -> int:
        """What one partition pays for one broker."""
        (at,) = (self.listed[partition] == broker).nonzero()
        return int(self.listed_cost[partition, at[0]] if len(at) else self.new_cost[partition])

    def rows(self, indices: IntArray, free: IntArray) -> Placement:
        """The same for those partitions alone; all others stand still as chosen."""
        still = indices.copy()
        still[free] = NOBODY
        topic_base = self.topic_loads(still) if self.topic_weight else self.topic_base
        return replace(
            self,
            base=self.loads(still),
            topic_base=topic_base,
            **{
                name: getattr(self, name)[free]
                for name in ("listed", "listed_cost", "new_cost", "shape", "topic")
            },
        )


class Level(NamedTuple):
    """What a level of the goals can come to at most along a cycle, a unit of its own being 1."""

    name: str
    most: int


ROOM = 2**60
"""No sum along a path or cycle may be larger: prices, and differences of them, fit into 64 bits."""


class LevelWeights(NamedTuple):
    """The weight of each level by name, and the most that all together come to along a cycle."""

    of: dict[str, int]
    most: int

    @property
    def fits(self) -> bool:
        return self.most <= ROOM


def level_weights(levels: Sequence[Level]) -> LevelWeights:
    """Weights by which all that comes after a level can't outweigh the least of its differences.

    A choice is best if no simple cycle of the network's residual graph is negative, so what all
    lower levels can come to along one is enough; sums over all partitions aren't needed.
    """
    weights: dict[str, int] = {}
    below = 0
    for level in reversed(levels):
        weights[level.name] = below + 1
        below += level.most * (below + 1)
    return LevelWeights(weights, below)


def weights_that_fit(levels: Sequence[Level]) -> LevelWeights:
    """Weights cut to what 64 bits hold, where they are too large: no proof follows from them."""
    weights = level_weights(levels)
    while not weights.fits:
        halved = [level._replace(most=max(level.most // 2, 1)) for level in levels[1:]]
        levels = [levels[0], *halved]
        weights = level_weights(levels)
    return weights


def most_of_costs(brokers: int, racks: int, topics: int, dearest: int) -> int:
    """What partitions can pay along a cycle, which passes brokers and pools of a rack once each.

    Between two brokers it may pass each place and pool of one topic.
    """
    return 2 * ((brokers + racks) * min(topics, brokers + 1) + 2) * dearest


def most_of_loads(weight: int, load: int) -> int:
    """What the change of loads can come to: one falls, one grows."""
    return 2 * weight * (2 * load + 2)


def most_of_topics(brokers: int, load: int) -> int:
    """The same of topics' loads, at each broker that the cycle passes."""
    return 2 * (brokers + 2) * (2 * load + 2)
