"""The partitions of two members dealt again, as well as possible."""

import numpy as np

from optimizer.model import IntArray
from optimizer.solver.weighted.problem import WeightedProblem

MAX_PARTS = 20
"""Parts that are dealt again: a thousand sums from each half of them."""

HEAVY = 14
"""Partitions that are parts by themselves; lighter ones are put together."""


def best_split(
    problem: WeightedProblem, target: IntArray, first: int, second: int, level: float
) -> list[tuple[int, int]] | None:
    """Who of two members is to have which partition; None if that gets neither below a level.

    All sums of half of them are met with all of the other half (Horowitz and Sahni, Journal of the
    ACM 21, 1974).
    """
    both = ((target == first) | (target == second)).nonzero()[0]
    reads = problem.reads[problem.class_of[both]]
    free = both[reads[:, first] & reads[:, second]]
    if len(free) < 2:
        return None
    free = free[np.argsort(-problem.weight[free], kind="stable")]
    part = _parts(len(free))
    parts, capacity = problem.weights.parts, problem.weights.capacity
    weight = np.bincount(part, problem.weight[free]).astype(np.int64)
    loads = np.bincount(target[both] == second, problem.weight[both], 2).astype(np.int64)
    of_free = np.bincount(target[free] == second, problem.weight[free], 2).astype(np.int64)
    fixed = (loads - of_free).tolist()
    total = int(weight.sum())
    scale = parts / int(capacity[first]), parts / int(capacity[second])
    # The sum for the first at which both are as full.
    ideal = ((fixed[1] + total) * scale[1] - fixed[0] * scale[0]) / (scale[0] + scale[1])
    half = len(weight) // 2
    low, high = _sums(weight[:half]), _sums(weight[half:])
    order = np.argsort(high, kind="stable")
    at = np.searchsorted(high[order], ideal - low)
    best, selection = level, None
    for shift in (-1, 0):
        near = order[np.clip(at + shift, 0, len(order) - 1)]
        sums = low + high[near]
        value = np.maximum((fixed[0] + sums) * scale[0], (fixed[1] + total - sums) * scale[1])
        number = int(value.argmin())
        if value[number] < best:
            best, selection = float(value[number]), (number, int(near[number]))
    if selection is None:
        return None
    bits = [selection[0] >> i & 1 for i in range(half)]
    bits += [selection[1] >> i & 1 for i in range(len(weight) - half)]
    inputs = zip(free.tolist(), part.tolist(), strict=True)
    return [(p, first if bits[of] else second) for p, of in inputs]


def _parts(count: int) -> IntArray:
    """The part of each partition, the heaviest first."""
    number = np.arange(count)
    if count <= MAX_PARTS:
        return number
    return np.where(number < HEAVY, number, HEAVY + (number - HEAVY) % (MAX_PARTS - HEAVY))


def _sums(weight: IntArray) -> IntArray:
    """The sum of each subset; bit i of its number tells whether it has the i-th."""
    sums = np.zeros(1, np.int64)
    for item in weight.tolist():
        sums = np.concatenate((sums, sums + item))
    return sums
