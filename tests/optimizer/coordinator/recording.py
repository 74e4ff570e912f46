"""What was recorded of a run, by kind and by member."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator
from types import EllipsisType
from typing import Any

Event = dict[str, Any]
Record = dict[str, Any]
Times = dict[str, list[float]]

AT_ONCE_MS = 900
"""What takes longer has waited for the next heartbeat."""


def events(
    record: Record, source: str, *kinds: str, member: str | EllipsisType | None = ...
) -> list[Event]:
    """What the coordinator, a client or an application (`events`) did of these kinds."""
    return [
        event
        for event in record[source]
        if event["what"] in kinds and (member is ... or event.get("member") == member)
    ]


def ordered(record: Record, *kinds: str) -> Iterator[tuple[float, Event]]:
    """What the coordinator did, and when: events of one millisecond keep their order."""
    for order, event in enumerate(record["coordinator"]):
        if event["what"] in kinds:
            yield event["t"] + order / 1e5, event


def near(found: Iterable[Event], at: float, latest: float) -> Iterator[Event]:
    """Those of the events that came at a time, or up to so much later."""
    return (event for event in found if 0 <= event["t"] - at <= latest)


def times_of(found: Iterable[Event]) -> Times:
    """When each member did something, in order."""
    times: Times = defaultdict(list)
    for event in found:
        if event.get("member"):
            times[event["member"]].append(float(event["t"]))
    return {name: sorted(seen) for name, seen in times.items()}


def waits(found: Iterable[Event], times: Times) -> Iterator[tuple[str, float]]:
    """How long after each event its member did the next thing of which these are the times."""
    for event in found:
        name = event.get("member") or ""
        seen = times.get(name, [])
        at = bisect_left(seen, event["t"])
        if at < len(seen):
            yield name, seen[at] - event["t"]


def held_up(record: Record) -> float:
    """Milliseconds that the machine held members up, by what they did when they had been answered.

    Of the second slowest, so that one event alone excuses nothing. Members that were made to be
    slow, or weren't watched, don't count. 0 if classic: `late_ms` of a record knows of heartbeats
    of the classic protocol; those of KIP-848 aren't recorded.
    """
    states = events(record, "coordinator", "member_state")
    if not states:
        return 0.0
    slow = {step["member"] for step in record["script"] if step["do"] == "block"}
    for name, member in record["members"].items():
        if member.get("process") or member.get("revoke_sleep_ms"):
            slow.add(name)
    reconciling = events(record, "client", "reconciling")
    new_epochs = [event for event in states if event["epoch"] != event["previous_epoch"]]
    beats = events(record, "client", "heartbeat")
    rejoins = times_of(events(record, "client", "rejoin_wanted"))
    delays = [
        *waits(new_epochs, times_of(reconciling + events(record, "events", "generation"))),
        *waits(reconciling, times_of(events(record, "events", "assigned"))),
        *(wait for wait in waits(beats, rejoins) if wait[1] < AT_ONCE_MS),
    ]
    late = sorted((delay for name, delay in delays if name not in slow), reverse=True)
    return late[1] if len(late) > 1 else 0.0
