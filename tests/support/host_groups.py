"""Random groups with hosts, each a function of its seed."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

from optimizer import Group
from optimizer.model.goals import Goals
from optimizer.model.problem import Problem
from tests.support.rack_groups import random_rack_problem, tiny_rack_group

VARIANTS = [
    Goals(rack=rack, levels=levels)
    for levels in itertools.permutations(("racks", "moves", "hosts", "spread"))
    for rack in (None, "any")
]
"""All orders of levels, with racks and without."""


def member_host(draw: random.Random, hosts: int) -> str | None:
    """One of so many hosts, with Kafka's slash or without; one in ten isn't known."""
    if draw.random() < 0.1:
        return draw.choice([None, ""])
    return draw.choice(["", "/"]) + f"h{draw.randrange(hosts)}"


def tiny_host_group(seed: int) -> Group:
    """A tiny group with racks and hosts."""
    group, draw = tiny_rack_group(seed), random.Random(seed + 0.5)
    hosts = draw.randint(1, 3)
    members = [replace(member, host=member_host(draw, hosts)) for member in group.members]
    return replace(group, members=members)


def random_host_problem(seed: int) -> Problem:
    """Some dozens of partitions; members share hosts."""
    group, draw = random_rack_problem(seed), random.Random(seed + 0.5)
    hosts = draw.randint(1, 5)
    return replace(group, hosts=[member_host(draw, hosts) for _ in group.member_ids])
