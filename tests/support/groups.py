"""Random groups for the tests, each a function of its seed."""

from __future__ import annotations

import random

import numpy as np

from optimizer import Group, Member
from optimizer.model.arrays import IntArray
from optimizer.model.goals import DEFAULT_GOALS, Goals
from optimizer.model.problem import GONE, NOBODY, Problem
from optimizer.solver.costs import costs_of
from optimizer.solver.demand import Demand, demand_of
from optimizer.solver.kinds import kinds_by_cost, kinds_of


def tiny_group(seed: int) -> Group:
    """Up to 6 partitions and 4 members: subscriptions differ, claims are doubled, owners gone."""
    draw = random.Random(seed)
    topics = {f"t{t}": draw.randint(0, 3) for t in range(draw.randint(0, 4))}
    while sum(topics.values()) > 6:
        topics.popitem()
    names = list(topics)
    if draw.random() < 0.1:
        names.append("vanished")
    one_subscription = draw.random() < 0.2
    partitions = [(topic, p) for topic, count in topics.items() for p in range(count)]
    claimed_by_somebody = draw.random()
    members = []
    for m in range(draw.randint(0, 4)):
        wanted = names if one_subscription else [t for t in names if draw.random() < 0.6]
        owned = [claim for claim in partitions if draw.random() < claimed_by_somebody / 2]
        members.append(
            Member(
                f"m{m}",
                topics=draw.sample(wanted, len(wanted)),
                owned=draw.sample(owned, len(owned)),
                generation=draw.choice([None, 1, 1, 1, 2]),
            )
        )
    draw.shuffle(members)
    return Group(topics, members)


def problem(sizes: list[int], topics_of: list[list[int]], owner: IntArray) -> Problem:
    """A problem of `topics_of[m]`, the topic indexes of member m, and an owner per partition."""
    return Problem(
        member_ids=[f"m{m:05d}" for m in range(len(topics_of))],
        topics=[f"t{t:05d}" for t in range(len(sizes))],
        topic_offsets=np.cumsum([0, *sizes]),
        member_subscription=np.arange(len(topics_of)),
        subscriptions=[np.array(topics, np.int64) for topics in topics_of],
        owner=owner,
    )


def demand(group: Problem, goals: Goals = DEFAULT_GOALS) -> Demand:
    """A problem in counts."""
    kinds = kinds_by_cost(kinds_of(group, goals), costs_of(group, goals))
    return demand_of(kinds, len(group.member_ids))


def random_problem(seed: int) -> Problem:
    """Some dozens of partitions and up to 12 members; every other one is skewed."""
    draw = np.random.default_rng(seed)
    member_count, topic_count = int(draw.integers(1, 13)), int(draw.integers(1, 9))
    sizes = draw.integers(0, 12, topic_count)
    if seed % 2:
        sizes = sizes * draw.choice([1, 1, 1, 10], topic_count)
    chance = draw.uniform(0.1, 0.9)
    topics_of = [
        np.flatnonzero(draw.random(topic_count) < chance).tolist() for _ in range(member_count)
    ]
    return problem(sizes.tolist(), topics_of, random_owner(draw, int(sizes.sum()), member_count))


def random_owner(draw: np.random.Generator, partitions: int, members: int) -> IntArray:
    """Owners present, gone or never there; in some groups a few members own most."""
    weight = draw.random(members) ** draw.integers(0, 6)
    present = draw.choice(members, partitions, p=weight / weight.sum())
    fate = draw.random(partitions)
    return np.where(fate < 0.1, GONE, np.where(fate < 0.2, NOBODY, present))
