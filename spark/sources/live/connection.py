"""Requests to the brokers of one cluster: many at a time, within bounds, counted."""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from kafka import errors
from kafka.net.selector import NetworkSelector
from kafka.protocol.metadata import MetadataRequest

from spark.errors import first_line
from spark.sources.live.cluster import Cluster, Secret, unlogged_wire
from spark.sources.live.manager import Manager, Progress, RequestError, Token, error_text, failure

LARGEST_RESPONSE = 512 * 1024 * 1024  # bytes
PAUSE = 0.25  # seconds, before a request is made once more

FAILURES = (errors.KafkaError, OSError, ValueError)
"""Errors of a request or a login that fails; the last is how SCRAM finds a false broker."""

_ERROR_NAMES = re.compile(r"^(\[Error \d+\] )?(\w+Error: )*")
_ERROR_NUMBER = re.compile(r"\b(\d+) E[A-Z]+\b")

Answer = Any
"""A message of kafka-python's, which has no types for their fields."""


class UnreachableError(Exception):
    """No broker of the cluster lets us in, after several requests; the sentence says why."""

    requests = 0


class NoAnswer(NamedTuple):
    """Why a broker didn't answer a request."""

    reason: str


class Connection:
    """A cluster's brokers; `metadata` is what the first that answered knows of all topics.

    All happens on the caller's thread. A broker that doesn't answer within the bounds isn't asked
    again; after a broker has refused the credentials no other is shown them. With the metadata of
    another connection no bootstrap server is asked. Raises UnreachableError.
    """

    def __init__(self, cluster: Cluster, metadata: Answer = None) -> None:
        self.requests = 0
        self._cluster = cluster
        self._silent: dict[int, str] = {}
        self._refused: str | None = None
        self._secrets: list[str] = []
        with contextlib.ExitStack() as opened:
            opened.enter_context(unlogged_wire())
            self._manager = Manager(self._count, NetworkSelector(), **self._settings())
            opened.callback(self._close)
            try:
                self.metadata: Answer = metadata or self._manager.run(self._bootstrap)
            except UnreachableError as error:
                error.requests = self.requests
                raise
            self._manager.know(self.metadata)
            self._opened = opened.pop_all()

    def _count(self) -> None:
        self.requests += 1

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def ask(self, questions: Sequence[tuple[int, Any]]) -> list[Answer]:
        """The answer of broker n to request r, for each (n, r) of `questions`.

        That is an answer of kafka-python's, or NoAnswer. Brokers are asked at the same time.
        """
        answers: list[Answer] = self._manager.run(self._ask, questions)
        return answers

    def begin(self, node: int, request: Any) -> Any:
        """A future of kafka-python's answer, or NoAnswer, which comes while time is passed here."""
        return self._manager.call_soon(self._ask_one, node, request)

    def pass_time(self, seconds: float) -> None:
        """Send, and let answers come, for that time."""
        self._manager.run(self._manager._net.sleep, seconds)

    @property
    def silent(self) -> bool:
        """Whether there is a broker that isn't asked again, as it didn't answer."""
        return bool(self._silent)

    def speaks(self, message: type, version: int) -> bool:
        """Whether the brokers know that version of a request."""
        return bool(self._manager.broker_version_data.api_version(message) >= version)

    async def _ask(self, questions: Sequence[tuple[int, Any]]) -> list[Answer]:
        begun = [self._manager.call_soon(self._ask_one, *question) for question in questions]
        return [await item for item in begun]

    async def _ask_one(self, node: int, request: Any) -> Answer:
        for attempt in range(self._cluster.retries + 1):
            if attempt:
                await self._manager._net.sleep(PAUSE * attempt)
            if node in self._silent:
                return NoAnswer(self._silent[node])
            if self._refused and not self._manager.is_connected(node):
                reason = f"broker {node} was not asked: {self._refused}"
                break
            try:
                return await self._send(node, request)
            except RequestError as error:
                reason = f"broker {node} did not answer: {error}"
                if error.refuses_login:
                    self._refused = f"broker {node} refuses the login"
                if error.is_final:
                    break
        self._silent[node] = reason
        return NoAnswer(reason)

    async def _send(self, node: int | str, request: Any) -> Answer:
        """Raises RequestError."""
        progress = Progress()
        try:
            connection = self._manager.get_connection(
                node,
                timeout_ms=self._cluster.timeout * 1000,
                # else kafka-python goes on asking for metadata, behind our back
                refresh_metadata_on_err=False,
            )
            progress = connection.progress
            answer = connection.send_request(request)
            # kafka-python itself waits for ever for a server that says nothing to TLS
            return await self._manager.wait_for(answer, (self._cluster.timeout + PAUSE) * 1000)
        except FAILURES as error:
            raise failure(error, self.one_line(error), progress, self._cluster) from None

    async def _bootstrap(self) -> Answer:
        """Ask the bootstrap servers in turn; the first to answer names all the brokers.

        Each is asked once, however long those before it have kept us waiting. The first to refuse
        the credentials is the last: each refusal counts towards the lock of an account.
        """
        deadline = time.monotonic() + self._cluster.timeout
        text: dict[str, str] = {}
        servers = self._manager.cluster.bootstrap_brokers()
        for attempt in range(self._cluster.retries + 1):
            for server in list(servers):
                if attempt and time.monotonic() > deadline:
                    break
                try:
                    answer = await self._send(server.node_id, metadata_request(None, 1))
                except RequestError as error:
                    text[f"{server.host}:{server.port}"] = str(error)
                    if error.refuses_login:
                        raise self._unreachable(text) from None
                    if error.is_final:
                        servers.remove(server)
                    continue
                if answer.brokers:
                    self._keep(server, answer.brokers)
                    return answer
                text[f"{server.host}:{server.port}"] = "it knows no brokers"
            if not servers:
                break
            await self._manager._net.sleep(PAUSE * (attempt + 1))
        raise self._unreachable(text)

    def _keep(self, server: Any, brokers: Sequence[Any]) -> None:
        """Ask a broker over the connection to the bootstrap server that has its address."""
        for broker in brokers:
            if (broker.host, broker.port) == (server.host, server.port):
                self._manager.hand_over(server.node_id, broker.node_id)
                return
        self._manager.close(server.node_id)

    def _unreachable(self, reasons: dict[str, str]) -> UnreachableError:
        return UnreachableError(
            f"cluster {self._cluster.name} can't be reached: "
            + "; ".join(f"{server}: {reason}" for server, reason in sorted(reasons.items()))
        )

    def one_line(self, error: BaseException) -> str:
        """An error in one line, without secrets, whoever put one there."""
        cause = _ERROR_NAMES.sub("", first_line(error)) if isinstance(error, Exception) else ""
        for secret in self._secrets:
            cause = cause.replace(secret, "***")
        cause = _ERROR_NUMBER.sub(lambda number: os.strerror(int(number[1])), cause)
        return cause or type(error).__name__

    def _settings(self) -> dict[str, Any]:
        """The cluster's options as kafka-python names them."""
        cluster = self._cluster
        return {
            "bootstrap_servers": [s for servers in cluster.bootstrap for s in servers.split(",")],
            "client_id": "evenfleet",
            "security_protocol": cluster.security,
            "sasl_mechanism": cluster.mechanism,
            "sasl_plain_username": cluster.username,
            "sasl_plain_password": self._read(cluster.password),
            "sasl_oauth_token_provider": cluster.token and Token(self._read(cluster.token)),
            "ssl_cafile": cluster.ca_file and str(cluster.ca_file),
            "ssl_certfile": cluster.certificate_file and str(cluster.certificate_file),
            "ssl_keyfile": cluster.key_file and str(cluster.key_file),
            "ssl_password": self._read(cluster.key_password),
            "ssl_check_hostname": cluster.check_hostname,
            "request_timeout_ms": cluster.timeout * 1000,
            "socket_connection_setup_timeout_ms": cluster.timeout * 1000,
            "reconnect_backoff_ms": PAUSE * 400,
            "reconnect_backoff_max_ms": PAUSE * 400,
            "receive_message_max_bytes": LARGEST_RESPONSE,
        }

    def _read(self, secret: Secret | None) -> str | None:
        if secret is None:
            return None
        self._secrets.append(secret.read())
        return self._secrets[-1]

    def _close(self) -> None:
        self._manager.close()
        self._manager._net.close()


def metadata_request(names: Iterable[str] | None, min_version: int) -> MetadataRequest:
    """A request for metadata of topics by name, none of which is created; None: of all."""
    of_topic = MetadataRequest.MetadataRequestTopic
    topics = None if names is None else [of_topic(name=name) for name in names]
    return MetadataRequest(topics=topics, allow_auto_topic_creation=False, min_version=min_version)


def ask_any(brokers: Connection, request: Any) -> Any:
    """The answer of the first broker that gives one, or what kept the last from it."""
    answer = NoAnswer("no broker is known")
    for broker in brokers.metadata.brokers:
        (answer,) = brokers.ask([(broker.node_id, request)])
        if not isinstance(answer, NoAnswer):
            break
    return answer


def refusal(answer: Any) -> str | None:
    """Why nothing was done, in the broker's own words where it has some; None if it was done."""
    if isinstance(answer, NoAnswer):
        return answer.reason
    if not answer.error_code:
        return None
    return getattr(answer, "error_message", None) or error_text(answer.error_code)


def attempts(retries: int) -> Iterator[int]:
    """0, 1, … up to `retries`, with a longer pause before each one but the first."""
    for attempt in range(retries + 1):
        if attempt:
            time.sleep(PAUSE * attempt)
        yield attempt
