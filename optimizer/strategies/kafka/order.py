"""The orders in which Kafka looks at members and partitions."""

import base64
import binascii
import hashlib
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from optimizer.model import IntArray, Problem
from optimizer.strategies.kafka.hash_map import hash_order

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


def member_info_order(problem: Problem) -> IntArray:
    """Member indexes in the order of AbstractPartitionAssignor.MemberInfo.

    Static members first, by instance id; then dynamic ones, by member id. Strings compare as
    Java's do, by UTF-16 code units.
    """
    instances = problem.kafka.instance_ids or [None] * len(problem.member_ids)
    keys = [
        (0, utf16(instance)) if instance is not None else (1, utf16(member))
        for instance, member in zip(instances, problem.member_ids, strict=True)
    ]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)


def hash_map_order(problem: Problem, put: IntArray | None = None) -> IntArray:
    """Member indexes as a HashMap of member ids iterates them that was filled in the order `put`.

    The leader (ConsumerCoordinator) and the coordinator (TargetAssignmentBuilder) put the members
    into a `new HashMap<>()` one after the other; where hashes collide, the leader's order shows.
    """
    put = problem.kafka.leader_order if put is None else put
    if put is None:
        put = np.arange(len(problem.member_ids))
    ids = [problem.member_ids[member] for member in put.tolist()]
    return put[hash_order(string_hashes(ids), lambda at: utf16(ids[at]))]


def partitions_of(problem: Problem, topics: IntArray) -> IntArray:
    """Partitions of the topics, topic after topic."""
    starts, ends = problem.topic_offsets[topics], problem.topic_offsets[topics + 1]
    counts = ends - starts
    shift: IntArray = np.repeat(starts - np.cumsum(counts) + counts, counts)
    return shift + np.arange(len(shift))
