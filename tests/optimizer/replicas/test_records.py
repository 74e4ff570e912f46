"""Clusters with known answers, and records that were changed on purpose."""

import gzip
import json
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from random import Random
from typing import Any

import pytest

from optimizer.replicas import plan_replicas
from tests.optimizer.replicas.records import GOALS, cluster_of, differences
from tests.paths import DATA
from tests.support.tiers import tiered

Record = dict[str, Any]


@cache
def records() -> list[Record]:
    with gzip.open(DATA / "brokers" / "small_clusters.jsonl.gz", "rt") as lines:
        return [json.loads(line) for line in lines]


@pytest.mark.parametrize("block", tiered(range(20), 3))
def test_every_record_is_met(block: int) -> None:
    """A plan's own goals are enough: `differences` makes those of the others by itself."""
    for at in range(block, len(records()), 20):
        record, goals = records()[at], [*GOALS.values()][at % len(GOALS)]
        assert differences(record, plan_replicas(cluster_of(record), goals)) == []


CHANGES: dict[str, Callable[[Record, Record], Any]] = {
    "other replicas": lambda r, one: one.update(replicas=[*one["replicas"][1:], 99]),
    "another factor": lambda r, one: one.update(target_rf=one["target_rf"] + 1),
    "another name": lambda r, one: one.update(topic="another"),
    "a partition less": lambda r, one: r["partitions"].remove(one),
}
"""What is changed in a record, or in a partition of it."""


@pytest.mark.parametrize("at", tiered(range(0, 400, 5), 6))
def test_every_change_is_told(at: int) -> None:
    draw, record = Random(at), records()[at]
    plan = plan_replicas(cluster_of(record))
    for name in GOALS:
        changed = deepcopy(record)
        if changed[name]:
            changed[name][draw.choice(list(changed[name]))] += draw.choice((-1, 1))
            assert differences(changed, plan), name
    for name, change in CHANGES.items():
        changed = deepcopy(record)
        change(changed, draw.choice(changed["partitions"]))
        assert differences(changed, plan), name
    changed = deepcopy(record)
    leader = next(iter(plan.replicas.values()))[0]
    next(item for item in changed["brokers"] if item["id"] == leader)["usable"] = False
    assert differences(changed, plan)


def test_a_record_of_no_cluster_is_told() -> None:
    record = deepcopy(records()[0])
    plan = plan_replicas(cluster_of(record))
    record["brokers"].append(record["brokers"][0])
    assert "is of no cluster" in differences(record, plan)[0]
