"""The form of a certificate: what proves that a plan can't be better.

For each level of the goals, balance first, it has a whole number for each member, in the order of
`Problem.member_ids`. With them `optimizer.checker.check` shows in one pass over who reads what that
no change of the plan improves it: they are potentials of the plan's residual network (see
`optimizer.checker.residual_network`). The potential of a kind of partitions follows from those of
its readers, so nothing but members has to be numbered; where topics are to be spread and racks tell
partitions of one topic apart, numbers for each topic and reader follow, by topic and then member.

For the balance, a member's potential is minus a load: the one that a partition more or less takes
it from or to at no cost, its own or one below. Its number is how much lower that load is than where
it starts: at the lowest load of all who may read a partition if theirs are within one of each other
(though not above its own), at its own load otherwise. For the other levels the number is the
potential itself.

As bytes: none at all if every number is 0, which is what most plans need: those without moves, and
those of groups whose members all read the same, where the closed form is its own proof. Otherwise
the number of this form, 1, and then for each level a byte that tells how wide a number is and the
numbers, little-endian and signed: 0 (all are 0; nothing follows), 1, 2, 4 or 8 bytes, or 16 (all
are 0 or 1: one bit each, lowest bit first).

The certificate of a plan whose moves are limited (`optimizer.checker.budget`) is of form 3: it has
the members' prices before the rest, written like the numbers of a level. There moves come before
balance.
"""

from collections.abc import Sequence

import numpy as np

from optimizer.model import IntArray

FORM = 1
FORM_WITH_PRICES = 3
BIT = 16
WIDTHS = (1, 2, 4, 8)

MAX_NUMBER = 2**60
"""A number beyond is none of a plan: sums of two have to fit 64 bits."""


class MalformedCertificateError(ValueError):
    """Bytes that are no certificate of such a group."""


def encode(levels: Sequence[IntArray]) -> bytes:
    """A certificate with the members' numbers at each level."""
    if not any(numbers.any() for numbers in levels):
        return b""
    return bytes([FORM]) + b"".join(map(_encode, levels))


def encode_with_prices(prices: IntArray, certificate: bytes) -> bytes:
    """A certificate with the prices before it that show why the largest load can't be lower."""
    return bytes([FORM_WITH_PRICES]) + _encode(prices) + certificate


def has_prices(certificate: bytes | None) -> bool:
    return certificate is not None and certificate[:1] == bytes([FORM_WITH_PRICES])


def decode_prices(certificate: bytes, members: int) -> tuple[IntArray, bytes]:
    """The prices, and the certificate after them. Raises `MalformedCertificateError`."""
    return _numbers_at(certificate, 1, members)


def _encode(numbers: IntArray) -> bytes:
    if not numbers.any():
        return bytes([0])
    low, high = min(int(numbers.min()), 0), max(int(numbers.max()), 0)
    if low == 0 and high == 1:
        return bytes([BIT]) + np.packbits(numbers == 1, bitorder="little").tobytes()
    width = next(w for w in WIDTHS if -(2 ** (8 * w - 1)) <= low and high < 2 ** (8 * w - 1))
    return bytes([width]) + numbers.astype(f"<i{width}").tobytes()


def decode(certificate: bytes, members: int, levels: int) -> list[IntArray]:
    """The members' numbers at each level. Raises `MalformedCertificateError`."""
    if not certificate:
        return [np.zeros(members, np.int64)] * levels
    if certificate[0] != FORM:
        raise MalformedCertificateError(f"its form is {certificate[0]}, and only {FORM} is known")
    rest, by_level = certificate[1:], []
    for _ in range(levels):
        numbers, rest = _numbers_at(certificate, len(certificate) - len(rest), members)
        by_level.append(numbers)
    if rest:
        raise MalformedCertificateError(f"{len(rest)} bytes follow its last level")
    return by_level


def _numbers_at(certificate: bytes, at: int, members: int) -> tuple[IntArray, bytes]:
    """The members' numbers that start at a byte, and what follows them."""
    width = certificate[at] if at < len(certificate) else 0
    if at >= len(certificate) or width not in (0, *WIDTHS, BIT):
        raise MalformedCertificateError(f"bad width of numbers at byte {at}")
    end = at + 1 + (-(-members // 8) if width == BIT else members * width)
    if end > len(certificate):
        raise MalformedCertificateError(f"it ends before the numbers of {members} members do")
    return _decode(certificate[at + 1 : end], members, width), certificate[end:]


def _decode(numbers: bytes, members: int, width: int) -> IntArray:
    if width == 0:
        return np.zeros(members, np.int64)
    if width == BIT:
        packed = np.frombuffer(numbers, np.uint8)
        if np.unpackbits(packed, bitorder="little")[members:].any():
            raise MalformedCertificateError("bits of it are set beyond its last member")
        return np.unpackbits(packed, count=members, bitorder="little").astype(np.int64)
    decoded = np.frombuffer(numbers, f"<i{width}").astype(np.int64)
    if len(decoded) and max(int(decoded.max()), -int(decoded.min())) > MAX_NUMBER:
        raise MalformedCertificateError(f"a number of it is beyond {MAX_NUMBER}")
    return decoded
