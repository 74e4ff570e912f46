"""The second form of a certificate: why no plan by weight is as low as a level; and its check.

As bytes: the number of the form, 2; the level, eight bytes, little-endian; then what shows that no
plan is at that level or below it. Either 0 and a bit for each member, lowest bit first: a set of
members who alone take in more than they can. Or 1, the width of a price, 1 or 2 bytes, and the
price of each partition: all of them together are more than what all members can have. Or 2 and
nothing more: the check itself looks for a plan that low, in a group that is small.
"""

from typing import NamedTuple

import numpy as np

from optimizer.checker.certificate import MalformedCertificateError
from optimizer.checker.kinds import Kinds
from optimizer.model import Flags, IntArray, Weights

FORM = 2
SET, PRICES, SEARCH = 0, 1, 2
HEAD = 10

HIGHEST = 2**52
"""No level of a group is beyond it (`optimizer.model.weights`)."""


class Set(NamedTuple):
    """Nothing is at `level` or below, since `members` would have more than they take in."""

    level: int
    members: Flags


class PriceProof(NamedTuple):
    """Nothing is at `level` or below, since all prices are more than what members could have."""

    level: int
    prices: IntArray


class SearchProof(NamedTuple):
    """Nothing is at `level` or below: a search through all assignments finds none."""

    level: int


def encode_set(shown: Set) -> bytes:
    """A certificate by a set of members; no bytes for one that shows nothing, at level -1."""
    if shown.level < 0:
        return b""
    return _head(shown.level, SET) + np.packbits(shown.members, bitorder="little").tobytes()


def encode_prices(shown: PriceProof) -> bytes:
    """A certificate by prices, whole numbers from 0 to 65,535."""
    width = 1 if shown.prices.max(initial=0) < 256 else 2
    return _head(shown.level, PRICES) + bytes([width]) + shown.prices.astype(f"<u{width}").tobytes()


def encode_search(shown: SearchProof) -> bytes:
    """A certificate that a search shows."""
    return _head(shown.level, SEARCH)


def _head(level: int, kind: int) -> bytes:
    return bytes([FORM]) + level.to_bytes(8, "little") + bytes([kind])


def decode(certificate: bytes, members: int, partitions: int) -> Set | PriceProof | SearchProof:
    """The claim of a certificate. Raises `MalformedCertificateError`."""
    if certificate[:1] != bytes([FORM]) or len(certificate) < HEAD:
        form = certificate[0] if certificate else "none"
        raise MalformedCertificateError(f"its form is {form}, and that of a plan by weight {FORM}")
    level, kind, rest = int.from_bytes(certificate[1:9], "little"), certificate[9], certificate[10:]
    if level > HIGHEST:
        raise MalformedCertificateError(f"its level is beyond {HIGHEST}")
    if kind == SET:
        return Set(level, _members(rest, members))
    if kind == PRICES:
        return PriceProof(level, _prices(rest, partitions))
    if kind == SEARCH and not rest:
        return SearchProof(level)
    kinds = f"{SET}, {PRICES} and {SEARCH}"
    raise MalformedCertificateError(f"byte {HEAD - 1} of it is none of {kinds}, or bytes follow")


def _members(bits: bytes, members: int) -> Flags:
    if len(bits) != -(-members // 8):
        raise MalformedCertificateError(f"{len(bits)} bytes of it are no bits of {members} members")
    packed = np.unpackbits(np.frombuffer(bits, np.uint8), bitorder="little")
    if packed[members:].any():
        raise MalformedCertificateError("bits of it are set beyond its last member")
    return packed[:members].astype(np.bool_)


def _prices(rest: bytes, partitions: int) -> IntArray:
    width = rest[0] if rest else 0
    if width not in (1, 2):
        raise MalformedCertificateError(f"bad width of prices at byte {HEAD}")
    if len(rest) != 1 + partitions * width:
        raise MalformedCertificateError(
            f"{len(rest) - 1} bytes of it are no prices of {partitions} partitions"
        )
    return np.frombuffer(rest[1:], f"<u{width}").astype(np.int64)


WORK = 1 << 31
"""Prices whose tables would have more entries, over all members' kinds, aren't examined."""


def is_shown_by_set(kinds: Kinds, weights: Weights, shown: Set) -> bool:
    """Whether members would have more than they take in at the level.

    A partition is confined to them if every other reader takes in less than it weighs.
    """
    weight = weights.of_partition[confined_to(kinds, weights, shown)]
    return int(weight.sum()) > int(weights.limits(shown.level)[shown.members].sum())


def confined_to(kinds: Kinds, weights: Weights, shown: Set) -> IntArray:
    """The partitions that only those members can take in at the level."""
    limits = weights.limits(shown.level)
    outside = np.where(shown.members, -1, limits)[kinds.member]
    most = np.full(kinds.kind_count, -1)
    if len(outside):
        np.maximum.at(most, np.arange(kinds.kind_count).repeat(np.diff(kinds.offsets)), outside)
    read = kinds.kind_of >= 0
    beyond = np.zeros(len(read), np.bool_)
    beyond[read] = weights.of_partition[read] > most[kinds.kind_of[read]]
    partitions: IntArray = beyond.nonzero()[0]
    return partitions


def is_shown_by_prices(kinds: Kinds, weights: Weights, shown: PriceProof) -> bool:
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


def is_shown_by_search(kinds: Kinds, weights: Weights, shown: SearchProof) -> bool:
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
    """Kinds of partitions that a member reads, as a mask."""
    reads = np.zeros(kinds.kind_count, np.bool_)
    reads[kinds.keys[kinds.member == member] // max(kinds.member_count, 1)] = True
    return reads


def _dearest(prices: IntArray, weights: IntArray, limit: int) -> int:
    """The most that partitions cost which together weigh no more than a limit."""
    least = np.zeros(1, np.int64)
    for price, weight in zip(prices.tolist(), weights.tolist(), strict=True):
        if weight > limit:
            continue
        grown = np.concatenate((least, np.full(price, limit + 1)))
        np.minimum(grown[price:], least + weight, out=grown[price:])
        least = grown[: int((grown <= limit).nonzero()[0][-1]) + 1]
    return len(least) - 1


def simple_sets(kinds: Kinds, weights: Weights) -> list[Set]:
    """Sets that show a bound without a certificate: nobody, everybody, and readers of a kind."""
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
    weight = int(weights.of_partition[confined_to(kinds, weights, Set(HIGHEST, members))].sum())
    if members.any():
        return max(1, -(-weight * weights.parts // int(weights.capacity[members].sum())))
    heaviest = int(weights.of_partition[kinds.kind_of >= 0].max(initial=0))
    return max(1, -(-heaviest * weights.parts // int(weights.capacity.max(initial=1))))
