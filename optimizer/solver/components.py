"""Parts of a group that share no member: each is a problem of its own."""

from __future__ import annotations

import numpy as np

from optimizer.model import IntArray, stable_order
from optimizer.solver.demand import Demand


def components(demand: Demand) -> list[IntArray]:
    """The pairs of each connected component of the subscription graph, ascending.

    Every kind takes the lowest number among the kinds it shares a member with, and then that
    kind's number, until nothing changes.
    """
    kinds, members, kind_of_pair = len(demand.supply), demand.members, demand.kind_of_pair
    label = np.arange(kinds)
    while kinds > 1:
        of_member = np.full(demand.member_count, kinds)
        np.minimum.at(of_member, members, label[kind_of_pair])
        lower = np.minimum.reduceat(of_member[members], demand.offsets[:-1])
        if not lower.any():
            break
        if (lower == label).all():
            return _split(lower[kind_of_pair], kinds)
        label = lower[lower]
    return [np.arange(len(members))] if kinds else []


def _split(label: IntArray, end: int) -> list[IntArray]:
    """The indexes of each label."""
    order = stable_order(label, end)
    return np.split(order, np.diff(label[order]).nonzero()[0] + 1)
