"""Whether a certificate shows that no plan is at a level or below it."""

import numpy as np

from optimizer.checker.kinds import Kinds
from optimizer.checker.weighted.certificate import HIGHEST, Prices, Search, Set
from optimizer.model import Flags, IntArray, Weights

WORK = 1 << 31
"""Prices whose tables would have more entries, over all members' kinds, aren't examined."""


def is_shown_by_set(kinds: Kinds, weights: Weights, shown: Set) -> bool:
    """Whether members would have more than they take in at the level.

    A partition is confined to them if every other reader takes in less than it weighs.
    """
    weight = weights.of_partition[confined(kinds, weights, shown)]
    return int(weight.sum()) > int(weights.limits(shown.level)[shown.members].sum())


def confined(kinds: Kinds, weights: Weights, shown: Set) -> IntArray:
    """The partitions that only those members can take in at the level."""
    limits = weights.limits(shown.level)
    outside = np.where(shown.members, -1, limits)[kinds.member]
    most = np.full(kinds.kind_count, -1)
    if len(outside):
        np.maximum.at(most, np.arange(kinds.kind_count).repeat(np.diff(kinds.offsets)), outside)
    read = kinds.kind_of >= 0
    beyond = np.zeros(len(read), np.bool_)
    beyond[read] = weights.of_partition[read] > most[kinds.kind_of[read]]
    result: IntArray = beyond.nonzero()[0]
    return result


def is_shown_by_prices(kinds: Kinds, weights: Weights, shown: Prices) -> bool:
    """Whether the prices of all partitions that are read are more than members can have.

    Members who read the same and are as strong can have the same: the dearest partitions that
    together aren't too heavy. A table has the least weight for each sum of prices.
    """
    prices = np.where(kinds.kind_of >= 0, shown.prices, 0)
    priced = prices.nonzero()[0]
    total = int(prices.sum())
    limits = weights.limits(shown.level)
    alike: dict[tuple[bytes, int], list[int]] = {}
    for member in range(kinds.member_count):
        key = (_reads(kinds, member).tobytes(), int(limits[member]))
        alike.setdefault(key, []).append(member)
    if len(alike) * len(priced) * total > WORK:
        return False
    budget = 0
    for (reads, limit), members in alike.items():
        may = np.frombuffer(reads, np.bool_)
        mine = priced[may[kinds.kind_of[priced]]]
        budget += len(members) * _dearest(prices[mine], weights.of_partition[mine], limit)
        if budget >= total:
            return False
    return total > budget


MOST_LOADS = 1 << 22
"""Loads of members that a search keeps at most."""


def is_shown_by_search(kinds: Kinds, weights: Weights, shown: Search) -> bool:
    """Whether no assignment is at the level or below: partition by partition, the heaviest first.

    What members have by then is kept once, however it came about, as long as nobody has too much.
    False where that grows beyond `MOST_LOADS`.
    """
    limits, reads = weights.limits(shown.level), kinds.kind_of >= 0
    loads = np.zeros((1, kinds.member_count), np.int64)
    order = np.argsort(-weights.of_partition, kind="stable")
    for partition in order[reads[order]].tolist():
        kind = kinds.kind_of[partition]
        readers = kinds.member[kinds.offsets[kind] : kinds.offsets[kind + 1]]
        if len(loads) * len(readers) * kinds.member_count > MOST_LOADS:
            return False
        grown = np.repeat(loads, len(readers), axis=0)
        grown[np.arange(len(grown)), np.tile(readers, len(loads))] += weights.of_partition[
            partition
        ]
        loads = np.unique(grown[(grown <= limits).all(axis=1)], axis=0)
        if not len(loads):
            return True
    return False


def _reads(kinds: Kinds, member: int) -> Flags:
    """Which kinds of partitions a member reads."""
    result = np.zeros(kinds.kind_count, np.bool_)
    result[kinds.keys[kinds.member == member] // max(kinds.member_count, 1)] = True
    return result


def _dearest(prices: IntArray, weight: IntArray, limit: int) -> int:
    """The most that partitions cost which together weigh no more than a limit."""
    least = np.zeros(1, np.int64)
    for price, item in zip(prices.tolist(), weight.tolist(), strict=True):
        if item > limit:
            continue
        grown = np.concatenate((least, np.full(price, limit + 1)))
        np.minimum(grown[price:], least + item, out=grown[price:])
        least = grown[: int((grown <= limit).nonzero()[0][-1]) + 1]
    return len(least) - 1


def simple_sets(kinds: Kinds, weights: Weights) -> list[Set]:
    """What can be shown without a certificate: for nobody, everybody, and readers of a kind."""
    nobody = np.zeros(kinds.member_count, np.bool_)
    candidates = [nobody, ~nobody]
    if 1 < kinds.kind_count <= MOST_KINDS:
        for start, end in zip(kinds.offsets, kinds.offsets[1:], strict=False):
            readers = nobody.copy()
            readers[kinds.member[start:end]] = True
            candidates.append(readers)
    return [_lowest(kinds, weights, members) for members in candidates]


MOST_KINDS = 64
"""The readers of each kind are examined where there are no more of these."""


def _lowest(kinds: Kinds, weights: Weights, members: Flags) -> Set:
    """The highest level that is shown by a set of members; -1 if none is."""
    low, high = -1, _by_capacity(kinds, weights, members)
    if high > 1 and is_shown_by_set(kinds, weights, Set(high - 1, members)):
        low = high - 1
    step = 1
    while is_shown_by_set(kinds, weights, Set(high, members)):
        low, high, step = high, high + step, 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        if is_shown_by_set(kinds, weights, Set(middle, members)):
            low = middle
        else:
            high = middle
    return Set(low, members)


def _by_capacity(kinds: Kinds, weights: Weights, members: Flags) -> int:
    """A level near which that may be: what members have to read, for what they can take in."""
    weight = int(weights.of_partition[confined(kinds, weights, Set(HIGHEST, members))].sum())
    if members.any():
        return max(1, -(-weight * weights.parts // int(weights.capacity[members].sum())))
    heaviest = int(weights.of_partition[kinds.kind_of >= 0].max(initial=0))
    return max(1, -(-heaviest * weights.parts // int(weights.capacity.max(initial=1))))
