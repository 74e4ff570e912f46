"""A rolling restart that changes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from optimizer.scenarios.rolling import FORWARD, Rolling, rolling_of


@dataclass(frozen=True)
class RollingRestart(Rolling):
    """See `Rolling`: members come back as they were."""

    at_once: int = 1
    seconds: float = 30.0
    static: bool | None = None
    order: str = FORWARD

    names: ClassVar = ("rolling-restart",)

    @classmethod
    def of_value(cls, name: str, value: str) -> RollingRestart:
        return cls(**rolling_of(value))
