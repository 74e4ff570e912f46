"""Fleets for findings about where replicas and leaders are, by finding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.spark.audit.findings.place import Build, Cases, TableStore, Told


def on(*replicas: Sequence[int], brokers: int = 0, **facts: Sequence[Any]) -> Build:
    """A topic of partitions with these replicas, led by the first; brokers from 1 on are listed."""

    def build(place: TableStore) -> None:
        for broker in range(1, brokers + 1):
            place.fleets.now.add("brokers", cluster=place.cluster, broker=broker)
        led = {"leader": [row[0] for row in replicas]}
        place.topic("t", len(replicas), replicas=replicas, **(led | facts))

    return build


def configured(*configs: tuple[str, str, str, str], isr: Sequence[Sequence[int]] = ()) -> Build:
    """A topic of two partitions on three brokers, with these settings: scope, name, key, value."""

    def build(place: TableStore) -> None:
        on([1, 2, 3], [2, 3, 1], isr=isr or [[1, 2, 3], [2, 3, 1]])(place)
        for scope, name, key, value in configs:
            row = {"scope": scope, "name": name, "key": key, "value": value}
            place.fleets.now.add("configs", cluster=place.cluster, **row)

    return build


def brokers(key: str, *values: str) -> list[tuple[str, str, str, str]]:
    return [("broker", str(at), key, value) for at, value in enumerate(values, 1)]


UNCLEAN = "unclean.leader.election.enable"
FACTOR = "default.replication.factor"

CASES = {
    "unclean-election": Cases(
        Told(
            *("warning", "topic t", 2, 1),
            "A replica out of sync may lead topic t of cluster {cluster} when all others fail: "
            "records that it hasn't copied are lost. 1 of 2 partitions has such replicas now; 1 "
            "loses records if one more broker fails.",
            group=None,
        ),
        fires=configured(("topic", "t", UNCLEAN, "true"), isr=[[1], [2, 3, 1]]),
        nearly=configured(("topic", "t", UNCLEAN, "false"), isr=[[1], [2, 3, 1]]),
        never=configured(("topic", "gone", UNCLEAN, "true")),
    ),
    "broker-settings": Cases(
        Told(
            *("info", f"setting {FACTOR}", 1, 1),
            "Setting default.replication.factor of cluster {cluster}'s brokers: it is 1: a new "
            "topic is gone with its broker.",
            group=None,
        ),
        fires=configured(*brokers(FACTOR, "1", "1", "1")),
        nearly=configured(*brokers(FACTOR, "2", "2", "2")),
        never=configured(*brokers(FACTOR, "1")),
    ),
    "replicas-at-minimum": Cases(
        Told(
            *("warning", "topic t", 1, 1),
            "1 partition of topic t in cluster {cluster} has no more replicas than have to be in "
            "sync: 2, with min.insync.replicas 2.",
            group=None,
        ),
        fires=on([1, 2], [1, 2, 3], min_insync_replicas=[2, 2]),
        nearly=on([1, 2, 3], [2, 3, 1], min_insync_replicas=[2, 2]),
        # that is single-replica's to tell
        never=on([1], [2], min_insync_replicas=[1, 1]),
    ),
    "single-replica": Cases(
        Told(
            *("info", "topic t", 2, 1),
            "2 of 3 partitions of topic t in cluster {cluster} have one replica only.",
            group=None,
        ),
        fires=on([1], [1, 2], [2]),
        nearly=on([1, 2], [2, 1], [2, 1]),
        # there is no other broker
        never=on([1], [1]),
    ),
    "replica-skew": Cases(
        Told(
            *("warning", "broker 1", 1.5, 1.5),
            "Broker 1 of cluster {cluster} has 30 replicas; the mean of 2 brokers of rack "
            "east is 20.0.",
            group=None,
        ),
        # broker 3 is its rack's only one, and has to have a replica of each partition
        fires=on(*[[1, 3]] * 30, *[[2, 3]] * 10, replica_racks=[["east", "west"]] * 40),
        # 9 and a half more than the mean
        nearly=on(*[[1]] * 29, *[[2]] * 10),
        never=on(*[[1]] * 30),
    ),
    "leader-skew": Cases(
        Told(
            *("warning", "broker 1", 2.0, 2.0),
            "Broker 1 of cluster {cluster} has 20 leaders; the mean of 2 brokers is 10.0.",
            group=None,
        ),
        fires=on(*[[1, 2]] * 20),
        nearly=on(*[[1, 2]] * 19),
        never=on(*[[1, 2], [2, 1]] * 20),
    ),
    "empty-broker": Cases(
        Told(
            *("info", "broker 3", 4 / 3, 1),
            "Broker 3 of cluster {cluster} has no replica, and 2 others have 4.",
            group=None,
        ),
        fires=on([1, 2], [2, 1], brokers=3),
        # its share is less than one
        nearly=on([1, 2], brokers=3),
        never=on([1, 2], [2, 1], brokers=2),
    ),
    "offline-if-broker-fails": Cases(
        Told(
            *("warning", "broker 2", 1, 1),
            "Broker 2 of cluster {cluster} alone is in sync with 1 partition of several replicas, "
            "such as t-1.",
            group=None,
        ),
        fires=on([1, 2], [1, 2], isr=[[1, 2], [2]]),
        nearly=on([1, 2], [1, 2], isr=[[1, 2], [2, 1]]),
        never=on([1], [2], isr=[[1], [2]]),
    ),
    "offline-if-rack-fails": Cases(
        Told(
            *("info", "rack east", 1, 1),
            "Rack east of cluster {cluster} has all replicas of 1 partition, such as t-0.",
            group=None,
        ),
        fires=on([1, 2], [1, 3], replica_racks=[["east", "east"], ["east", "west"]]),
        nearly=on([1, 2], [1, 3], replica_racks=[["east", "west"], ["east", "west"]]),
        # there is no other rack
        never=on([1, 2], [2, 1], replica_racks=[["east", "east"], ["east", "east"]]),
    ),
    "bears-no-failure": Cases(
        Told(
            *("info", "all topics", 0, 1),
            "Cluster {cluster} bears 0 failed brokers until a partition can't be written, 1 until "
            "one can't be read, 1 until one is lost; failed racks: 0, 0 and 0. 1 of 1 topic bears "
            "none, such as t.",
            group=None,
        ),
        fires=on(
            *([1, 2], [1, 2, 3]),
            min_insync_replicas=[2, 2],
            replica_racks=[["a", "a"], ["a", "a", "b"]],
        ),
        nearly=on([1, 2, 3], [2, 3, 1], min_insync_replicas=[2, 2]),
        # there is no other broker
        never=on([1], [1]),
    ),
    "reassignment-stuck": Cases(
        Told(
            *("warning", "topic t", 1, 1),
            "1 partition of topic t in cluster {cluster} waits to be reassigned without a leader "
            "to copy from (t-1).",
            group=None,
        ),
        fires=on([1], [2], leader=[1, None], adding_replicas=[None, [3]]),
        # under way, and led
        nearly=on(
            *([1], [2]),
            leader=[1, 2],
            adding_replicas=[None, [3]],
            removing_replicas=[None, [2]],
        ),
        never=on([1], [2], leader=[1, None], adding_replicas=[None, None]),
    ),
}
