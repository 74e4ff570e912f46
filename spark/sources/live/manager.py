"""kafka-python's connections to brokers: what is sent, how far each comes, why one fails."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kafka import errors
from kafka.errors import for_code
from kafka.net.manager import KafkaConnectionManager
from kafka.net.sasl.oauth import AbstractTokenProvider
from kafka.net.selector import NetworkSelector
from kafka.protocol.metadata import ApiVersionsRequest, MetadataResponse
from kafka.protocol.sasl import SaslAuthenticateRequest, SaslBytesRequest, SaslHandshakeRequest

from spark.sources.live.cluster import Cluster


def error_text(code: int) -> str:
    """`NOT_COORDINATOR (16): This is not the correct coordinator.`, as far as it is known."""
    error = for_code(code)
    name = getattr(error, "message", None) or error.__name__
    description = getattr(error, "description", None)
    return f"{name} ({code})" + (f": {description.rstrip('.')}" if description else "")


OPENING = (ApiVersionsRequest, SaslHandshakeRequest, SaslAuthenticateRequest, SaslBytesRequest)
"""Requests that a connection begins with, before the requests that it is for."""


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
        received, end = receives()
        if received and end:
            ends.append(end)
            end = None
        return received, end

    transport._sock_recv = receive


class Token(AbstractTokenProvider):  # type: ignore[misc]
    """One OAuth token: a collection takes less time than a token lives."""

    def __init__(self, token: str | None) -> None:
        self._token = token

    def token(self) -> str:
        return self._token or ""


TIMEOUTS = (errors.KafkaTimeoutError, errors.RequestTimedOutError)
CONNECT_TIMEOUT, TLS_FAILED = "Connection timed out", "Handshake failed: "  # kafka-python's words


class RequestError(Exception):
    """A broker gave no answer; `is_final`: it wouldn't give one to the same request again.

    `refuses_login`: nor would the other brokers, as it said that the credentials are wrong.
    """

    def __init__(self, sentence: str, is_final: bool, refuses_login: bool = False) -> None:
        super().__init__(sentence)
        self.is_final, self.refuses_login = is_final, refuses_login


def failure(error: BaseException, text: str, progress: Progress, cluster: Cluster) -> RequestError:
    """The failure of a request; `text` is the error in one line, without secrets.

    A secret is shown to a broker once, and to none after one has refused it: any failure
    from then on until the broker lets us in may be its refusal, and many refusals lock an account.
    """
    maybe = f"security {cluster.security} or the port may be wrong"
    if isinstance(error, errors.UnsupportedSaslMechanismError):
        offered = ", ".join(progress.offered) or "none"
        sentence = f"it doesn't offer the mechanism {cluster.mechanism}; it offers {offered}"
        return RequestError(sentence, True)
    if isinstance(error, errors.IllegalSaslStateError):
        return RequestError(f"it takes no login: {maybe}", True)
    if progress.secret_sent and not progress.let_in:
        refused = isinstance(error, errors.SaslAuthenticationFailedError)
        return RequestError(_refused_login(error, text, cluster), True, refuses_login=refused)
    if isinstance(error, TIMEOUTS) or text == CONNECT_TIMEOUT:
        return RequestError(f"it did not answer within {cluster.timeout:g} s", False)
    if seems := _of_another_protocol(error, text, progress):
        return RequestError(f"{seems}: {maybe}", isinstance(error, errors.KafkaProtocolError))
    return RequestError(text, isinstance(error, errors.IncompatibleBrokerVersion))


def _of_another_protocol(error: BaseException, text: str, progress: Progress) -> str | None:
    """A sentence on a port that seems to speak another protocol."""
    if text.startswith(TLS_FAILED):
        return None if "CERTIFICATE" in text.upper() else "it does not speak TLS"
    if not progress.sent:
        return None
    if isinstance(error, errors.KafkaProtocolError) and not progress.answered:
        return "it does not answer as a Kafka broker does"
    if isinstance(error, errors.KafkaConnectionError) and not progress.served:
        return "it hung up without an answer"
    return None


def _refused_login(error: BaseException, text: str, cluster: Cluster) -> str:
    who = f" of {cluster.username!r}" if cluster.username else ""
    login = f"the login{who} by {cluster.mechanism}"
    if isinstance(error, TIMEOUTS):
        return f"it did not answer {login} within {cluster.timeout:g} s"
    if isinstance(error, errors.SaslAuthenticationFailedError):
        return f"it refuses {login}: {text}"
    return f"it hung up during {login}, as a broker does when the secret is wrong"
