"""Deal some members' partitions anew where a search is stuck, and go on from there."""

from __future__ import annotations

import random
from zlib import crc32

import numpy as np

from optimizer.model import IntArray
from optimizer.solver.weighted.moves.descent import Descent
from optimizer.solver.weighted.moves.steps import STEPS
from optimizer.solver.weighted.problem import WeightedProblem

MAX_PARTITIONS = 3_000
"""Groups of more partitions, or so many times the partitions a member, aren't kicked."""


def perturbed(facts: WeightedProblem, target: IntArray, perturbations: int, goal: int) -> IntArray:
    """The best plan of a descent from here and after each kick; what is random hangs on the facts.

    Two to five members, the fullest among them, have their partitions dealt anew, in an order that
    is about that of their weights.
    """
    if len(facts.read) > MAX_PARTITIONS or facts.members < 2:
        return target
    draw = random.Random(crc32(facts.weight.tobytes()))
    best, worth = target, _worth(facts, target)
    for _ in range(perturbations * facts.members):
        if worth[0] <= goal:
            break
        result = Descent(facts, _dealt(facts, best, draw)).run(goal, STEPS)
        its_worth = _worth(facts, result)
        if its_worth <= worth:
            best, worth = result, its_worth
    return best


def _worth(facts: WeightedProblem, target: IntArray) -> tuple[int, float]:
    loads = facts.weights.loads(target)
    levels = facts.weights.levels(loads)
    squares = loads.astype(np.float64) ** 2 / facts.weights.capacity
    return int(levels.max(initial=0)), sum(squares.tolist())


def _dealt(facts: WeightedProblem, target: IntArray, draw: random.Random) -> IntArray:
    indices = target.copy()
    loads = facts.weights.loads(target)
    top = int(facts.weights.levels(loads).argmax())
    selection = [top]
    for _ in range(min(1 + int(4 * draw.random()), facts.members - 1)):
        other = int(facts.members * draw.random())
        if other not in selection:
            selection.append(other)
    dealt = np.isin(target, selection).nonzero()[0].tolist()
    weights = dict(zip(dealt, facts.weight[dealt].tolist(), strict=True))
    dealt.sort(key=lambda p: -weights[p] * (0.6 + 0.8 * draw.random()))
    scale = (facts.weights.parts / facts.weights.capacity[selection]).tolist()
    held = [0] * len(selection)
    reads = facts.reads[:, selection].tolist()
    classes = dict(zip(dealt, facts.class_of[dealt].tolist(), strict=True))
    for p in dealt:
        weight, may = weights[p], reads[classes[p]]
        at = min(
            (k for k in range(len(selection)) if may[k]),
            key=lambda k: (held[k] + weight) * scale[k],
        )
        held[at] += weight
        indices[p] = selection[at]
    return indices
