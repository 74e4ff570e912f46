"""How far the made-up fleet's groups are, now and an hour before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spark.demo.clusters import IntArray, Topics
from spark.demo.groups import DemoGroup

HOUR = 3600
MUCH = 50_000
"""Lag of a partition that has most of its group's."""

STALLED = 5_000
"""Records that have come to a stalled partition in the last hour."""


class Offsets(NamedTuple):
    """Where partitions end and what is committed there, group after group.

    An entry for each partition that a group knows. `stalled` ones stood still for an hour; `never`
    marks where nothing was committed.
    """

    end: IntArray
    committed: IntArray
    written: IntArray
    stalled: np.ndarray
    never: np.ndarray

    @property
    def before(self) -> tuple[IntArray, IntArray]:
        """The same an hour before: ends and committed offsets."""
        moved = np.where(self.stalled, 0, self.written)
        return self.end - self.written, self.committed - moved


def draw_offsets(rng: np.random.Generator, topics: Topics, fleet: Sequence[DemoGroup]) -> Offsets:
    """The offsets of all groups."""
    days = 10 ** rng.uniform(0.3, 2.9, len(topics.names))[topics.of_partition]
    end = 1_000_000 + (topics.rates * days * 24 * HOUR).astype(np.int64)
    rows = [topics.known_rows(group.topics) for group in fleet]
    lags = [_lag(rng, group, topics.rates[of]) for group, of in zip(fleet, rows, strict=True)]
    stalled = [
        np.full(len(of), group.kind == "stalled") for group, of in zip(fleet, rows, strict=True)
    ]
    every, lag, still = (np.concatenate(items) for items in (rows, lags, stalled))
    written = np.where(still, STALLED, (topics.rates[every] * HOUR).astype(np.int64))
    lag = np.minimum(lag, end[every])
    never = rng.random(len(every)) < 0.004
    return Offsets(end[every], end[every] - lag, written, still, never)


def _lag(rng: np.random.Generator, group: DemoGroup, rates: np.ndarray) -> IntArray:
    """Most groups follow at once, some hang, evenly; those without members drift for days."""
    if group.kind == "empty":
        behind = rng.lognormal(np.log(5 * 24 * HOUR), 1)
        return (rates * behind * rng.lognormal(0, 0.6, len(rates))).astype(np.int64)
    if group.kind == "stalled":
        return np.full(len(rates), STALLED)
    most = int(rng.lognormal(np.log(2000), 1)) if rng.random() < 0.1 else 20
    lag = rng.integers(most // 2, most + 1, len(rates))
    if group.kind == "hot":
        lag[0] = MUCH
    if group.kind == "slow":
        lag[group.claims.partitions[group.claims.members == group.slow_member]] = MUCH
    return lag
