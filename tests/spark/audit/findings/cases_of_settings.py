"""Fleets for findings that need to be told something, by finding; and what they are told."""

from __future__ import annotations

from typing import Any

from spark.audit.rules import Copartitioned, Timeouts
from tests.spark.audit.findings.cases_of_balance import TWO
from tests.spark.audit.findings.place import Build, Cases, Place, Told


def ordinary(place: Place) -> None:
    place.topic("t", 2)
    place.group(TWO, [("t", 0, "a"), ("t", 1, "b")])


def joining(orders: int, payments: int, *read: str) -> Build:
    def build(place: Place) -> None:
        place.topic("orders", orders)
        place.topic("payments", payments)
        place.group({"a": read, "b": read[:1]})

    return build


def _timeouts(finding: str, **by_case: tuple[int, int]) -> list[Timeouts]:
    names = {
        "session-timeout": ("session_timeout_ms", "heartbeat_interval_ms"),
        "poll-interval": ("max_poll_interval_ms", "processing_time_ms"),
    }[finding]
    rules: list[Timeouts] = []
    for case, times in by_case.items():
        stated: dict[str, Any] = dict(zip(names, times, strict=True))
        rules.append(Timeouts(match="*", cluster=f"{finding}-{case}", **stated))
    return rules


TIMEOUTS = (
    *_timeouts(
        "session-timeout", fires=(29_000, 10_000), nearly=(30_000, 10_000), never=(45_000, 3000)
    ),
    *_timeouts(
        "poll-interval", fires=(300_000, 200_000), nearly=(300_000, 150_000), never=(300_000, 10)
    ),
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
            *("warning", "group g", 1.5, 2),
            "Group g may take 300000 ms between polls, 1.5 times the 200000 ms that it needs to "
            "process one.",
        ),
        fires=ordinary,
        nearly=ordinary,
        never=ordinary,
    ),
}
