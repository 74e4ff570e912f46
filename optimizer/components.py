"""Parts of a group that share no member: each is a problem of its own."""

import numpy as np

from optimizer.arrays import IntArray, stable_order
from optimizer.shares import Demand


def components(demand: Demand) -> list[IntArray]:
    """The pairs of each connected component of the subscription graph, ascending.

    Every class takes the lowest number among the classes it shares a member with, and then that
    class's number, until nothing changes.
    """
    classes, members, class_of_pair = len(demand.supply), demand.members, demand.class_of_pair
    label = np.arange(classes)
    while classes > 1:
        of_member = np.full(demand.member_count, classes)
        np.minimum.at(of_member, members, label[class_of_pair])
        lower = np.minimum.reduceat(of_member[members], demand.offsets[:-1])
        if not lower.any():
            break
        if (lower == label).all():
            return _split(lower[class_of_pair], classes)
        label = lower[lower]
    return [np.arange(len(members))] if classes else []


def _split(label: IntArray, end: int) -> list[IntArray]:
    """The indexes of each label."""
    order = stable_order(label, end)
    return np.split(order, np.diff(label[order]).nonzero()[0] + 1)
