"""How many failures a topic bears, against every choice of brokers or racks that could fail."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import combinations
from typing import NamedTuple

from pyspark.sql import SparkSession

from spark.audit.failures import BEARS, failures_of


class Made(NamedTuple):
    """A partition that makes up a topic of its own."""

    cluster: str
    topic: str
    replicas: list[int]
    isr: list[int]
    min_insync_replicas: int
    replica_racks: list[str]


def made(number: int, chance: random.Random) -> Made:
    rack_of = {broker: chance.choice("abc") for broker in range(7)}
    replicas = chance.sample(range(7), chance.randint(1, 5))
    isr = [broker for broker in replicas if chance.random() < 0.8]
    racks = [rack_of[broker] for broker in replicas]
    return Made("c", f"t{number:03}", replicas, isr, chance.randint(1, 3), racks)


def most(parts: list[set[int]], holds: Callable[[set[int]], bool]) -> int:
    """How many of these sets of brokers may fail, whichever they are, while it holds; -1: none."""
    for count in range(len(parts) + 1):
        failed = (set().union(*chosen) for chosen in combinations(parts, count))
        if not all(holds(brokers) for brokers in failed):
            return count - 1
    return len(parts)


def by_force(of: Made) -> list[int]:
    holds = (
        lambda failed: len(set(of.isr) - failed) >= of.min_insync_replicas,
        lambda failed: len(set(of.isr) - failed) >= 1,
        lambda failed: len(set(of.replicas) - failed) >= 1,
    )
    brokers = [{broker} for broker in of.replicas]
    pairs = list(zip(of.replicas, of.replica_racks, strict=True))
    racks = [{b for b, r in pairs if r == rack} for rack in sorted(set(of.replica_racks))]
    return [most(parts, one) for parts in (brokers, racks) for one in holds]


def test_each_number_is_that_of_every_choice(spark: SparkSession) -> None:
    chance = random.Random(7)
    topics = [made(number, chance) for number in range(300)]
    frame = spark.createDataFrame(
        topics,
        "cluster string, topic string, replicas array<int>, isr array<int>, "
        "min_insync_replicas int, replica_racks array<string>",
    )
    rows = {row["topic"]: [row[name] for name in BEARS] for row in failures_of(frame).collect()}
    assert rows == {topic.topic: by_force(topic) for topic in topics}


def test_without_isr_minimum_and_racks(spark: SparkSession) -> None:
    frame = spark.createDataFrame(
        [("c", "t", 0, [1, 2, 3]), ("c", "t", 1, [1, 2])],
        "cluster string, topic string, partition int, replicas array<int>",
    )
    (row,) = failures_of(frame).collect()
    assert row["partitions"] == 2
    assert [row[name] for name in BEARS] == [1, 1, 1, None, None, None]
