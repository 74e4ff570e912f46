"""Clusters that let nobody in: no broker is there, or none answers, or they refuse the login."""

import random
import socket
from pathlib import Path
from typing import Any

import pytest
from kafka import errors
from kafka.protocol.metadata import MetadataResponse

from spark.fleet import TABLES
from spark.sources.live.cluster import Cluster
from spark.sources.live.collect import Collected
from spark.sources.live.connection import Connection, NoAnswer, UnreachableError
from spark.sources.live.manager import Progress, failure
from tests.support.said import Run
from tests.support.small import small
from tests.support.terminal import tables_of

CLUSTER = Cluster("c", ("a:1,b:2", "d:3"), retries=0)
SHOWN = Progress(sent=True, secret_sent=True)


@pytest.mark.parametrize(
    ("error", "asked"),
    [(errors.SaslAuthenticationFailedError("no"), 1), (errors.KafkaConnectionError("gone"), 3)],
)
def test_the_first_to_refuse_a_login_is_the_last_that_is_asked(
    monkeypatch: pytest.MonkeyPatch, error: Exception, asked: int
) -> None:
    """A wrong password that is shown too often locks the account.

    One that only hangs up may be ill itself: the others are asked.
    """
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


def test_unreachable_brokers_are_one_line_and_exit_code_3(run: Run, tmp_path: Path) -> None:
    store = tmp_path / "store"
    words = ("--bootstrap", "127.0.0.1:1", "--bootstrap", "127.0.0.1:2", "--cluster", "prod")
    output = run("collect", *words, "--out", store, "--timeout", 1)
    assert output.code == 3
    assert output.out == ""
    assert output.err.count("\n") == 1
    assert output.err.startswith("cluster prod can't be reached: 127.0.0.1:1: Connection refused")
    assert "127.0.0.1:2: " in output.err
    assert not store.exists()


def test_a_bootstrap_server_that_hangs_leaves_the_next_its_turn(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though all the time that there was has gone by: each is asked once."""
    monkeypatch.setattr(random, "shuffle", lambda servers: None)
    with socket.create_server(("127.0.0.1", 0)) as hanging:
        first = f"127.0.0.1:{hanging.getsockname()[1]}"
        words = ("--bootstrap", first, "--bootstrap", "127.0.0.1:1", "--cluster", "prod")
        output = run("collect", *words, "--out", tmp_path / "store", "--timeout", 1)
    assert output.code == 3
    assert f"{first}: " in output.err
    assert "127.0.0.1:1: " in output.err


@pytest.mark.parametrize(("leaderless", "code", "state"), [(0, 0, "whole"), (1, 1, "incomplete")])
def test_without_a_leader_a_snapshot_is_incomplete(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    leaderless: int,
    code: int,
    state: str,
) -> None:
    tables = {name: small().tables()["members"] for name in TABLES}
    result = Collected(tables=tables, cluster="c", requests=1, seconds=0.0, leaderless=leaderless)
    monkeypatch.setattr("spark.sources.live.collect.collect_clusters", lambda *_: [result])
    monkeypatch.setattr("spark.jobs.collect._store", lambda *_: [])
    words = ("--bootstrap", "127.0.0.1:1", "--cluster", "c", "--out", tmp_path / "store")
    output = run("collect", *words, "--format", "json")
    assert (output.code, "It is incomplete" in output.err) == (code, bool(code))
    assert [row["state"] for row in tables_of(output)["clusters"]] == [state]


def test_no_option_takes_a_secret(run: Run) -> None:
    """What is on a command line, every user of the machine can see."""
    output = run("collect", "--help")
    assert output.code == 0
    for word in ("password", "token", "secret-"):
        assert f"--{word}" not in output.out
