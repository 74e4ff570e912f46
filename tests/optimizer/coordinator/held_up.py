"""How much the machine held members up in a run, by what they did when they had been answered.

`late_ms` of a record knows of heartbeats of the classic protocol; those of KIP-848 aren't recorded.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

Record = dict[str, Any]
Times = dict[str, list[float]]

AT_ONCE_MS = 900
"""What takes longer has waited for the next heartbeat."""


def held_up(record: Record) -> float:
    """Milliseconds, of the second slowest, so that one event alone excuses nothing; 0 if classic.

    Members that were made to be slow, or weren't watched, don't count.
    """
    if not any(event["what"] == "member_state" for event in record["coordinator"]):
        return 0.0
    late = sorted(_delays(record), reverse=True)
    return late[1] if len(late) > 1 else 0.0


def _delays(record: Record) -> Iterator[float]:
    slow = {step["member"] for step in record["script"] if step["do"] == "block"}
    for name, member in record["members"].items():
        if member.get("process") or member.get("revoke_sleep_ms"):
            slow.add(name)
    assigned = _times(record["events"], "assigned")
    noticed = _times(record["client"] + record["events"], "reconciling", "generation")
    wanted = _times(record["client"], "rejoin_wanted")
    for event in record["coordinator"]:
        if event["what"] == "member_state" and event["epoch"] != event["previous_epoch"]:
            yield from _until(noticed, event, slow)
    for event in record["client"]:
        if event["what"] == "reconciling":
            yield from _until(assigned, event, slow)
        elif event["what"] == "heartbeat":
            yield from _until(wanted, event, slow, AT_ONCE_MS)


def _times(events: list[Record], *kinds: str) -> Times:
    times: Times = defaultdict(list)
    for event in events:
        if event["what"] in kinds and event.get("member"):
            times[event["member"]].append(event["t"])
    return {name: sorted(time) for name, time in times.items()}


def _until(
    times: Times, event: Record, slow: set[str], within: float = float("inf")
) -> Iterator[float]:
    """How long it took until the event's member did the next thing."""
    name = event.get("member")
    seen = times.get(name or "", [])
    at = bisect_left(seen, event["t"])
    if name not in slow and at < len(seen) and seen[at] - event["t"] < within:
        yield seen[at] - event["t"]
