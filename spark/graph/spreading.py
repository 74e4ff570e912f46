"""How far a failure spreads along ties: a breadth-first search in arrays."""

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]


def depths_from(start: Ids, causes: Ids, touched: Ids, most: int | None) -> tuple[Ids, Ids]:
    """All that is touched at once or through others, and in how many steps; `start` in none.

    What is in `causes` touches what stands at the same place of `touched`. Nothing is looked for
    beyond `most` steps.
    """
    ids, index = np.unique(np.concatenate([start, causes, touched]), return_inverse=True)
    frontier, cause, other = np.split(index, np.cumsum([len(start), len(causes)]))
    order = np.argsort(cause, kind="stable")
    others = other[order]
    first = np.searchsorted(cause[order], np.arange(len(ids) + 1))
    depth = np.full(len(ids), -1)
    depth[frontier] = step = 0
    while len(frontier) and step != most:
        step += 1
        counts = first[frontier + 1] - first[frontier]
        # of each its own run of `others`, one behind the other
        ends = counts.cumsum()
        at = np.arange(counts.sum()) + (first[frontier] - ends + counts).repeat(counts)
        result = others[at]
        frontier = np.unique(result[depth[result] < 0])
        depth[frontier] = step
    reached = np.flatnonzero(depth >= 0)
    return ids[reached], depth[reached]
