"""From the owners to a level by few moves: who has too much gives it up, the heaviest first."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np

from optimizer.model import IntArray
from optimizer.solver.weighted.facts import Facts
from optimizer.solver.weighted.make_room import make_room
from optimizer.solver.weighted.placing import LeastFull


def relieved(facts: Facts, level: int) -> IntArray | None:
    """An assignment that is nowhere above a level, by as few moves as it can find; None if none.

    Whoever is above it gives up the lightest partition that is enough by itself, or else the
    heaviest that somebody takes in. What then has no owner is placed, the heaviest first. Where one
    fits in nowhere, two are exchanged, or a third member takes one.
    """
    limits = facts.weights.limits(level).tolist()
    target = facts.owner.copy()
    loads = facts.weights.loads(target).tolist()
    counts = np.bincount(target + 1, minlength=facts.members + 1)[1:].tolist()
    full = LeastFull(facts, loads, counts)
    over = [m for m in range(facts.members) if loads[m] > limits[m]]
    stuck: list[int] = []
    for member in over:
        if not _relieve(facts, target, full, limits, member, level):
            stuck.append(member)
    unplaced = facts.read[target[facts.read] < 0].tolist()
    left = [p for p in unplaced if not _placed(facts, target, full, level, p)]
    if not stuck and not left:
        return target
    return make_room(facts, target, level, left)


def _relieve(
    facts: Facts,
    target: IntArray,
    full: LeastFull,
    limits: list[int],
    member: int,
    level: int,
) -> bool:
    """Let a member give up partitions until it fits; whether it does."""
    own = (target == member).nonzero()[0]
    own = own[np.argsort(facts.weight[own], kind="stable")]
    partitions, weights = own.tolist(), facts.weight[own].tolist()
    classes = facts.class_of[own].tolist()
    while (excess := full.loads[member] - limits[member]) > 0:
        enough = bisect_left(weights, excess)
        order = [*range(enough, len(weights)), *range(enough - 1, -1, -1)]
        for at in order:
            taker_level, taker = full.reader(classes[at], weights[at])
            if taker_level <= level and taker != member:
                break
        else:
            return False
        target[partitions[at]] = taker
        full.give(taker, weights[at])
        full.loads[member] -= weights[at]
        full.counts[member] -= 1
        for column in (partitions, weights, classes):
            del column[at]
    return True


def _placed(facts: Facts, target: IntArray, full: LeastFull, level: int, p: int) -> bool:
    weight = int(facts.weight[p])
    taker_level, taker = full.reader(int(facts.class_of[p]), weight)
    if taker_level > level:
        return False
    target[p] = taker
    full.give(taker, weight)
    return True
