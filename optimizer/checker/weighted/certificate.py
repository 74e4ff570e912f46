"""The second form of a certificate: why no plan by weight is as low as a level.

As bytes: the number of the form, 2; the level, eight bytes, little-endian; then what shows that no
plan is at that level or below it. Either 0 and a bit for each member, lowest bit first: a set of
members who alone take in more than they can. Or 1, the width of a price, 1 or 2 bytes, and the
price of each partition: all of them together are more than what all members can have. Or 2 and
nothing more: the check itself looks for a plan that low, in a group that is small.
"""

from typing import NamedTuple

import numpy as np

from optimizer.checker.certificate import MalformedCertificateError
from optimizer.model import Flags, IntArray

FORM = 2
SET, PRICES, SEARCH = 0, 1, 2
HEAD = 10

HIGHEST = 2**52
"""No level of a group is beyond it (`optimizer.model.weights`)."""


class Set(NamedTuple):
    """Nothing is at `level` or below, since `members` would have more than they take in."""

    level: int
    members: Flags


class Prices(NamedTuple):
    """Nothing is at `level` or below, since all prices are more than what members could have."""

    level: int
    prices: IntArray


class Search(NamedTuple):
    """Nothing is at `level` or below: a search through all assignments finds none."""

    level: int


def encode_set(shown: Set) -> bytes:
    """A certificate by a set of members; no bytes for one that shows nothing, at level -1."""
    if shown.level < 0:
        return b""
    return _head(shown.level, SET) + np.packbits(shown.members, bitorder="little").tobytes()


def encode_prices(shown: Prices) -> bytes:
    """A certificate by prices, whole numbers from 0 to 65,535."""
    width = 1 if shown.prices.max(initial=0) < 256 else 2
    return _head(shown.level, PRICES) + bytes([width]) + shown.prices.astype(f"<u{width}").tobytes()


def encode_search(shown: Search) -> bytes:
    """A certificate that a search shows."""
    return _head(shown.level, SEARCH)


def _head(level: int, kind: int) -> bytes:
    return bytes([FORM]) + level.to_bytes(8, "little") + bytes([kind])


def decode(certificate: bytes, members: int, partitions: int) -> Set | Prices | Search:
    """What a certificate shows. Raises `MalformedCertificateError`."""
    if certificate[:1] != bytes([FORM]) or len(certificate) < HEAD:
        form = certificate[0] if certificate else "none"
        raise MalformedCertificateError(f"its form is {form}, and that of a plan by weight {FORM}")
    level, kind, rest = int.from_bytes(certificate[1:9], "little"), certificate[9], certificate[10:]
    if level > HIGHEST:
        raise MalformedCertificateError(f"its level is beyond {HIGHEST}")
    if kind == SET:
        return Set(level, _members(rest, members))
    if kind == PRICES:
        return Prices(level, _prices(rest, partitions))
    if kind == SEARCH and not rest:
        return Search(level)
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
