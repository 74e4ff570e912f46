"""A rolling restart that brings other assignors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from optimizer.scenarios.event import EventError
from optimizer.scenarios.rolling import FORWARD, Rolling, rolling_of
from optimizer.settings import ClientSettings
from optimizer.strategies import CLASSIC_ASSIGNORS


@dataclass(frozen=True)
class Upgrade(Rolling):
    """A rolling restart after which members offer these assignors, the first one first.

    The other fields are those of `Rolling`.
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
                raise EventError(
                    f"members can't offer the assignor {name!r}: choose one of {entries}"
                )
        if len(set(names)) < len(names):
            raise EventError(f"an upgrade names an assignor twice: {', '.join(names)}")
        super().__post_init__()

    @property
    def value(self) -> str:
        return f"{','.join(self.strategies)}:{super().value}"

    @classmethod
    def of_value(cls, name: str, value: str) -> Upgrade:
        names, _, how = value.partition(":")
        return cls(tuple(item.strip() for item in names.split(",")), **rolling_of(how))

    def client(self, now: ClientSettings) -> ClientSettings:
        return replace(now, assignors=self.strategies)
