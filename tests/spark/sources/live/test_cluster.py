"""Where clusters are said to be, what they are called, and where their secrets are."""

import logging
import pickle
from pathlib import Path

import pytest

from spark import InputError
from spark.sources.live.cluster import (
    Cluster,
    ClusterSelection,
    Secret,
    unlogged_wire,
)
from spark.sources.live.clusters_file import read_clusters
from spark.sources.live.collect import mixed_up
from tests.paths import ROOT


def test_the_example_can_be_read() -> None:
    example = ROOT / "conf" / "clusters.toml"
    (prod,) = read_clusters(example)
    servers = ("kafka-1.example.com:9093", "kafka-2.example.com:9093")
    assert prod == Cluster("prod", servers)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "[cluster.NAME]"),
        ("[cluster]\nprod = 1", "has to be a table"),
        ("[cluster.'']\nbootstrap = 'b:1'", "cluster '': its name is empty"),
        ("[cluster.' ']\nbootstrap = 'b:1'", "its name is empty"),
        ("[cluster.a", "is not TOML"),
        *(
            (f"[cluster.a]\nbootstrap = 'b:1'\n{more}", said)
            for more, said in [
                ("password = 'hunter2'", "password_env or password_file"),
                ("security = 'TLS'", "none of PLAINTEXT, SSL"),
                ("security = 'SASL_SSL'", "mechanism None is none of"),
                ("username = 'u'", "takes no user"),
                (
                    "security = 'SASL_SSL'\nmechanism = 'PLAIN'",
                    "PLAIN needs username, and password_env or password_file",
                ),
                ("security = 'SASL_SSL'\nmechanism = 'OAUTHBEARER'", "token_env or token_file"),
                ("ca_file = '/no/such'", "/no/such is not there"),
                ("rack_pattern = '('", "not a regular expression"),
                ("timeout = true", "timeout is True and must be a number above 0 and at most 600"),
            ]
        ),
    ],
)
def test_what_is_wrong_is_said_without_secrets(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "clusters.toml"
    file.write_text(text)
    with pytest.raises(InputError) as error:
        read_clusters(file)
    assert said in str(error.value)
    assert "hunter2" not in str(error.value)


def test_faults_of_all_clusters_come_at_once(tmp_path: Path) -> None:
    file = tmp_path / "clusters.toml"
    file.write_text("[cluster.a]\nbotstrap = 'b:1'\n[cluster.b]\nbootstrap = 'b'\ntimeout = 0")
    with pytest.raises(InputError) as error:
        read_clusters(file)
    assert str(error.value) == (
        f"clusters {file}: cluster a: bootstrap is missing: give one broker or more as HOST:PORT; "
        "unknown key 'botstrap' (did you mean bootstrap?); cluster b: bootstrap server 'b' is not "
        "of the form HOST:PORT; timeout has to be within 600 seconds, and retries from 0 to 10"
    )


def test_patterns_take_names_and_leave_names_out() -> None:
    wanted = ClusterSelection(("pay-*", "orders"), ("*-test",))
    assert [name for name in ("pay-1", "orders", "pay-test", "other") if name in wanted] == [
        "pay-1",
        "orders",
    ]
    assert "anything" in ClusterSelection()


def test_a_rack_is_found_in_a_client_id() -> None:
    cluster = Cluster("c", ("b:1",), rack_pattern="rack=([a-z0-9-]+)")
    assert cluster.rack_in("app rack=eu-1a;x") == "eu-1a"
    assert cluster.rack_in("app") is None
    assert cluster.rack_in(None) is None
    assert Cluster("c", ("b:1",), rack_pattern="eu-[0-9]").rack_in("x-eu-2-y") == "eu-2"


def test_a_secret_comes_from_the_environment_or_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "secret"
    file.write_text("from file\r\n")
    monkeypatch.setenv("THE_SECRET", "from environment")
    assert Secret(variable="THE_SECRET").read() == "from environment"
    assert Secret(file=file).read() == "from file"


@pytest.mark.parametrize("secret", [Secret("NOT_SET_ANYWHERE"), Secret(file=Path("/no/such"))])
def test_a_secret_that_is_not_there_is_bad_input(secret: Secret) -> None:
    with pytest.raises(InputError, match=r"NOT_SET_ANYWHERE|/no/such"):
        secret.read()


def test_a_cluster_can_be_printed_and_pickled_without_its_secrets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("THE_SECRET", "hunter2")
    cluster = Cluster(
        "c", ("b:1",), "SASL_SSL", "PLAIN", username="u", password=Secret("THE_SECRET")
    )
    assert "hunter2" not in repr(cluster)
    assert b"hunter2" not in pickle.dumps(cluster)


def test_what_this_thread_sends_is_not_logged_at_any_level(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """kafka-python prints each byte at level DEBUG, those of a login included."""
    name = "kafka.protocol.parser"
    caplog.set_level(logging.DEBUG, name)  # of its own: a command silences all of "kafka"
    logger = logging.getLogger(name)
    with unlogged_wire():
        logger.debug("Send: %r", b"\0user\0hunter2")
        logger.warning("something else")
    logger.debug("later")
    assert [record.getMessage() for record in caplog.records] == ["something else", "later"]


def test_each_name_with_an_id_of_its_own_is_fine() -> None:
    assert [*mixed_up({"a": "1", "b": "2"}, {"a": "1", "c": "3"})] == []


def test_two_names_of_one_cluster_now_or_before() -> None:
    (now,) = mixed_up({"a": "1", "b": "1"}, {})
    assert now.startswith("2 clusters (a, b) are one cluster: its id is 1.")
    (renamed,) = mixed_up({"b": "1"}, {"a": "1"})
    assert renamed.startswith("2 clusters (a, b) are one cluster")


def test_one_name_of_two_clusters() -> None:
    (sentence,) = mixed_up({"a": "2"}, {"a": "1"})
    assert sentence == (
        "cluster a has the id 2 and had 1 before: one name for two clusters mixes up their history"
    )
