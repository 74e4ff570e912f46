"""Clusters with known answers, and records that were changed on purpose."""

from __future__ import annotations

import gzip
import json
from copy import deepcopy
from functools import cache
from random import Random
from typing import Any

import pytest

from optimizer.replicas import plan_replicas
from tests.optimizer.replicas.records import GOALS, cluster_of, differences
from tests.paths import DATA


@cache
def records() -> list[dict[str, Any]]:
    with gzip.open(DATA / "brokers" / "small_clusters.jsonl.gz", "rt") as lines:
        return [json.loads(line) for line in lines]


@pytest.mark.parametrize("name", GOALS)
def test_every_record_is_met(name: str) -> None:
    """A plan's own goals are enough: `differences` makes those of the others by itself."""
    rows = records()[list(GOALS).index(name) :: len(GOALS)]
    assert len(rows) > 130
    for record in rows:
        assert differences(record, plan_replicas(cluster_of(record), GOALS[name])) == []


def test_every_changed_number_is_told() -> None:
    draw = Random(3)
    for record in records()[::5]:
        plan = plan_replicas(cluster_of(record))
        for name in GOALS:
            changed = deepcopy(record)
            if changed[name]:
                changed[name][draw.choice(list(changed[name]))] += draw.choice((-1, 1))
                assert differences(changed, plan), (record["id"], name)


def test_every_changed_cluster_is_told() -> None:
    """Other replicas, another factor, another name, a partition less, a broker that is gone."""
    draw = Random(4)
    for record in records()[::10]:
        plan = plan_replicas(cluster_of(record))
        changed = deepcopy(record)
        choice = draw.choice(changed["partitions"])
        choice["replicas"] = [*choice["replicas"][1:], 99]
        assert differences(changed, plan)
        changed = deepcopy(record)
        draw.choice(changed["partitions"])["target_rf"] += 1
        assert differences(changed, plan)
        changed = deepcopy(record)
        draw.choice(changed["partitions"])["topic"] = "another"
        assert differences(changed, plan)
        changed = deepcopy(record)
        changed["partitions"].pop()
        assert differences(changed, plan)
        changed = deepcopy(record)
        broker = next(iter(plan.replicas.values()))[0]
        next(item for item in changed["brokers"] if item["id"] == broker)["usable"] = False
        assert differences(changed, plan)
        changed = deepcopy(record)
        changed["brokers"].append(changed["brokers"][0])
        assert "is of no cluster" in differences(changed, plan)[0]
