"""Random limits for tiny groups, and the plain way to tell whether an assignment keeps to them."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from optimizer import Group
from optimizer.model.arrays import IntArray
from optimizer.model.classes import classes_of
from optimizer.model.patterns import matches
from optimizer.model.problem import NOBODY, Problem

NAMES = ("pin", "exclude", "max_partitions", "max_per_topic")

Stated = dict[str, list[dict[str, Any]]]


def random_limits(draw: random.Random, names: list[str], group: Group) -> Stated:
    """One or two limits of each name, of members and topics that are there or fit patterns."""
    ids = [member.member_id for member in group.members]
    members, topics = [*ids, "m*", "m?"], [*group.topics, "t*", "*"]
    made: dict[str, Callable[[], dict[str, Any]]] = {
        "pin": lambda: {
            "topics": draw.choice(topics),
            "members": draw.choice(members),
            **({"partitions": draw.sample(range(3), 2)} if draw.random() < 0.5 else {}),
        },
        "exclude": lambda: {
            "members": draw.choice(ids),
            **({"topics": draw.choice(topics)} if draw.random() < 0.6 else {}),
        },
        "max_partitions": lambda: {
            "members": draw.choice([*members, "*", "*"]),
            "most": draw.randint(0, 4),
        },
        "max_per_topic": lambda: {"topics": draw.choice(topics), "most": draw.randint(0, 3)},
    }
    return {name: [made[name]() for _ in range(draw.choice([1, 1, 2]))] for name in names}


def every_assignment(group: Problem) -> list[IntArray]:
    """All ways to give each partition that is read to one of its readers."""
    classes = classes_of(group)
    choices = [
        classes.members_of(c).tolist() if c >= 0 else [NOBODY]
        for c in classes.of_partition.tolist()
    ]
    return [np.array(selection, np.int64) for selection in itertools.product(*choices)]


def keeps_to(group: Problem, target: IntArray, stated: Stated) -> bool:
    """Partition by partition, and count by count."""
    placed = [
        (group.topics[t], p - int(group.topic_offsets[t]), group.member_ids[m])
        for p, (t, m) in enumerate(zip(group.topic_of.tolist(), target.tolist(), strict=True))
        if m != NOBODY
    ]
    for topic, number, member in placed:
        for item in stated.get("pin", []):
            about = matches(item["topics"], topic) and number in item.get("partitions", [number])
            if about and not matches(item["members"], member):
                return False
        for item in stated.get("exclude", []):
            if matches(item.get("topics", "*"), topic) and matches(item["members"], member):
                return False
    loads = Counter(member for _, _, member in placed)
    held = Counter((topic, member) for topic, _, member in placed)
    return not any(
        matches(element["members"], member) and load > element["most"]
        for element in stated.get("max_partitions", [])
        for member, load in loads.items()
    ) and not any(
        matches(element["topics"], topic) and count > element["most"]
        for element in stated.get("max_per_topic", [])
        for (topic, _), count in held.items()
    )
