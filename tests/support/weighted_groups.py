"""Small random groups with weights, and the best level by force."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from optimizer.model import NOBODY, IntArray, Problem, weights_of


def weighted_problem(seed: int, partitions: int = 7, members: int = 4) -> Problem:
    """A group of a few partitions and members; some have capacities, owners, or odd weights."""
    draw = np.random.default_rng(seed)
    member_count = int(draw.integers(1, members + 1))
    topics = int(draw.integers(1, 4))
    sizes = draw.multinomial(int(draw.integers(1, partitions + 1)), np.ones(topics) / topics)
    reads = draw.random((member_count, topics)) < draw.uniform(0.4, 1)
    count = int(sizes.sum())
    kind = int(draw.integers(4))
    weights: Any = (
        draw.lognormal(0, 1.5, count),
        draw.integers(0, 4, count).astype(np.float64),
        draw.lognormal(0, 0.5, count),
        np.where(draw.random(count) < 0.3, np.nan, draw.integers(1, 9, count)),
    )[kind]
    capacities = draw.choice([0.5, 1.0, 2.0, 3.0], member_count) if draw.random() < 0.4 else None
    owner = draw.integers(-2, member_count, count)
    return Problem(
        member_ids=[f"m{m}" for m in range(member_count)],
        topics=[f"t{t}" for t in range(topics)],
        topic_offsets=np.cumsum([0, *sizes.tolist()]),
        member_subscription=np.arange(member_count),
        subscriptions=[row.nonzero()[0] for row in reads],
        owner=owner if draw.random() < 0.6 else np.full(count, NOBODY),
        weights=weights,
        capacities=capacities,
    )


def all_assignments(problem: Problem) -> IntArray:
    """Every assignment of the partitions that are read, a row each."""
    readers = []
    for topic in problem.topic_of.tolist():
        result = [
            m
            for m, items in enumerate(problem.member_subscription.tolist())
            if topic in problem.subscriptions[items]
        ]
        readers.append(result or [NOBODY])
    return np.array([*itertools.product(*readers)], np.int64).reshape(-1, len(readers))


def levels_by_force(problem: Problem) -> tuple[IntArray, IntArray, IntArray]:
    """Every assignment, with its highest level and its moves."""
    every, weights = all_assignments(problem), weights_of(problem)
    loads = np.stack(
        [
            np.where(every == m, weights.of_partition, 0).sum(axis=1)
            for m in range(len(problem.member_ids))
        ],
        axis=1,
    )
    level = (-(-loads * weights.parts // weights.capacity)).max(axis=1)
    can_keep = np.array([o >= 0 and (every[:, p] == o).any() for p, o in enumerate(problem.owner)])
    moves = ((every != problem.owner) & can_keep).sum(axis=1)
    return every, level, moves


def level_unit(problem: Problem) -> float:
    """The load for a unit of capacity that the level 1 is."""
    weights = weights_of(problem)
    return weights.weight_unit / weights.capacity_unit / weights.parts
