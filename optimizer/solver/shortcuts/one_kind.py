"""Shares of a single kind: a closed form, for one group or many at once."""

import numpy as np

from optimizer.model import Flags, HomogeneousGroups, IntArray, run_starts
from optimizer.solver.demand import Demand, Solver, demand_of
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
    shares = even_shares(demand.supply, demand.offsets, demand.owned, groups.host)
    return distribute(groups.owner, groups.first_of_topic, kinds, demand, shares)


def by_even_shares(part: Demand) -> Solver | None:
    """How to find the shares of a single kind that costs nothing but moves."""
    if len(part.supply) > 1 or part.has_costs:
        return None
    return lambda _: even_shares(part.supply, part.offsets, part.owned, part.hosts)


def even_shares(
    supply: IntArray, offsets: IntArray, owned: IntArray, host: IntArray | None = None
) -> IntArray:
    """Each member's share of its group's partitions, given how many of them it owns.

    Group g has `supply[g]` partitions, and the members offsets[g]:offsets[g + 1]. Everybody gets
    ⌊P/M⌋ and P mod M members one more, which is the only balanced way; a member keeps one more
    partition by a larger share only if it owns more than ⌊P/M⌋, so those come first, and no other
    choice keeps more. Among them those come first whose `host` is the emptier one, if it is known:
    its loads are then as even as that allows (of convex costs the cheapest step is always right).
    """
    sizes = offsets[1:] - offsets[:-1]
    quota, extra = np.divmod(supply, sizes)
    shares = quota.repeat(sizes)
    if not extra.any():
        return shares
    rich = owned > shares
    if host is not None:
        shares[_turns_by_host(shares, rich, host, offsets) < extra.repeat(sizes)] += 1
        return shares
    rich_before = np.concatenate(([0], rich.cumsum()))
    before_group = rich_before[offsets]
    nth_rich = rich_before[:-1] - before_group[:-1].repeat(sizes)
    nth_member = np.arange(len(owned)) - offsets[:-1].repeat(sizes)
    rich_of_group = (before_group[1:] - before_group[:-1]).repeat(sizes)
    turn = np.where(rich, nth_rich, rich_of_group + nth_member - nth_rich)
    shares[turn < extra.repeat(sizes)] += 1
    return shares


def _turns_by_host(shares: IntArray, rich: Flags, host: IntArray, offsets: IntArray) -> IntArray:
    """The turn of each member in its group to get one more: the rich, then by the emptier host."""
    sizes = offsets[1:] - offsets[:-1]
    # When the others' turn comes, all the rich of their hosts have one more.
    load = np.bincount(host, shares)[host] + np.where(rich, 0, np.bincount(host, rich)[host])
    alike = 2 * host + rich
    by_host = np.argsort(alike, kind="stable")
    first = run_starts(alike[by_host])
    rank = np.empty_like(host)
    rank[by_host] = np.arange(len(host)) - first.repeat(np.diff(np.append(first, len(host))))
    group = np.arange(len(sizes)).repeat(sizes)
    order = np.lexsort((load + rank, ~rich, group))
    turn = np.empty_like(host)
    turn[order] = np.arange(len(host)) - offsets[:-1].repeat(sizes)
    return turn
