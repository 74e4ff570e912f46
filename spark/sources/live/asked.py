"""What answers questions about a cluster."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, Protocol

from spark.sources.live.connection import PAUSE, NoAnswer


class Asked(Protocol):
    """A Connection, or the recorded answers of a test."""

    requests: int
    metadata: Any

    def ask(self, questions: list[tuple[int, Any]]) -> list[Any]: ...

    def speaks(self, message: type, version: int) -> bool: ...


def ask_any(brokers: Asked, request: Any) -> Any:
    """The answer of the first broker that gives one, or what kept the last from it."""
    answer = NoAnswer("no broker is known")
    for broker in brokers.metadata.brokers:
        (answer,) = brokers.ask([(broker.node_id, request)])
        if not isinstance(answer, NoAnswer):
            break
    return answer


def attempts(retries: int) -> Iterator[int]:
    """0, 1, … up to `retries`, with a longer pause before each one but the first."""
    for attempt in range(retries + 1):
        if attempt:
            time.sleep(PAUSE * attempt)
        yield attempt
