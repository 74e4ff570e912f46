"""Fleets for findings about brokers, racks and replicas, by finding."""

from __future__ import annotations

from collections.abc import Sequence

from optimizer.strategies.kafka.java import string_hash
from tests.spark.audit.findings.cases_of_balance import TWO
from tests.spark.audit.findings.place import Build, Cases, TableStore, Told, owning


def led(*leaders: int, brokers: int = 2) -> Build:
    """A topic of partitions with these leaders; one member owns it."""

    def build(place: TableStore) -> None:
        for broker in range(1, brokers + 1):
            place.fleets.now.add("brokers", cluster=place.cluster, broker=broker)
        place.topic("t", len(leaders), leader=leaders)
        place.group({"a": ["t"]}, owning("t", a=range(len(leaders))))

    return build


def in_racks(east: Sequence[str], west: Sequence[str]) -> Build:
    """A member in each of two racks: where the leaders of what it owns are."""

    def build(place: TableStore) -> None:
        racks = [*east, *west]
        place.topic("t", len(racks), leader_rack=racks)
        claims = owning("t", a=range(len(east)), b=range(len(east), len(racks)))
        place.group(TWO, claims, racks={"a": "east", "b": "west"})

    return build


def coordinated(*groups: int) -> Build:
    """Brokers from 1 on, each leads one partition of __consumer_offsets and has so many groups.

    Each group has a member that reads 20 partitions.
    """

    def build(place: TableStore) -> None:
        brokers = len(groups)
        place.topic("__consumer_offsets", brokers, leader=range(1, brokers + 1))
        place.topic("t", 20)
        left = list(groups)
        number = 0
        while any(left):
            number += 1
            # short names: no hash is so large that Java takes it for negative
            name = f"g{number}"
            if left[string_hash(name) % brokers]:
                left[string_hash(name) % brokers] -= 1
                place.group({"a": ["t"]}, owning("t", a=range(20)), name=name)

    return build


def replicated(replicas: Sequence[int], in_sync: Sequence[int]) -> Build:
    def build(place: TableStore) -> None:
        place.topic("t", 2, replicas=[replicas] * 2, isr=[in_sync] * 2)

    return build


def led_or_not(*leaders: int | None) -> Build:
    def build(place: TableStore) -> None:
        place.topic("t", len(leaders), leader=leaders)

    return build


def preferring_broker_1(*leaders: int) -> Build:
    def build(place: TableStore) -> None:
        place.topic("t", len(leaders), leader=leaders, replicas=[[1, 2]] * len(leaders))

    return build


CASES = {
    "one-leader": Cases(
        Told(
            *("info", "member a", 4, 4),
            "All 4 partitions of member a of group g are led by broker 1.",
        ),
        fires=led(1, 1, 1, 1),
        nearly=led(1, 1, 1),
        # there is no other broker
        never=led(1, 1, 1, 1, brokers=1),
    ),
    "cross-rack-reads": Cases(
        Told(
            *("info", "group g", 0.5, 0.25),
            "5 of 8 partitions of group g are read across racks; up to 4 of them could be local "
            "without a change of loads.",
        ),
        fires=in_racks(["west", "west", "west", "east"], ["east", "east", "west", "west"]),
        # three could be local, one less than counts: no member is where one of the leaders is
        nearly=in_racks(["north", "west", "east"], ["east", "east", "west"]),
        # half is read across, as all is led in one rack
        never=in_racks(["west"] * 4, ["west"] * 4),
    ),
    "coordinator-load": Cases(
        Told(
            *("info", "broker 1", 50 / 30, 1.5),
            "Broker 1 of cluster {cluster} coordinates 50 of its 60 groups with 1000 of 1200 "
            "members × partitions; the mean of its 2 brokers is 600.0. Most has group g98 with 20: "
            "its offsets are in __consumer_offsets-0, led by broker 1, the likely "
            "coordinator.",
            group=None,
        ),
        fires=coordinated(50, 10),
        nearly=coordinated(49, 10),
        never=coordinated(50, 50),
    ),
    "under-replicated": Cases(
        Told(
            *("warning", "broker 2", 2, 1),
            "Broker 2 of cluster {cluster} is out of sync with 2 partitions, such as t-0.",
            group=None,
        ),
        fires=replicated([1, 2], [1]),
        nearly=replicated([1, 2], [2, 1]),
        never=replicated([1], [1]),
    ),
    "leaderless": Cases(
        Told(
            *("critical", "topic t", 2, 1),
            "2 of 3 partitions of topic t in cluster {cluster} have no leader (the first is "
            "t-1): clients can't read or write there.",
            group=None,
        ),
        fires=led_or_not(1, -1, None),
        # of this cluster nobody knows any leader
        nearly=led_or_not(None, None, None),
        never=led_or_not(1, 2, 3),
    ),
    "not-preferred-leader": Cases(
        Told(
            *("warning", "broker 1", 0.5, 0.5),
            "Broker 1 of cluster {cluster} doesn't lead 5 (50 %) of the 10 partitions of which it "
            "is the preferred leader.",
            group=None,
        ),
        fires=preferring_broker_1(*[1] * 5, *[2] * 5),
        nearly=preferring_broker_1(*[1] * 6, *[2] * 4),
        # without a leader, no other broker leads it
        never=preferring_broker_1(*[1] * 5, *[-1] * 5),
    ),
}
