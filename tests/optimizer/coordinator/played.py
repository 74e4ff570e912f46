"""Small groups in which something happens when they have settled, and what came of it."""

from collections.abc import Sequence
from typing import Any

from optimizer import Group
from optimizer.coordinator import (
    BrokerSettings,
    ClientSettings,
    Delays,
    Scenario,
    Start,
    Step,
    Timeline,
    simulate,
)

KINDS: dict[str, dict[str, Any]] = {
    "eager": {"assignors": ("range",)},
    "cooperative": {"assignors": ("cooperative-sticky",)},
    "consumer": {"protocol": "consumer"},
}
BROKER = BrokerSettings(initial_delay_ms=1_000, heartbeat_ms=1_000, session_ms=6_000)
AT = 30_000.0
"""When groups have settled, and something is done."""

TOPICS = {"orders": 12, "payments": 8}


def settings(kind: str, **others: Any) -> ClientSettings:
    short = {"session_ms": 6_000, "heartbeat_ms": 1_000, "max_poll_ms": 15_000, "commit_ms": 1_000}
    return ClientSettings(**KINDS[kind] | short | {"metadata_max_age_ms": 2_000} | others)


def play(
    kind: str,
    members: Sequence[str],
    steps: Sequence[Step],
    *,
    topics: Sequence[str] = ("orders",),
    static: bool = False,
    broker: BrokerSettings = BROKER,
    delays: Delays | None = None,
    end: float = 200_000,
    **client: Any,
) -> Timeline:
    """Members that start together, and what is done then."""
    made = settings(kind, **client)
    starts = [
        Start(0, name, tuple(topics), made, instance_id=name if static else None)
        for name in members
    ]
    scenario = Scenario(
        *(Group(TOPICS, []), [*starts, *steps], made),
        broker=broker,
        delays=delays or Delays(),
        end=end,
    )
    return simulate(scenario, len(members))


def happened(timeline: Timeline, what: str) -> list[str | None]:
    """Members that it happened to, in order."""
    return [happening.member for happening in timeline.happenings if happening.what == what]


def when(timeline: Timeline, what: str) -> list[float]:
    return [happening.at for happening in timeline.happenings if happening.what == what]


def loads(timeline: Timeline) -> dict[str, int]:
    """How many partitions each member has in the end."""
    return {name: len(parts) for name, parts in timeline.final.items()}
