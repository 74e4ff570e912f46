"""kafka-python's connections to brokers, watched: what is sent, and how far each one comes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kafka.net.manager import KafkaConnectionManager
from kafka.net.sasl.oauth import AbstractTokenProvider
from kafka.net.selector import NetworkSelector
from kafka.protocol.metadata import ApiVersionsRequest, MetadataResponse
from kafka.protocol.sasl import SaslAuthenticateRequest, SaslBytesRequest, SaslHandshakeRequest

OPENING = (ApiVersionsRequest, SaslHandshakeRequest, SaslAuthenticateRequest, SaslBytesRequest)
"""What a connection begins with, before the requests that it is for."""


@dataclass
class Progress:
    """How far a connection has come.

    `offered` are the mechanisms that the broker names when it hears ours; `secret_sent` says
    that it was shown a password or a token, `let_in` that it took it, if there was one.
    """

    sent: bool = False
    answered: bool = False
    served: bool = False
    offered: tuple[str, ...] = ()
    secret_sent: bool = False
    let_in: bool = False


class Manager(KafkaConnectionManager):  # type: ignore[misc]
    """kafka-python's connections; `count` is called for each request, handshakes included."""

    def __init__(self, count: Callable[[], None], net: NetworkSelector, **settings: Any) -> None:
        super().__init__(net, **settings)
        self._count = count

    def get_connection(self, node_id: int | str, **options: Any) -> Any:
        """A connection of kafka-python's, with its Progress as `progress`."""
        mask = node_id in self._conns
        connection = super().get_connection(node_id, **options)
        if not mask:
            connection.progress = progress = Progress()
            connection.init_future.add_callback(lambda _: setattr(progress, "let_in", True))
            sends = connection._send_request

            def send(request: Any, *args: Any, **more: Any) -> Any:
                self._count()
                progress.sent = True
                progress.secret_sent |= isinstance(
                    request, (SaslAuthenticateRequest, SaslBytesRequest)
                )
                answer = sends(request, *args, **more)
                answer.add_callback(lambda answered: _note(progress, request, answered))
                return answer

            connection._send_request = send
        return connection

    def is_connected(self, node_id: int) -> bool:
        """Whether a broker has let us in."""
        connection = self._conns.get(node_id)
        return connection is not None and connection.connected

    def know(self, metadata: Any) -> None:
        """Remember the brokers, without the topics, which nothing here looks up."""
        self.cluster.update_metadata(
            MetadataResponse(
                version=metadata.API_VERSION,
                brokers=metadata.brokers,
                cluster_id=metadata.cluster_id,
                controller_id=metadata.controller_id,
                topics=[],
            )
        )

    def hand_over(self, server: str, broker: int) -> None:
        """Keep the connection to a bootstrap server for the broker that it is: it has its login."""
        connection = self._conns[broker] = self._conns.pop(server)
        connection.close_future.add_both(lambda _: self._conns.pop(broker, None))

    async def _build_transport(self, *args: Any, **options: Any) -> Any:
        transport = await super()._build_transport(*args, **options)
        _hear_out(transport)
        return transport


def _note(progress: Progress, request: Any, answer: Any) -> None:
    progress.answered = True
    progress.served |= not isinstance(request, OPENING)
    if isinstance(request, SaslHandshakeRequest):
        progress.offered = tuple(answer.mechanisms or ())


def _hear_out(transport: Any) -> None:
    """Let a transport tell what a broker said last, and only then that it hung up.

    kafka-python 3.0 drops what comes together with the end, which is the reason for which a
    broker refuses a login: it looks like a connection that broke, to be tried again.
    """
    receives = transport._sock_recv
    ends: list[Any] = []

    def receive() -> tuple[bytes, Any]:
        if ends:
            return b"", ends.pop()
        data, end = receives()
        if data and end:
            ends.append(end)
            end = None
        return data, end

    transport._sock_recv = receive


class Token(AbstractTokenProvider):  # type: ignore[misc]
    """One OAuth token: a collection takes less time than a token lives."""

    def __init__(self, token: str | None) -> None:
        self._token = token

    def token(self) -> str:
        return self._token or ""
