"""A rolling restart to the protocol of KIP-848."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from optimizer.scenarios.event import EventError
from optimizer.scenarios.rolling import FORWARD, Rolling, rolling_of
from optimizer.settings import ClientSettings

CONSUMER = "consumer"
"""The protocol of KIP-848, group.protocol=consumer."""


@dataclass(frozen=True)
class Migrate(Rolling):
    """A rolling restart from the classic protocol to that of KIP-848.

    The other fields are those of `Rolling`.
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
        super().__post_init__()

    @property
    def value(self) -> str:
        return f"{self.to}:{super().value}"

    @classmethod
    def of_value(cls, name: str, value: str) -> Migrate:
        to, _, how = value.partition(":")
        return cls(to, **rolling_of(how))

    def client(self, now: ClientSettings) -> ClientSettings:
        return replace(now, protocol=self.to)
