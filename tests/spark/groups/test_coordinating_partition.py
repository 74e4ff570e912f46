"""Which partition of __consumer_offsets stands for a group: Java's own arithmetic."""

from __future__ import annotations

import random

from pyspark.sql import SparkSession

from optimizer.strategies.kafka import java
from spark.groups import seats
from spark.groups.coordinators import coordinating_partition, string_hash

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


def test_the_offsets_of_test_group_are_in_partition_12(spark: SparkSession) -> None:
    """The example that books and articles print, of the 50 partitions that are the default."""
    (row,) = spark.range(1).selectExpr(coordinating_partition("'test-group'", "50")).collect()
    assert row[0] == 12 == _coordinator("test-group", 50)


def test_as_java_does(spark: SparkSession) -> None:
    """Beyond 16 bits, of negative hashes, and of the one that has no absolute value."""
    hashes = {name: java.string_hash(name) for name in names()}
    assert {name: hashes[name] for name in KNOWN} == {n: h % 2**32 for n, h in KNOWN.items()}
    assert any(hashed > 2**31 for hashed in hashes.values())
    assert _coordinator("test-group", 50) == 12  # a worked example
    rows = (
        spark.createDataFrame([(name,) for name in hashes], "name string")
        .selectExpr(
            "name",
            f"{string_hash('name')} as hashed",
            f"{coordinating_partition('name', '50')} as of_fifty",
            f"{coordinating_partition('name', '7')} as of_seven",
        )
        .collect()
    )
    assert {row["name"]: row["hashed"] for row in rows} == hashes
    assert {name: seats.string_hash(name) for name in hashes} == hashes
    assert all(seats.coordinating_partition(item, 7) == _coordinator(item, 7) for item in hashes)
    assert {row["name"]: (row["of_fifty"], row["of_seven"]) for row in rows} == {
        name: (_coordinator(name, 50), _coordinator(name, 7)) for name in hashes
    }
