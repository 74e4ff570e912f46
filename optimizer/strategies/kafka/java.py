"""Java's hashes and orders: they decide the ties in Kafka's assignors.

`String.hashCode` and `compareTo`, and `org.apache.kafka.common.Uuid`.
"""

import base64
import binascii
import hashlib
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from optimizer.model import IntArray

_WORD = 0xFFFF_FFFF
_LONG = 0xFFFF_FFFF_FFFF_FFFF
_POWERS_OF_31 = np.array([pow(31, n, 1 << 32) for n in range(512)], np.uint32)[::-1]


@lru_cache(10_000)
def string_hash(text: str) -> int:
    """String.hashCode as an unsigned 32-bit number: s[0]·31^(n-1) + … over UTF-16 code units."""
    units = np.frombuffer(text.encode("utf-16-le", "surrogatepass"), "<u2")
    if len(units) <= len(_POWERS_OF_31):
        return int(units.dot(_POWERS_OF_31[len(_POWERS_OF_31) - len(units) :]))
    value = 0
    for unit in units.tolist():
        value = (31 * value + unit) & _WORD
    return value


def string_hashes(texts: Sequence[str]) -> IntArray:
    return np.array([string_hash(text) for text in texts], np.int64)


def partition_hash(topic_hash: int, partition: int) -> int:
    """TopicPartition.hashCode, unsigned."""
    return (31 * (31 + partition) + topic_hash) & _WORD


def utf16(text: str) -> bytes:
    """Bytes that sort as String.compareTo does: by UTF-16 code units."""
    return text.encode("utf-16-be", "surrogatepass")


def string_ranks(sorted_texts: Sequence[str]) -> IntArray:
    """Rank by String.compareTo of strings that Python sorted (they differ past U+FFFF only)."""
    ranks = np.arange(len(sorted_texts))
    if not "".join(sorted_texts).isascii():
        order = sorted(range(len(sorted_texts)), key=lambda index: utf16(sorted_texts[index]))
        ranks[order] = np.arange(len(order))
    return ranks


class Uuid(NamedTuple):
    """Two signed 64-bit halves: compares as Kafka's Uuid does."""

    most: int
    least: int

    def hash_code(self) -> int:
        """Uuid.hashCode, unsigned."""
        mixed = (self.most ^ self.least) & _LONG
        return (mixed >> 32) ^ (mixed & _WORD)


def parse_uuid(text: str) -> Uuid:
    """Read 32 hex digits (dashes allowed) or Kafka's 22 characters of URL-safe base64.

    Raises ValueError for anything else.
    """
    try:
        if len(text) == 22:
            return _uuid(base64.b64decode(text + "==", altchars=b"-_", validate=True))
        return _uuid(bytes.fromhex(text.replace("-", "")))
    except (binascii.Error, ValueError) as error:
        raise ValueError(
            f"topic id {text!r} is neither 32 hex digits nor Kafka's 22 characters"
        ) from error


def derived_uuid(name: str) -> Uuid:
    """The id of a topic whose id isn't known: the same for a name every time."""
    return _uuid(hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).digest())


def _uuid(octets: bytes) -> Uuid:
    if len(octets) != 16:
        raise ValueError(f"{len(octets)} bytes instead of 16")
    return Uuid(
        int.from_bytes(octets[:8], "big", signed=True),
        int.from_bytes(octets[8:], "big", signed=True),
    )
