"""Shares of a chain: members and kinds that stand in one line, each kind read by neighbours."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from optimizer.model import CostOverflowError, IntArray
from optimizer.solver.arcs import level_weights, pair_costs
from optimizer.solver.demand import Demand, Solver

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
        pair = next(item for item in pairs_of[node] if item not in chain.pairs[-1:])
        chain.pairs.append(pair)
        chain.to_member.append(node < kinds)
        node = sum(of_pair[pair]) - node
    return chain


def by_chain(part: Demand) -> Solver | None:
    """How to find the shares of a part that is a long chain."""
    chain = chain_of(part)
    return None if chain is None else lambda levels: chain_shares(part, chain, levels)


def chain_shares(part: Demand, chain: Chain, levels: Sequence[str]) -> IntArray | None:
    """What `optimizer.solver.network` finds within one, in a time that grows with the chain.

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
    """What the two shares of a node may come to."""
    return (supply,) if from_kind else (base, base + 1)


def _before(least: IntArray, most: int, sums: tuple[int, ...]) -> IntArray:
    """For each share of a pair, the least that everything before it costs."""
    result = np.full(most + 1, NEVER)
    for total in sums:
        low, high = max(0, total - len(least) + 1), min(most, total)
        if low <= high:
            before = least[total - high : total - low + 1][::-1]
            np.minimum(result[low : high + 1], before, out=result[low : high + 1])
    return result


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
    """What the shares of each pair cost."""

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
