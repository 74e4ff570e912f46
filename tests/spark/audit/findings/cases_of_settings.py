"""Fleets for findings that need to be told something, by finding; and what they are told."""

from __future__ import annotations

from typing import Any

from spark.audit.rules import Copartitioned, Timeouts
from spark.settings import FleetConsumers, GroupConsumers
from tests.spark.audit.findings.cases_of_balance import TWO
from tests.spark.audit.findings.place import Build, Cases, TableStore, Told


def ordinary(place: TableStore) -> None:
    place.topic("t", 2)
    place.group(TWO, [("t", 0, "a"), ("t", 1, "b")])


def static(*instances: str | None) -> Build:
    """Members a and b with these instance ids."""

    def build(place: TableStore) -> None:
        ordinary(place)
        for row in place.fleets.now.rows["members"]:
            if row["cluster"] == place.cluster:
                row["instance_id"] = instances["ab".index(row["member_id"])]

    return build


def using(strategy: str) -> Build:
    """A group of this strategy."""

    def build(place: TableStore) -> None:
        place.topic("t", 2)
        place.group(TWO, [("t", 0, "a"), ("t", 1, "b")], strategy=strategy)

    return build


def joining(orders: int, payments: int, *read: str) -> Build:
    def build(place: TableStore) -> None:
        place.topic("orders", orders)
        place.topic("payments", payments)
        place.group({"a": read, "b": read[:1]})

    return build


def allows(most: int) -> Build:
    """A group whose brokers allow no longer session, as `collect` read it."""

    def build(place: TableStore) -> None:
        ordinary(place)
        key = "group.max.session.timeout.ms"
        row = {"scope": "broker", "name": "1", "key": key, "value": str(most)}
        place.fleets.now.add("configs", cluster=place.cluster, **row)

    return build


def _timeouts(finding: str, **by_case: tuple[int, int | None]) -> list[Timeouts]:
    names = {
        "session-timeout": ("session_timeout_ms", "heartbeat_interval_ms"),
        "poll-interval": ("max_poll_interval_ms", "processing_time_ms"),
        "session-timeout-outside": ("session_timeout_ms", "group_max_session_timeout_ms"),
        "restart-outlasts-session": ("restart_ms", "session_timeout_ms"),
    }[finding]
    rules: list[Timeouts] = []
    for case, times in by_case.items():
        values: dict[str, Any] = dict(zip(names, times, strict=True))
        rules.append(Timeouts(match="*", cluster=f"{finding}-{case}", **values))
    return rules


TIMEOUTS = (
    *_timeouts(
        "session-timeout", fires=(29_000, 10_000), nearly=(30_000, 10_000), never=(45_000, 3000)
    ),
    *_timeouts(
        "poll-interval", fires=(210_000, 200_000), nearly=(220_000, 200_000), never=(300_000, 10)
    ),
    *_timeouts(
        *("session-timeout-outside",),
        **{"fires": (90_000, None), "nearly": (60_000, 60_000), "never": (45_000, 60_000)},
    ),
    *_timeouts(
        *("restart-outlasts-session",),
        **{"fires": (90_000, 45_000), "nearly": (90_000, 45_000), "never": (30_000, 45_000)},
    ),
)
CONSUMERS = FleetConsumers(
    rules=tuple(
        GroupConsumers("g", {"client_version": version}, f"client-defect-{case}")
        for case, version in {"fires": "2.2.2", "nearly": "2.3.0", "never": "2.2.2"}.items()
    )
)
COPARTITIONED = (Copartitioned(("orders", "payments"), cluster="unequal-topics-*"),)

CASES = {
    "unequal-topics": Cases(
        Told(
            *("critical", "topics orders, payments", 2, 1),
            "Group g joins topics by partition number, and their numbers of partitions differ "
            "(orders: 4, payments: 6): the same key is on different partitions.",
        ),
        fires=joining(4, 6, "orders", "payments"),
        nearly=joining(4, 6, "orders"),
        never=joining(4, 4, "orders", "payments"),
    ),
    "session-timeout": Cases(
        Told(
            *("warning", "group g", 2.9, 3),
            "The session time-out of group g, 29000 ms, is 2.9 times its heartbeat interval of "
            "10000 ms.",
        ),
        fires=ordinary,
        nearly=ordinary,
        never=ordinary,
    ),
    "poll-interval": Cases(
        Told(
            *("warning", "group g", 1.05, 1.1),
            "Group g may take 210000 ms between polls, 1.1 times the 200000 ms that it needs to "
            "process one.",
        ),
        fires=ordinary,
        nearly=ordinary,
        never=ordinary,
    ),
    "session-timeout-outside": Cases(
        Told(
            *("critical", "group g", 1.5, 1),
            "The session time-out of group g, 90000 ms, is more than the 60000 ms that brokers "
            "allow: no member can join.",
        ),
        fires=allows(60_000),
        nearly=ordinary,
        never=ordinary,
    ),
    "restart-outlasts-session": Cases(
        Told(
            *("warning", "group g", 2, 1),
            "A restart keeps members of group g away for 90000 ms, and sessions end after 45000 "
            "ms: its 2 static members gain nothing by their instance ids.",
        ),
        fires=static("one", "two"),
        nearly=ordinary,
        never=static("one", "two"),
    ),
    "instance-id-twice": Cases(
        Told(*("critical", "instance one", 2, 2), "2 members of group g have the instance id one."),
        fires=static("one", "one"),
        nearly=static("one", None),
        never=static("one", "two"),
    ),
    "client-defect": Cases(
        Told(
            *("critical", "issue KAFKA-7026", 3, 3),
            "Group g uses sticky of Kafka's clients 2.2.2, which have KAFKA-7026: a member that "
            "comes back with an old assignment keeps it, so that two members read the same "
            "partition.",
        ),
        fires=using("sticky"),
        nearly=using("sticky"),
        never=using("range"),
    ),
}
