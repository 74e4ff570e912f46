"""Partitions spread over hosts as evenly as the levels above leave it.

Members of one host tie parts of a group together that share no member. So parts are balanced first,
each by itself, and then all are examined in one network, in which every member keeps to the loads
that its part allows and every kind to the readers that it has there.
"""

from collections.abc import Sequence

import numpy as np

from optimizer.model import IntArray
from optimizer.solver.demand import Demand, Distribution, Shares
from optimizer.solver.layers import Bounds
from optimizer.solver.network import cheapest_of_fine


def hosts_are_settled(demand: Demand, shares: Shares, levels: Sequence[str]) -> bool:
    """Whether shares that are the best without hosts are as even over these as can be.

    So it is if hosts don't matter, if their loads are within one of each other, and with the closed
    form of a single kind, which looks at hosts after moves.
    """
    if "hosts" not in levels or demand.hosts is None:
        return True
    is_closed = len(demand.supply) == 1 and not demand.has_costs
    if is_closed and levels.index("moves") < levels.index("hosts"):
        return True
    pairs, amounts = np.arange(len(demand.members)), shares
    if isinstance(shares, Distribution):
        pairs, amounts = shares.pair, shares.amount
    loads = np.bincount(demand.members[pairs], amounts, demand.member_count)
    of_host = np.bincount(demand.hosts, loads)
    return bool(of_host.max() - of_host.min() <= 1)


def spread_over_hosts(demand: Demand, parts: Sequence[IntArray], levels: Sequence[str]) -> Shares:
    """The best shares by all levels, hosts among them, of a group whose parts are balanced.

    Each part has the pairs of some members and kinds, and all of its loads are within one.
    """
    least = np.zeros(demand.member_count, np.int64)
    for pairs in parts:
        members = np.unique(demand.members[pairs])
        kinds = np.unique(demand.kind_of_pair[pairs])
        least[members] = int(demand.supply[kinds].sum()) // len(members)
    pairs = np.sort(np.concatenate(parts))
    inner = demand.restricted_to(pairs)
    if inner.member_count < demand.member_count:
        least = least[np.unique(demand.members[pairs])]
    solution = cheapest_of_fine(inner, Bounds(least, least + 1), levels)
    assert solution is not None, "parts that are balanced have such shares"
    if isinstance(solution, Distribution) and inner.fine is not None:
        return solution.renumbered(inner.fine.numbers, pairs)
    shares = np.zeros_like(demand.owned)
    shares[pairs] = solution
    return shares
