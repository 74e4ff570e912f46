"""How topics are spread over members, taken from the bare facts for the checker alone."""

from __future__ import annotations

import numpy as np

from optimizer.model import HomogeneousGroups, IntArray, Problem

DENSE = 4
"""A table of all topics and members may have so many entries for each partition."""


def spread_of(problem: Problem, target: IntArray) -> int:
    """Σ over topics and members of (partitions that the member has of the topic)²."""
    members, topic_of = len(problem.member_ids), problem.topic_of
    if target.min(initial=0) < 0:
        read = (target >= 0).nonzero()[0]
        topic_of, target = topic_of[read], target[read]
    held = topic_of * members + target
    counts = _counted(held, members * len(problem.topics))[1]
    return int(counts @ counts)


def least_spread(readers: IntArray, sizes: IntArray) -> IntArray:
    """The least Σ of squares of each topic's partitions over its readers: as even as can be."""
    low, extra = np.divmod(sizes, readers)
    least: IntArray = readers * low * low + extra * (2 * low + 1)
    return least


def spread_of_groups(groups: HomogeneousGroups, target: IntArray) -> tuple[IntArray, IntArray]:
    """The same sum for each group, and the least that there could be."""
    members = np.diff(groups.member_offsets)
    of_topic = np.arange(len(groups)).repeat(np.diff(groups.topic_offsets))
    cells = np.concatenate(([0], members[of_topic].cumsum()))
    first_member = groups.member_offsets[groups.of_partition]
    held = cells[groups.topic_of] + target - first_member
    cell, counts = _counted(held, int(cells[-1]))
    of_cell = of_topic[cells.searchsorted(cell, "right") - 1]
    sizes = np.diff(groups.first_of_topic)
    least = np.add.reduceat(least_spread(members[of_topic], sizes), groups.topic_offsets[:-1])
    return np.bincount(of_cell, counts * counts, len(groups)).astype(np.int64), least


def _counted(held: IntArray, cells: int) -> tuple[IntArray, IntArray]:
    """The cells that are held at all, ascending, and how often each is."""
    if cells > DENSE * len(held):
        return np.unique(held, return_counts=True)
    counts = np.bincount(held, minlength=1)
    cell = counts.nonzero()[0]
    return cell, counts[cell]
