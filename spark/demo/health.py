"""Whether a made-up group is well, and how one that isn't becomes so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from optimizer import STRATEGIES
from optimizer.model import GONE, NOBODY, Problem
from spark.demo.clusters import IntArray
from spark.demo.members import Cast
from spark.demo.owners import MEMORYLESS

TOO_MANY_TO_STOP = 1000
"""Partitions that nobody wants to stop at each rebalance, as an eager strategy does."""


def is_well(
    strategy: str,
    cast: Cast,
    subscriptions: Sequence[IntArray],
    sizes: IntArray,
    owner: IntArray,
    dealt: IntArray,
) -> bool:
    """Whether nobody has two partitions more than the best assignment would give anybody.

    Nor is anybody idle in vain, nor would Range, with topics of `dealt` sizes, give its first
    member two more than the mean, nor does everything stop in a group that is large.
    """
    best = _best(cast, subscriptions, sizes, owner)
    result, wanted = (
        np.bincount(items[items != NOBODY], minlength=len(cast.member_ids))[cast.present]
        for items in (owner, best)
    )
    even = result.max() <= wanted.max() + 1 and np.sum(result == 0) <= np.sum(wanted == 0)
    members = len(cast.present)
    first = np.ceil(dealt / members).sum()
    fair = strategy != "range" or first < np.ceil(dealt.sum() / members) + 2
    return bool(even and fair and (strategy not in MEMORYLESS or len(owner) < TOO_MANY_TO_STOP))


def made_well(
    cast: Cast, subscriptions: Sequence[IntArray], sizes: IntArray, owner: IntArray
) -> IntArray:
    """The best owners that are nearest to these; who has left keeps what carries their name."""
    best = _best(cast, subscriptions, sizes, owner)
    gone = np.setdiff1d(np.arange(len(cast.member_ids)), cast.present)
    return np.where(np.isin(owner, gone), owner, best)


def kept_busy(cast: Cast, subscriptions: Sequence[IntArray], sizes: IntArray, few: int) -> Cast:
    """The cast with less than `few` members for whom no assignment has anything.

    Unless they are few, they read what the most partitions are of.
    """
    best = _best(cast, subscriptions, sizes, np.full(sizes.sum(), NOBODY))
    idle = np.setdiff1d(cast.present, best)
    if len(idle) < few:
        return cast
    roles = cast.roles.copy()
    roles[idle] = np.argmax([sizes[topics].sum() for topics in subscriptions])
    return replace(cast, roles=roles)


def _best(
    cast: Cast, subscriptions: Sequence[IntArray], sizes: IntArray, owner: IntArray
) -> IntArray:
    offsets = np.append(0, np.cumsum(sizes))
    none = np.empty(0, np.int64)
    present = np.isin(np.arange(len(cast.member_ids)), cast.present)
    roles, of_member = np.unique(
        np.where(present, cast.roles, len(subscriptions)), return_inverse=True
    )
    return (
        STRATEGIES["optimal"]
        .assign(
            Problem(
                member_ids=cast.member_ids,
                topics=[f"{t:06d}" for t in range(len(sizes))],
                topic_offsets=offsets,
                member_subscription=of_member,
                subscriptions=[[*subscriptions, none][role] for role in roles],
                owner=np.where((owner >= 0) & ~present[owner], GONE, owner),
            )
        )
        .target
    )
