"""The closed form's own proof, for groups whose members all read the same, for `verify` alone."""

import numpy as np

from optimizer.arrays import IntArray
from optimizer.measures import Measures
from optimizer.problem import NOBODY, Problem


def proven_alike(problem: Problem, target: IntArray) -> Measures | None:
    """The measures of an assignment that is optimal; None if this doesn't prove it.

    Where everybody reads every topic, loads within one of each other are balanced; and of what
    each member owns at most ⌊P/M⌋ can stay, and one more with P mod M of those who own it, so what
    keeps as much moves the fewest. `target` has a member for each partition, or NOBODY.
    """
    partitions, members = len(target), len(problem.member_ids)
    if len(problem.subscriptions) != 1 or not members or not partitions:
        return None
    if len(problem.subscriptions[0]) != len(problem.topics) or target.min() < 0:
        return None
    loads = np.bincount(target)
    low, extra = divmod(partitions, members)
    high = int(loads.max())
    # Loads sum up to all partitions: if none exceeds the mean rounded up, none may fall short.
    if high > low + (extra > 0) or np.count_nonzero(loads == low + 1) != extra:
        return None
    since = np.bincount(problem.owner + 2, minlength=members + 2)
    owned = since[2:]
    kept = int(np.count_nonzero(target == problem.owner))
    if kept != np.minimum(owned, low).sum() + min(extra, np.count_nonzero(owned > low)):
        return None
    moves = partitions - int(since[0] + since[1]) - kept
    return Measures(
        partitions=partitions,
        max_load=high,
        min_load=low,
        sum_squares=members * low * low + extra * (2 * low + 1),
        moves=moves,
        takeovers=int(since[0]),
    )


assert NOBODY == -1, "owners below 0 are counted by their number"
