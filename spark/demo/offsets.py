"""How far the made-up fleet's groups are, now and an hour before."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from optimizer.model import IntArray
from spark.demo.clusters import Topics
from spark.demo.groups import DemoGroup

HOUR = 3600
MUCH = 50_000
"""Lag of a partition that has most of its group's."""

STALLED = 5_000
"""Records that have come to a stalled partition in the last hour."""


class Offsets(NamedTuple):
    """Where partitions end and what is committed there, group after group.

    An entry for each partition that a group knows; `never` marks where nothing was committed.
    """

    end: IntArray
    committed: IntArray
    never: np.ndarray


def draw_offsets(rng: np.random.Generator, topics: Topics, fleet: Sequence[DemoGroup]) -> Offsets:
    """The offsets of all groups."""
    days = 10 ** rng.uniform(0.3, 2.9, len(topics.names))[topics.of_partition]
    rows = [topics.known_rows(group.topics) for group in fleet]
    lags = [_lag(rng, group, topics.rates[of]) for group, of in zip(fleet, rows, strict=True)]
    ends = 1_000_000 + (topics.rates * days * 24 * HOUR).astype(np.int64)
    end = ends[np.concatenate(rows)]
    never = rng.random(len(end)) < 0.004
    return Offsets(end, end - np.minimum(np.concatenate(lags), end), never)


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
