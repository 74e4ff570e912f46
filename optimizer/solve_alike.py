"""The optimum of many groups at once, in each of which everybody reads everything."""

import numpy as np

from optimizer.alike_groups import AlikeGroups
from optimizer.arrays import IntArray
from optimizer.hand_out import hand_out
from optimizer.shares import demand_of
from optimizer.sorts import Sorts


def solve_alike(groups: AlikeGroups) -> IntArray:
    """The optimum of each group, as `optimizer.solve.solve` finds it by default.

    A member for each partition. A group is one sort of partitions.
    """
    count = int(groups.member_offsets[-1])
    sorts = Sorts(
        of_partition=groups.of_partition,
        owner_pair=groups.owner,
        offsets=groups.member_offsets,
        members=np.arange(count),
        remote=None,
    )
    demand = demand_of(sorts, count)
    shares = _even_shares(demand.supply, demand.offsets, demand.owned)
    return hand_out(groups.owner, sorts, demand, shares)


def _even_shares(supply: IntArray, offsets: IntArray, owned: IntArray) -> IntArray:
    """`optimizer.one_class.even_shares` of each group; its first members above the quota go first.

    Next come its first members who own no more than the quota.
    """
    sizes = np.diff(offsets)
    quota, extra = np.divmod(supply, sizes)
    shares = quota.repeat(sizes)
    rich = owned > shares
    rich_before = np.concatenate(([0], rich.cumsum()))
    of_group = np.diff(rich_before[offsets])
    nth_rich = rich_before[:-1] - rich_before[offsets[:-1]].repeat(sizes)
    nth_member = np.arange(len(owned)) - offsets[:-1].repeat(sizes)
    turn = np.where(rich, nth_rich, of_group.repeat(sizes) + nth_member - nth_rich)
    shares[turn < extra.repeat(sizes)] += 1
    return shares
