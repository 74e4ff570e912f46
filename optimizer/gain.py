"""What a plan puts right."""

import numpy as np

from optimizer.goals import Goals
from optimizer.near import near_of
from optimizer.problem import IntArray, Problem


def gain_of(problem: Problem, found: IntArray, planned: IntArray, goals: Goals) -> float:
    """Partitions that `planned` puts right over `found`, as `Goals.min_gain` counts them."""
    before, after = (
        np.sort(np.bincount(target[target >= 0], minlength=len(problem.member_ids)))
        for target in (found, planned)
    )
    gain = float(np.abs(before - after).sum()) / 2
    near = near_of(problem, goals.rack) if goals.rack else None
    if near is not None:
        gain += max(near.reads(found).remote - near.reads(planned).remote, 0)
    return gain
