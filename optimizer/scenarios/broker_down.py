"""A broker that is down."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from optimizer.model import Group
from optimizer.processes import MoveCoordinator, Step
from optimizer.scenarios.event import Event, check_count, whole_number
from optimizer.scenarios.running import Running
from optimizer.settings import DEFAULT_LIMITS, Limits


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

    def steps(self, at: float, running: Running, after: Group) -> Iterator[Step]:
        yield MoveCoordinator(at)
