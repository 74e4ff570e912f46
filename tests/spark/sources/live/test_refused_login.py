"""A wrong password is shown to one broker: who refuses it often enough locks the account."""

from __future__ import annotations

from typing import Any

import pytest

kafka = pytest.importorskip("kafka", reason="the extra `live` is not installed")

from kafka import errors  # noqa: E402
from kafka.protocol.metadata import MetadataResponse  # noqa: E402

from spark.sources.live.cluster import Cluster  # noqa: E402
from spark.sources.live.connection import Connection, NoAnswer, UnreachableError  # noqa: E402
from spark.sources.live.failure import failure  # noqa: E402
from spark.sources.live.manager import Progress  # noqa: E402

CLUSTER = Cluster("c", ("a:1,b:2", "d:3"), retries=0)
SHOWN = Progress(sent=True, secret_sent=True)


@pytest.mark.parametrize(
    ("error", "asked"),
    [(errors.SaslAuthenticationFailedError("no"), 1), (errors.KafkaConnectionError("gone"), 3)],
)
def test_the_first_to_refuse_a_login_is_the_last_that_is_asked(
    monkeypatch: pytest.MonkeyPatch, error: Exception, asked: int
) -> None:
    """One that only hangs up may be ill itself: the others are asked."""
    servers: list[Any] = []

    async def send(_: Connection, server: Any, _request: Any) -> Any:
        servers.append(server)
        raise failure(error, str(error), SHOWN, CLUSTER)

    monkeypatch.setattr(Connection, "_send", send)
    with pytest.raises(UnreachableError, match="cluster c can't be reached: "):
        Connection(CLUSTER)
    assert len(servers) == asked


def test_a_refusal_after_the_bootstrap_keeps_the_password_from_all_other_brokers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As when the password was changed meanwhile."""
    asked: list[int] = []

    async def send(_: Connection, node: int, _request: Any) -> Any:
        asked.append(node)
        refused = errors.SaslAuthenticationFailedError("no")
        raise failure(refused, str(refused), SHOWN, CLUSTER)

    monkeypatch.setattr(Connection, "_send", send)
    broker = MetadataResponse.MetadataResponseBroker
    brokers = [broker(version=1, node_id=n, host="h", port=n, rack=None) for n in (1, 2, 3)]
    metadata = MetadataResponse(version=1, brokers=brokers, controller_id=1, topics=[])
    with Connection(CLUSTER, metadata) as connection:
        answers = connection.ask([(1, None), (2, None)]) + connection.ask([(3, None)])
    assert asked == [1]
    assert all(isinstance(answer, NoAnswer) for answer in answers)
    assert answers[2].reason == "broker 3 was not asked: broker 1 refuses the login"
