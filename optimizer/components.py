"""Parts of a group that share no member: each is a problem of its own."""

import numpy as np

from optimizer.arrays import IntArray, stable_order
from optimizer.shares import Demand


def components(demand: Demand) -> list[IntArray]:
    """The pairs of each connected component of the subscription graph, ascending.

    Every sort takes the lowest number among the sorts it shares a member with, and then that
    sort's number, until nothing changes.
    """
    sorts, members, sort_of_pair = len(demand.supply), demand.members, demand.sort_of_pair
    label = np.arange(sorts)
    while sorts > 1:
        of_member = np.full(demand.member_count, sorts)
        np.minimum.at(of_member, members, label[sort_of_pair])
        lower = np.minimum.reduceat(of_member[members], demand.offsets[:-1])
        if not lower.any():
            break
        if (lower == label).all():
            return _split(lower[sort_of_pair], sorts)
        label = lower[lower]
    return [np.arange(len(members))] if sorts else []


def _split(label: IntArray, end: int) -> list[IntArray]:
    """The indexes of each label."""
    order = stable_order(label, end)
    return np.split(order, np.diff(label[order]).nonzero()[0] + 1)
