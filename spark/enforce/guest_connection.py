"""A second connection to a cluster, on which guests wait to join classic groups."""

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from spark.sources.live.cluster import Cluster
from spark.sources.live.connection import Connection, NoAnswer, UnreachableError


class GuestConnection:
    """Asks what a broker answers late, one request at a time.

    A broker answers the requests of a connection in turn, so a JoinGroup that waits would hold up
    all that follow it. All guests share this connection, since each new one costs a login.
    """

    def __init__(self, cluster: Cluster, metadata: Any) -> None:
        self._cluster, self._metadata = replace(cluster, retries=0), metadata
        self._connection: Connection | None = None
        self._waiting: threading.Thread | None = None

    def ask(self, node: int, request: Any) -> Callable[[], Any]:
        """Send a request; returns what gives its answer, or None while there is none."""
        if self._waiting is not None and self._waiting.is_alive():
            self._connection = None  # its thread still uses it, and nobody else may
        answers: list[Any] = []
        self._waiting = threading.Thread(
            target=lambda: answers.append(self._answer(node, request)), daemon=True
        )
        self._waiting.start()
        return lambda: answers[0] if answers else None

    def wait(self, seconds: float) -> None:
        """Wait for the last answer."""
        if self._waiting is not None:
            self._waiting.join(seconds)

    def close(self) -> None:
        """Close the connection, unless a request still waits on it."""
        if self._connection and not (self._waiting and self._waiting.is_alive()):
            self._connection.__exit__()
        self._connection = None

    def _open(self) -> Connection:
        if self._connection is not None and self._connection.silent:
            self._connection.__exit__()
            self._connection = None
        if self._connection is None:
            self._connection = Connection(self._cluster, self._metadata)
        return self._connection

    def _answer(self, node: int, request: Any) -> Any:
        try:
            return self._open().ask([(node, request)])[0]
        except UnreachableError as error:
            return NoAnswer(str(error))
