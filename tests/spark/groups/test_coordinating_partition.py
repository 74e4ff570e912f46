"""Which partition of __consumer_offsets stands for a group: Java's own arithmetic."""

from __future__ import annotations

import random

from optimizer.strategies.kafka import java
from spark.groups.seats import coordinating_partition

MIN_VALUE = "polygenelubricants"
"""Its hash is Integer.MIN_VALUE, which has no absolute value; Kafka takes 0 instead."""

KNOWN = {"": 0, "a": 97, "hello": 99162322, "Aa": 2112, "BB": 2112, MIN_VALUE: -(2**31)}
"""What Java says, as signed numbers."""

HOSTILE = (
    *("\U0001f600", "a\U0010ffffb", "\U00010000\U00010000", "\ud7ff\ue000", "\uffff", "\x00\x01"),
    *("\n", "a b", "  ", "'\\\"$1|=", "grüppe-été", "\u202egroup", "日本語" * 100, "x" * 249),
)


def names() -> list[str]:
    draw = random.Random(5)
    letters = "abcXYZ019._-é\u4e2d\U0001f43f"
    drawn = ["".join(draw.choices(letters, k=draw.randrange(1, 40))) for _ in range(300)]
    return sorted({*KNOWN, *HOSTILE, *drawn, "test-group"})


def _coordinator(name: str, partitions: int) -> int:
    """org.apache.kafka.common.utils.Utils.abs(name.hashCode()) % partitions."""
    unsigned = java.string_hash(name)
    signed = unsigned - 2**32 if unsigned >= 2**31 else unsigned
    return (0 if signed == -(2**31) else abs(signed)) % partitions


def test_the_offsets_of_test_group_are_in_partition_12() -> None:
    """The example that books and articles print, of the 50 partitions that are the default."""
    assert coordinating_partition("test-group", 50) == 12 == _coordinator("test-group", 50)


def test_as_java_does() -> None:
    """Beyond 16 bits, of negative hashes, and of the one that has no absolute value."""
    hashes = {name: java.string_hash(name) for name in names()}
    assert {name: hashes[name] for name in KNOWN} == {n: h % 2**32 for n, h in KNOWN.items()}
    assert any(hashed > 2**31 for hashed in hashes.values())
    for partitions in (7, 50):
        result = {name: coordinating_partition(name, partitions) for name in hashes}
        assert result == {name: _coordinator(name, partitions) for name in hashes}
