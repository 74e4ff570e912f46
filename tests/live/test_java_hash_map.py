"""Java's own HashSet iterates as ours, crowded buckets and their trees included."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
import pytest
from pyspark.sql import SparkSession

from optimizer.strategies.kafka.hash_map import hash_order
from optimizer.strategies.kafka.java import string_hashes, utf16

SETS = 300


@pytest.mark.parametrize("kind", ["numbers", "texts"])
def test_sets_that_grew_one_by_one(spark: SparkSession, kind: str) -> None:
    """SEED=… draws the same sets again."""
    seed = os.environ.get("SEED", str(time.time_ns()))
    draw = Random(f"{seed}-{kind}")
    for number in range(SETS):
        keys = numbers(draw) if kind == "numbers" else texts(draw)
        assert iterated(keys) == in_java(spark, keys), f"SEED={seed}: set {number}: {keys}"


def numbers(draw: Random) -> list[int]:
    """Up to 300 partitions, most of which share few buckets; some differ in high bits only."""
    step = draw.choice((1, 7, 16, 64, 256, 1 << 16, 1 << 20))
    drawn = {draw.randrange(400) * step + draw.choice((0, 0, 0, 1)) for _ in range(300)}
    return draw.sample(sorted(drawn), draw.randint(1, len(drawn) // 2))


def texts(draw: Random) -> list[str]:
    """Up to 300 names, many of one hash code, which the tree compares by UTF-16 units."""
    blocks = draw.randint(1, 7)
    ends = ["", "\uff5e", "\U0001f600", *map(str, range(draw.choice((1, 30))))]
    drawn = {
        "".join(draw.choice(("Aa", "BB")) for _ in range(blocks)) + draw.choice(ends)
        for _ in range(300)
    }
    return draw.sample(sorted(drawn), draw.randint(1, len(drawn)))


def iterated(keys: Sequence[Any]) -> list[Any]:
    hashes = string_hashes(keys) if isinstance(keys[0], str) else np.array(keys)
    return [keys[at] for at in hash_order(hashes, lambda at: by_java(keys[at]))]


def by_java(key: int | str) -> int | bytes:
    return utf16(key) if isinstance(key, str) else key


def in_java(spark: SparkSession, keys: Sequence[Any]) -> list[Any]:
    """Jackson reads a JSON array into a HashSet one by one, and writes it as that iterates."""
    jvm: Any = spark._jvm
    jackson = jvm.com.fasterxml.jackson.databind.ObjectMapper()
    hash_set = jvm.java.lang.Class.forName("java.util.HashSet")
    put = jackson.readValue(json.dumps(keys), hash_set)
    return json.loads(jackson.writeValueAsString(put))
