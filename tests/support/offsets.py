"""Histories of offsets made by hand, and as random ones."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession

from spark import FleetHistory
from spark.fleet.local_store import SCHEMAS
from spark.history import Timeline
from tests.support.fleets import nullable

START = datetime(2026, 11, 21, tzinfo=UTC)

Row = dict[str, Any]


def snapshot_at(hours: float) -> str:
    """The id of a snapshot so many hours after `START`."""
    return (START + timedelta(hours=hours)).strftime("%Y%m%dT%H%M%SZ")


def seconds_at(snapshot: str) -> float:
    return datetime.strptime(snapshot, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC).timestamp()


class Offsets:
    """Offsets, owners and members by instants; each call gives it back."""

    def __init__(self) -> None:
        self.rows: dict[str, list[Row]] = {
            name: [] for name in ("offsets", "assignments", "members")
        }
        self.instants: dict[str, set[str]] = {}

    def at(
        self,
        hours: float,
        partition: int,
        committed: int | None = None,
        end: int | None = None,
        lag: int | None = None,
        owner: str | None = None,
        topic: str = "t",
        group: str = "g",
        cluster: str = "c",
    ) -> Offsets:
        """What is known of a partition of a group at an instant."""
        snapshot = self.look(hours, cluster)
        group_at = {"snapshot": snapshot, "cluster": cluster, "group": group}
        key = group_at | {"topic": topic, "partition": partition}
        settings = {"committed_offset": committed, "end_offset": end, "lag": lag}
        self.rows["offsets"].append(key | settings)
        if owner:
            self.rows["assignments"].append(key | {"member_id": owner})
            member = group_at | {"member_id": owner}
            if member not in self.rows["members"]:
                self.rows["members"].append(member)
        return self

    def look(self, hours: float, cluster: str = "c") -> str:
        """A snapshot of a cluster."""
        snapshot = snapshot_at(hours)
        self.instants.setdefault(cluster, set()).add(snapshot)
        return snapshot

    def history(self, spark: SparkSession) -> FleetHistory:
        timeline = Timeline({cluster: sorted(ids) for cluster, ids in self.instants.items()})
        return FleetHistory(tables_of(spark, self.rows), timeline)


def tables_of(spark: SparkSession, rows: Mapping[str, Sequence[Row]]) -> Any:
    """Tables with a column `snapshot`, as those of a history."""
    return {
        name: spark.createDataFrame(
            pa.Table.from_pylist(
                list(row), nullable(SCHEMAS[name]).append(pa.field("snapshot", pa.string()))
            )
        )
        for name, row in rows.items()
    }


def random_offsets(seed: int) -> Offsets:
    """Two clusters of different instants, with gaps, resets, topics made anew, owners who change.

    Cluster `late` ends five hours before the other, and was looked at irregularly.
    """
    dice = random.Random(seed)
    offsets = Offsets()
    instants = {
        "even": [float(hour) for hour in range(30)],
        "late": sorted(dice.sample([quarter / 4 for quarter in range(100)], 23)),
    }
    for cluster, hours in instants.items():
        for topic in ("idle", "orders", "ünï"):
            for partition in range(3):
                _partition(offsets, dice, cluster, hours, topic, partition)
    return offsets


def _partition(
    found: Offsets,
    dice: random.Random,
    cluster: str,
    hours: Sequence[float],
    topic: str,
    partition: int,
) -> None:
    """One partition, read by up to three groups."""
    groups = dice.sample(("a", "b", "c"), dice.randint(1, 3))
    committed = dict.fromkeys(groups, 0)
    owner = dict.fromkeys(groups, "m0")
    end = dice.randrange(1000)
    for hour in hours:
        end += 0 if topic == "idle" else dice.choice((0, dice.randrange(100_000)))
        if dice.random() < 0.04:  # made anew
            end = dice.randrange(50)
        there = dice.random() > 0.1
        found.look(hour, cluster)
        for group in groups:
            committed[group] = min(end, committed[group] + dice.randrange(60_000))
            if dice.random() < 0.03:  # reset
                committed[group] = dice.randrange(committed[group] + 1)
            if dice.random() < 0.15:
                owner[group] = dice.choice(("m0", "m1", "m2"))
            if not there or dice.random() < 0.1:
                continue
            seen = end - dice.randrange(3) if end > 3 else end
            lag = None if dice.random() < 0.3 else max(0, seen - committed[group])
            found.at(
                hour,
                partition,
                dice.choice((None, -1)) if dice.random() < 0.05 else committed[group],
                None if dice.random() < 0.05 else seen,
                lag,
                None if dice.random() < 0.1 else owner[group],
                topic,
                group,
                cluster,
            )
