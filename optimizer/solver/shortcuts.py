"""Ways to find the shares of a part, the cheapest first; the network, which always can, last."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from optimizer.flow import Arcs, cheapest_flow
from optimizer.model import CostOverflowError, Flags, HomogeneousGroups, IntArray, run_starts
from optimizer.solver.arcs import level_weights, match_flows, pair_costs
from optimizer.solver.demand import Demand, Solver, demand_of
from optimizer.solver.distribute import distribute
from optimizer.solver.kinds import Kinds
from optimizer.solver.network import by_network


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
    taking the cheapest step each time is best here, since each further partition costs more.
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


LONG = 64
"""A chain of fewer kinds is as well examined as a network."""

ENTRIES = 10**7
"""Shares of all pairs that are listed, at most."""

NEVER = 2**61
"""Cost of what can't be, above what any shares cost."""


class Chain(NamedTuple):
    """The pairs from one end to the other, and whether each leads from a kind to a member."""

    pairs: list[int]
    to_member: list[bool]


def chain_of(part: Demand) -> Chain | None:
    """The chain that a connected demand is, if it is a long one, and not too wide."""
    kinds, members, pairs = len(part.supply), part.member_count, len(part.members)
    if kinds < LONG or pairs != kinds + members - 1 or part.fine is not None:
        return None
    if int(part.supply.sum()) > ENTRIES // 2:
        return None
    of_member = np.bincount(part.members, minlength=members)
    if int(of_member.max()) > 2 or int(np.diff(part.offsets).max()) > 2:
        return None
    of_pair = np.stack((part.kind_of_pair, kinds + part.members), axis=1).tolist()
    pairs_of: list[list[int]] = [[] for _ in range(kinds + members)]
    for pair, ends in enumerate(of_pair):
        for node in ends:
            pairs_of[node].append(pair)
    node = next(node for node, own in enumerate(pairs_of) if len(own) == 1)
    chain = Chain([], [])
    while len(chain.pairs) < pairs:
        pair = next(candidate for candidate in pairs_of[node] if candidate not in chain.pairs[-1:])
        chain.pairs.append(pair)
        chain.to_member.append(node < kinds)
        node = sum(of_pair[pair]) - node
    return chain


def by_chain(part: Demand) -> Solver | None:
    """How to find the shares of a part that is a long chain."""
    chain = chain_of(part)
    return None if chain is None else lambda levels: chain_shares(part, chain, levels)


def chain_shares(part: Demand, chain: Chain, levels: Sequence[str]) -> IntArray | None:
    """Shares as `optimizer.solver.network` finds them within one, in time linear in the chain.

    A flow along a chain of thousands takes a network's algorithm the square of that. Here what
    everything up to a pair costs at least is known for each share of that pair, from one end to the
    other: a kind's two shares make up its supply, a member's `base` or one more. Such shares may
    cost anything, so that topics can be spread as well. None if there are no such shares; raises
    `CostOverflowError`.
    """
    costs, base = _Costs(part, levels), part.mean_load
    most = np.minimum(part.supply[part.kind_of_pair], base + 1).tolist()
    supply = part.supply[part.kind_of_pair].tolist()
    least: list[IntArray] = []
    for at, pair in enumerate(chain.pairs):
        own = costs.of_shares(pair, most[pair])
        if at:
            own += _before(least[-1], most[pair], _sums(chain.to_member[at], supply[pair], base))
        elif chain.to_member[at]:
            own[np.arange(len(own)) != supply[pair]] = NEVER
        else:
            own[: max(base, 0)] = NEVER
        least.append(np.minimum(own, NEVER))
    return _shares(part, chain, base, supply, least)


def _sums(from_kind: bool, supply: int, base: int) -> tuple[int, ...]:
    """The possible shares of a node's two pairs."""
    return (supply,) if from_kind else (base, base + 1)


def _before(least: IntArray, most: int, sums: tuple[int, ...]) -> IntArray:
    """For each share of a pair, the least that everything before it costs."""
    cost_before = np.full(most + 1, NEVER)
    for total in sums:
        low, high = max(0, total - len(least) + 1), min(most, total)
        if low <= high:
            before = least[total - high : total - low + 1][::-1]
            np.minimum(cost_before[low : high + 1], before, out=cost_before[low : high + 1])
    return cost_before


def _shares(
    part: Demand, chain: Chain, base: int, supply: list[int], least: list[IntArray]
) -> IntArray | None:
    """The way back from the end, by shares that cost the least."""
    shares = np.zeros(len(part.members), np.int64)
    last = chain.pairs[-1]
    ends = _sums(not chain.to_member[-1], supply[last], base)
    share = 0  # of a pair beyond the end
    for at in range(len(chain.pairs) - 1, -1, -1):
        options = [total - share for total in ends if 0 <= total - share < len(least[at])]
        if not options:
            return None
        share = min(options, key=least[at].__getitem__)
        if least[at][share] >= NEVER:
            return None
        pair = chain.pairs[at]
        shares[pair] = share
        ends = _sums(chain.to_member[at], supply[pair], base)
    return shares


class _Costs:
    """The cost of each pair's shares."""

    def __init__(self, part: Demand, levels: Sequence[str]) -> None:
        weights = level_weights(part, levels)
        self._moved, self._kept = pair_costs(part, weights)
        self._owned = part.owned
        self._spread = weights.get("spread", 0)
        largest, units = int(part.supply.max()), float(part.supply.sum())
        dearest = int(self._moved.max()) + self._spread * largest
        if units * dearest >= NEVER:
            raise CostOverflowError(
                f"the costs of {units:,.0f} partitions of {len(part.supply):,} kinds exceed 64 "
                "bits: split the group by topics, or plan it without racks"
            )

    def of_shares(self, pair: int, most: int) -> IntArray:
        """The cost of each share from none to the most."""
        share = np.arange(most + 1)
        kept = np.minimum(share, self._owned[pair])
        cost: IntArray = kept * self._kept[pair] + (share - kept) * self._moved[pair]
        return cost + self._spread * share * share if self._spread else cost


FEWEST_PAIRS = 100_000
"""With fewer pairs a network of all of them is as quick."""

FEWER_READERS = 4
"""Factor of fewer arcs from which on a chain is worth it."""


class Nest(NamedTuple):
    """Readers in a nest: a kind's readers are the members whose rank isn't above its own."""

    kind: IntArray
    member: IntArray


def by_nest(part: Demand) -> Solver | None:
    """How to find the shares of a part whose kinds' readers are nested, if that saves most arcs."""
    nest = nest_of(part)
    return None if nest is None else lambda _: nested_shares(part, nest)


def nest_of(demand: Demand) -> Nest | None:
    """The ranks of kinds and members, where readers are nested and that saves most of the arcs.

    None also where more than moves costs anything, as costs may differ from reader to reader then.
    """
    pairs, kinds = len(demand.members), len(demand.supply)
    arcs = int(np.count_nonzero(demand.owned)) + 3 * kinds + demand.member_count
    if pairs < max(FEWEST_PAIRS, FEWER_READERS * arcs) or demand.topics is not None:
        return None
    if demand.has_costs:
        return None
    readers = np.diff(demand.offsets)
    rank = np.empty(kinds, np.int64)
    rank[np.argsort(readers, kind="stable")] = np.arange(kinds)
    of_member = np.full(demand.member_count, kinds)
    np.minimum.at(of_member, demand.members, rank[demand.kind_of_pair])
    up_to = np.bincount(of_member, minlength=kinds)[:kinds].cumsum()
    return Nest(rank, of_member) if (up_to[rank] == readers).all() else None


def nested_shares(demand: Demand, nest: Nest) -> IntArray | None:
    """The shares of `optimizer.solver.network` within one, by moves alone; None if there are none.

    What moves goes from its kind into the hub of its rank, down the chain of hubs, and out to a
    member of the rank where it is; what stays goes straight to its owner. Members pass what exceeds
    the mean load on to a spare node.
    """
    kinds, members, base = len(demand.supply), demand.member_count, demand.mean_load
    spare, total = 2 * kinds + members, int(demand.supply.sum())
    owned = demand.owned.nonzero()[0]
    rank, member = np.arange(kinds), 2 * kinds + np.arange(members)
    ones = np.ones(max(kinds, members), np.int64)
    free = ones * 0
    arcs = [
        Arcs(rank, kinds + nest.kind, demand.supply, ones[:kinds]),
        Arcs(kinds + nest.member, member, ones[:members] * (base + 1), free[:members]),
        Arcs(
            demand.kind_of_pair[owned],
            2 * kinds + demand.members[owned],
            demand.owned[owned],
            np.zeros(len(owned), np.int64),
        ),
        Arcs(kinds + rank[1:], kinds + rank[:-1], np.full(kinds - 1, total), free[: kinds - 1]),
        Arcs(member, ones[:members] * spare, ones[:members], free[:members]),
    ]
    supply = np.zeros(spare + 1, np.int64)
    supply[:kinds], supply[member] = demand.supply, -base
    supply[spare] = -supply.sum()
    flows = cheapest_flow(arcs, supply)
    if flows is None:
        return None
    into, out = flows[:kinds], flows[kinds : kinds + members]
    kind, taker, count = match_flows((nest.kind, into), (nest.member, out))
    shares = np.zeros(len(demand.members), np.int64)
    shares[owned] = flows[kinds + members :][: len(owned)]
    np.add.at(shares, _pairs(demand, kind, taker), count)
    return shares


def _pairs(demand: Demand, kind: IntArray, member: IntArray) -> IntArray:
    """The pairs of some kinds and readers of theirs."""
    key = demand.kind_of_pair * demand.member_count + demand.members
    order = np.argsort(key, kind="stable")
    pairs: IntArray = order[key[order].searchsorted(kind * demand.member_count + member)]
    return pairs


SHORTCUTS: tuple[Callable[[Demand], Solver | None], ...] = (
    by_even_shares,
    by_chain,
    by_nest,
    by_network,
)
"""Each tells how it finds the shares of a part within one of each other, None where it can't."""
