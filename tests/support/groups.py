"""Random groups for the tests, each a function of its seed: tiny ones by names, larger ones."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from optimizer import Group, Member
from optimizer.model import (
    DEFAULT_GOALS,
    GONE,
    NOBODY,
    Goals,
    IntArray,
    Problem,
    Reals,
    problem_of,
)
from optimizer.solver.demand import Demand, demand_of
from optimizer.solver.kinds import costs_of, kinds_by_cost, kinds_of

RACKS = ("a", "b", "c")

LIMITS = ("pin", "exclude", "max_partitions", "max_per_topic")


def tiny_group(seed: int, racks: bool = False, hosts: bool = False) -> Group:
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
    group = Group(topics, members)
    if racks:
        group = _with_racks(group, random.Random(-seed))
    return _with_hosts(group, random.Random(seed + 0.5)) if hosts else group


def _with_racks(group: Group, draw: random.Random) -> Group:
    """In some a member has a rack that nothing else is in."""
    members = [replace(member, rack=_member_rack(draw)) for member in group.members]
    if members and draw.random() < 0.1:
        members[0] = replace(members[0], rack="far")
    near = {t: [_racks(draw) for _ in range(count)] for t, count in group.topics.items()}
    return replace(
        group,
        members=members,
        leader_racks={t: [leader for leader, _ in each] for t, each in near.items()},
        replica_racks={t: [replicas for _, replicas in each] for t, each in near.items()},
    )


def _with_hosts(group: Group, draw: random.Random) -> Group:
    hosts = draw.randint(1, 3)
    return replace(group, members=[replace(m, host=_host(draw, hosts)) for m in group.members])


def _racks(draw: random.Random) -> tuple[str | None, tuple[str, ...]]:
    """The leader's rack and the replicas', one to three of them; some aren't known."""
    if draw.random() < 0.15:
        return draw.choice([None, ""]), draw.choice([(), ("",)])
    replicas = draw.sample(RACKS, draw.choice([1, 1, 2, 3]))
    return replicas[0], tuple(replicas)


def _member_rack(draw: random.Random) -> str | None:
    return draw.choice([None, ""]) if draw.random() < 0.2 else draw.choice((*RACKS, "a", "b"))


def _host(draw: random.Random, hosts: int) -> str | None:
    """One of a few hosts, with Kafka's slash or without; one in ten isn't known."""
    if draw.random() < 0.1:
        return draw.choice([None, ""])
    return draw.choice(["", "/"]) + f"h{draw.randrange(hosts)}"


def tiny_problem(seed: int, weights: bool = False) -> Problem:
    """A tiny group as arrays; with `weights` some members have capacities."""
    group = problem_of(tiny_group(seed)).problem
    return weighed(group, seed) if weights else group


def weighed(group: Problem, seed: int) -> Problem:
    draw = np.random.default_rng(seed)
    members = len(group.member_ids)
    capacities = draw.choice([0.5, 1.0, 2.0, 3.0], members) if draw.random() < 0.4 else None
    return replace(
        group, weights=random_weights(draw, group.partition_count), capacities=capacities
    )


def random_weights(draw: np.random.Generator, count: int) -> Reals:
    """Spread wide, even, few different ones, many that nobody knows, or mostly nothing."""
    kind = int(draw.integers(5))
    some: tuple[Reals, ...] = (
        draw.lognormal(0, 1.5, count),
        draw.lognormal(0, 0.4, count),
        draw.integers(0, 4, count).astype(np.float64),
        np.where(draw.random(count) < 0.35, np.nan, draw.integers(0, 9, count)),
        np.where(draw.random(count) < 0.8, 0.0, draw.integers(0, 3, count)),
    )
    return some[kind]


def problem(
    sizes: Sequence[int], topics_of: Sequence[Sequence[int]], owner: IntArray | None = None
) -> Problem:
    """A problem of `topics_of[m]`, the topic indexes of member m, and an owner per partition."""
    return Problem(
        member_ids=[f"m{m:05d}" for m in range(len(topics_of))],
        topics=[f"t{t:05d}" for t in range(len(sizes))],
        topic_offsets=np.cumsum([0, *sizes]),
        member_subscription=np.arange(len(topics_of)),
        subscriptions=[np.array(topics, np.int64) for topics in topics_of],
        owner=np.full(sum(sizes), NOBODY) if owner is None else owner,
    )


def demand(group: Problem, goals: Goals = DEFAULT_GOALS) -> Demand:
    """A problem in counts."""
    kinds = kinds_by_cost(kinds_of(group, goals), costs_of(group, goals))
    return demand_of(kinds, len(group.member_ids))


def random_problem(seed: int, racks: bool = False, hosts: bool = False) -> Problem:
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
    group = problem(sizes.tolist(), topics_of, random_owner(draw, int(sizes.sum()), member_count))
    if racks:
        dice = random.Random(-seed)
        near = [_racks(dice) for _ in range(group.partition_count)]
        group = replace(
            group,
            racks=[_member_rack(dice) for _ in group.member_ids],
            leader_racks=[leader for leader, _ in near],
            replica_racks=[replicas for _, replicas in near],
        )
    if hosts:
        dice = random.Random(seed + 0.5)
        count = dice.randint(1, 5)
        group = replace(group, hosts=[_host(dice, count) for _ in group.member_ids])
    return group


def random_owner(draw: np.random.Generator, partitions: int, members: int) -> IntArray:
    """Owners present, gone or never there; in some groups a few members own most."""
    weight = draw.random(members) ** draw.integers(0, 6)
    present = draw.choice(members, partitions, p=weight / weight.sum())
    fate = draw.random(partitions)
    return np.where(fate < 0.1, GONE, np.where(fate < 0.2, NOBODY, present))


def random_limits(
    draw: random.Random, names: Sequence[str], members: Sequence[str], topics: Sequence[str]
) -> dict[str, Any]:
    """One or two limits of each name, of members and topics that are there or fit patterns."""
    who, what = [*members, "m*", "m?"], [*topics, "t*", "*"]
    made: dict[str, Callable[[], dict[str, Any]]] = {
        "pin": lambda: {
            "topics": draw.choice(what),
            "members": draw.choice(who),
            **({"partitions": draw.sample(range(3), 2)} if draw.random() < 0.5 else {}),
        },
        "exclude": lambda: {
            "members": draw.choice(members or who),
            **({"topics": draw.choice(what)} if draw.random() < 0.6 else {}),
        },
        "max_partitions": lambda: {
            "members": draw.choice([*who, "*", "*"]),
            "most": draw.randint(0, 4),
        },
        "max_per_topic": lambda: {"topics": draw.choice(what), "most": draw.randint(0, 3)},
    }
    return {name: [made[name]() for _ in range(draw.choice([1, 1, 2]))] for name in names}
