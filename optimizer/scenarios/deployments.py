"""Rolling restarts that bring another configuration: other assignors, or the other protocol."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from optimizer.model import Group
from optimizer.scenarios.event import DEFAULT_LIMITS, Event, EventError, Limits
from optimizer.scenarios.restarts import FORWARD, check_rolling, rolled, rolling_of, rolling_to_text
from optimizer.strategies import CLASSIC_ASSIGNORS

CONSUMER = "consumer"
"""The protocol of KIP-848, group.protocol=consumer."""


@dataclass(frozen=True)
class Upgrade(Event):
    """A rolling restart after which members offer these assignors, the first one first.

    The other fields are those of `RollingRestart`.
    """

    strategies: tuple[str, ...]
    at_once: int = 1
    seconds: float = 30.0
    static: bool | None = None
    order: str = FORWARD

    names: ClassVar = ("upgrade",)

    def __post_init__(self) -> None:
        strategies = self.strategies
        names = (strategies,) if isinstance(strategies, str) else tuple(strategies)
        object.__setattr__(self, "strategies", names)
        if not names:
            raise EventError("an upgrade has to name the assignors that members shall offer")
        for name in names:
            if name not in CLASSIC_ASSIGNORS:
                entries = ", ".join(CLASSIC_ASSIGNORS)
                raise EventError(f"members can't offer the assignor {name!r}: choose of {entries}")
        if len(set(names)) < len(names):
            raise EventError(f"an upgrade names an assignor twice: {', '.join(names)}")
        check_rolling(self, self.at_once, self.seconds, self.static, self.order)

    @property
    def value(self) -> str:
        how = rolling_to_text(self.seconds, self.static, self.at_once, self.order)
        return f"{','.join(self.strategies)}:{how}"

    @classmethod
    def of_value(cls, name: str, value: str) -> Upgrade:
        names, _, how = value.partition(":")
        return cls(tuple(item.strip() for item in names.split(",")), **rolling_of(how))

    def apply(self, group: Group, limits: Limits = DEFAULT_LIMITS) -> Group:
        return rolled(group, self.seconds, self.static, limits)


@dataclass(frozen=True)
class Migrate(Event):
    """A rolling restart from the classic protocol to that of KIP-848.

    The other fields are those of `RollingRestart`.
    """

    to: str = CONSUMER
    at_once: int = 1
    seconds: float = 30.0
    static: bool | None = None
    order: str = FORWARD

    names: ClassVar = ("migrate",)

    def __post_init__(self) -> None:
        if self.to != CONSUMER:
            raise EventError(f"groups can migrate to the protocol {CONSUMER!r}, not to {self.to!r}")
        check_rolling(self, self.at_once, self.seconds, self.static, self.order)

    @property
    def value(self) -> str:
        how = rolling_to_text(self.seconds, self.static, self.at_once, self.order)
        return f"{self.to}:{how}"

    @classmethod
    def of_value(cls, name: str, value: str) -> Migrate:
        to, _, how = value.partition(":")
        return cls(to, **rolling_of(how))

    def apply(self, group: Group, limits: Limits = DEFAULT_LIMITS) -> Group:
        return rolled(group, self.seconds, self.static, limits)
