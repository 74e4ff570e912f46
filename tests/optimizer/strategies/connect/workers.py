"""Groups of Connect workers, written down and drawn."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

from optimizer import Group, Member
from optimizer.model import GONE, Problem
from optimizer.model.numbering import problem_of
from tests.optimizer.strategies.written_groups import claims

KINDS = ("sink", "Source", "é", "\ufffd", "\U0001f600")
HOSTS = ("connect-1-", "w", "\uff21", "\U0001f601")
"""Beginnings of names that Java and Python put in different orders."""


def workers(connectors: Mapping[str, int], running: Mapping[str, str]) -> Group:
    """Workers with the tasks that they run, as text: "c:0,1 d:3"."""
    return Group(
        connectors, [Member(name, list(connectors), claims(text)) for name, text in running.items()]
    )


def problem_with_lost(group: Group, lost: Sequence[tuple[str, int]]) -> Problem:
    """The group, in which the workers of those tasks are gone: only a fleet can say so."""
    problem, _ = problem_of(group)
    owner = problem.owner.copy()
    for connector, task in lost:
        owner[problem.topic_offsets[problem.topics.index(connector)] + task] = GONE
    return replace(problem, owner=owner)


def drawn_workers(seed: str) -> tuple[Group, list[tuple[str, int]]]:
    """A random group, and which of its tasks are lost; some are new, some run twice.

    A connector may be deleted, and its tasks still run.
    """
    draw = random.Random(seed)
    connectors = {
        f"{draw.choice(KINDS)}-{number}": draw.randrange(8)
        for number in range(draw.randrange(1, 7))
    }
    configured = list(connectors)
    if draw.random() < 0.3:
        connectors["deleted"] = 2
    names = [
        f"{draw.choice(HOSTS)}{draw.randrange(10**6)}-{number}"
        for number in range(draw.randrange(1, 9))
    ]
    running: dict[str, list[tuple[str, int]]] = {name: [] for name in names}
    busy = names[: draw.randrange(len(names) + 1)]
    lost = []
    for task in [(name, n) for name, count in connectors.items() for n in range(count)]:
        fate = draw.random()
        if fate < 0.15 and task[0] in configured:
            lost.append(task)
        elif fate < 0.3 or not busy:
            continue
        else:
            for name in draw.sample(busy, 2 if fate > 0.95 and len(busy) > 1 else 1):
                running[name].append(task)
    if draw.random() < 0.4:
        lost = []
    for tasks in running.values():
        draw.shuffle(tasks)
    return Group(connectors, [Member(n, configured, has) for n, has in running.items()]), lost
