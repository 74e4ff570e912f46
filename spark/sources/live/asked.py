"""What answers questions about a cluster."""

from __future__ import annotations

from typing import Any, Protocol

from spark.sources.live.connection import NoAnswer


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
