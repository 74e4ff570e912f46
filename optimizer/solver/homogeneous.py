"""The closed form for members who all read the same topics, for one group or many at once."""

from __future__ import annotations

import numpy as np

from optimizer.model import HomogeneousGroups, IntArray
from optimizer.solver.demand import demand_of
from optimizer.solver.distribute import distribute
from optimizer.solver.kinds import Kinds


def solve_homogeneous(groups: HomogeneousGroups) -> IntArray:
    """The optimum of each group, as `optimizer.solver.solve` finds it by default.

    A member for each partition. A group is one kind of partitions.
    """
    count = int(groups.member_offsets[-1])
    kinds = Kinds(
        of_partition=groups.of_partition,
        owner_pair=groups.owner,
        offsets=groups.member_offsets,
        members=np.arange(count),
    )
    demand = demand_of(kinds, count)
    shares = even_shares(demand.supply, demand.offsets, demand.owned)
    return distribute(groups.owner, groups.first_of_topic, kinds, demand, shares)


def even_shares(supply: IntArray, offsets: IntArray, owned: IntArray) -> IntArray:
    """Each member's share of its group's partitions, given how many of them it owns.

    Group g has `supply[g]` partitions, and the members offsets[g]:offsets[g + 1]. Everybody gets
    ⌊P/M⌋ and P mod M members one more, which is the only balanced way; a member keeps one more
    partition by a larger share only if it owns more than ⌊P/M⌋, so those come first, and no other
    choice keeps more.
    """
    sizes = offsets[1:] - offsets[:-1]
    quota, extra = np.divmod(supply, sizes)
    shares = quota.repeat(sizes)
    if not extra.any():
        return shares
    rich = owned > shares
    rich_before = np.concatenate(([0], rich.cumsum()))
    before_group = rich_before[offsets]
    nth_rich = rich_before[:-1] - before_group[:-1].repeat(sizes)
    nth_member = np.arange(len(owned)) - offsets[:-1].repeat(sizes)
    rich_of_group = (before_group[1:] - before_group[:-1]).repeat(sizes)
    turn = np.where(rich, nth_rich, rich_of_group + nth_member - nth_rich)
    shares[turn < extra.repeat(sizes)] += 1
    return shares
