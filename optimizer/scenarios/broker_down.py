"""A broker that is down."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from optimizer.model import Group
from optimizer.processes import Away, MoveCoordinator, Step
from optimizer.scenarios.event import Event, Running, check_count, whole_number
from optimizer.settings import DEFAULT_LIMITS, Limits

ELECTION_MS = 9_000
"""broker.session.timeout.ms of 4.3.1: from a broker's failure until others lead its partitions."""


@dataclass(frozen=True)
class BrokerDown(Event):
    """A broker is down: its coordinators move, and partitions that it leads get other leaders.

    Partitions without another replica in sync go unread. A `Group` knows nothing of brokers, so
    that it stays as it is: a coordinator that moves starts sessions again and no rebalance.
    """

    broker: int

    names: ClassVar = ("broker-down",)

    def __post_init__(self) -> None:
        check_count("the id of the broker that is down", self.broker, 0)

    @classmethod
    def of_value(cls, name: str, value: str) -> BrokerDown:
        return cls(whole_number("the id of the broker that is down", value))

    def apply(self, group: Group, limits: Limits = DEFAULT_LIMITS) -> Group:
        return group

    def play(self, at: float, running: Running, after: Group) -> Iterator[Step]:
        yield MoveCoordinator(at)
        if running.down is not None:
            yield Away(at, tuple(running.down.get(self.broker, ())), ELECTION_MS)


def brokers_down(events: Sequence[Event]) -> list[int]:
    """The brokers that events take down."""
    return [event.broker for event in events if isinstance(event, BrokerDown)]
