"""The closed form for members who all read the same topics, for many groups at once."""

from __future__ import annotations

import numpy as np

from optimizer.model import HomogeneousGroups, IntArray
from optimizer.solver.demand import demand_of
from optimizer.solver.distribute import distribute
from optimizer.solver.kinds import Kinds
from optimizer.solver.shortcuts.one_kind import even_shares


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
    shares = even_shares(demand.supply, demand.offsets, demand.owned, groups.host)
    return distribute(groups.owner, groups.first_of_topic, kinds, demand, shares)
