"""Deal some members' partitions again where a search is stuck, and go on from there."""

import random
from zlib import crc32

import numpy as np

from optimizer.model import IntArray
from optimizer.solver.weighted.moves.descent import Descent
from optimizer.solver.weighted.moves.steps import STEPS
from optimizer.solver.weighted.problem import WeightedProblem

MAX_PARTITIONS = 3_000
"""Groups of more partitions, or with that many times the partitions a member, aren't perturbed."""


def perturbed(
    problem: WeightedProblem, target: IntArray, perturbations: int, goal: int
) -> IntArray:
    """The best plan of a descent from here and after each perturbation.

    Two to five members, the fullest among them, have their partitions dealt again, in about the
    order of their weights. The random numbers depend on the weights alone.
    """
    if len(problem.read) > MAX_PARTITIONS or problem.members < 2:
        return target
    draw = random.Random(crc32(problem.weight.tobytes()))
    best, worth = target, _worth(problem, target)
    for _ in range(perturbations * problem.members):
        if worth[0] <= goal:
            break
        result = Descent(problem, _dealt(problem, best, draw)).run(goal, STEPS)
        its_worth = _worth(problem, result)
        if its_worth <= worth:
            best, worth = result, its_worth
    return best


def _worth(problem: WeightedProblem, target: IntArray) -> tuple[int, float]:
    loads = problem.weights.loads(target)
    levels = problem.weights.levels(loads)
    squares = loads.astype(np.float64) ** 2 / problem.weights.capacity
    return int(levels.max(initial=0)), sum(squares.tolist())


def _dealt(problem: WeightedProblem, target: IntArray, draw: random.Random) -> IntArray:
    indices = target.copy()
    loads = problem.weights.loads(target)
    top = int(problem.weights.levels(loads).argmax())
    selection = [top]
    for _ in range(min(1 + int(4 * draw.random()), problem.members - 1)):
        other = int(problem.members * draw.random())
        if other not in selection:
            selection.append(other)
    dealt = np.isin(target, selection).nonzero()[0].tolist()
    weights = dict(zip(dealt, problem.weight[dealt].tolist(), strict=True))
    dealt.sort(key=lambda p: -weights[p] * (0.6 + 0.8 * draw.random()))
    scale = (problem.weights.parts / problem.weights.capacity[selection]).tolist()
    held = [0] * len(selection)
    reads = problem.reads[:, selection].tolist()
    classes = dict(zip(dealt, problem.class_of[dealt].tolist(), strict=True))
    for p in dealt:
        weight, may = weights[p], reads[classes[p]]
        at = min(
            (k for k in range(len(selection)) if may[k]),
            key=lambda k: (held[k] + weight) * scale[k],
        )
        held[at] += weight
        indices[p] = selection[at]
    return indices
