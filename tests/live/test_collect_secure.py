"""Logging in by TLS and SASL; and that no secret shows anywhere."""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from kafka import KafkaAdminClient
from kafka.admin import ScramMechanism, UserScramCredentialUpsertion

from spark.sources.live.cluster import Cluster, read_clusters
from spark.sources.live.collect import collect_cluster
from spark.sources.live.secret import Secret
from tests.live.brokers import PASSWORD, USER, Brokers
from tests.live.doorway import Doorway
from tests.live.waiting import until
from tests.support.said import Run, Said

WRONG = "wrong-horse-battery"


def token() -> str:
    """A token that nobody signed, which this broker takes and no real one would."""
    parts = ({"alg": "none"}, {"sub": USER, "iat": 1, "exp": 4_102_444_800})
    encoded = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode() for part in parts]
    return ".".join(part.rstrip("=") for part in encoded) + "."


@pytest.fixture(scope="module")
def secured(broker: Brokers) -> Iterator[Brokers]:
    """PLAIN's user is in the settings; SCRAM's is made here."""
    admin = KafkaAdminClient(bootstrap_servers=broker.bootstrap)
    for mechanism in (ScramMechanism.SCRAM_SHA_256, ScramMechanism.SCRAM_SHA_512):
        altered = admin.alter_user_scram_credentials(
            [UserScramCredentialUpsertion(USER, mechanism, PASSWORD)]
        )
        assert altered == {USER: None}
    assert until(lambda: len(known_mechanisms(admin)) == 2)
    admin.close()
    yield broker


def known_mechanisms(admin: KafkaAdminClient) -> list[Any]:
    described = admin.describe_user_scram_credentials().get(USER, {})
    return list(described.get("credential_infos", ()))


def settings(broker: Brokers, mechanism: str, secret: str, ca: bool = True) -> str:
    user = "" if mechanism == "OAUTHBEARER" else f"username = '{USER}'\n"
    return (
        f"[cluster.safe]\nbootstrap = '{broker.secure_bootstrap}'\nsecurity = 'SASL_SSL'\n"
        f"mechanism = '{mechanism}'\n{user}{secret}\ntimeout = 5\nretries = 1\n"
        + (f"ca_file = '{broker.ca_file}'\n" if ca else "")
    )


def collect(run: Run, folder: Path, text: str) -> Said:
    file = folder / "clusters.toml"
    file.write_text(text)
    return run("collect", "--clusters", file, "--out", folder / "store", "--format", "json")


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"])
def test_each_mechanism_lets_us_in_and_shows_no_secret(
    secured: Brokers,
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    mechanism: str,
) -> None:
    """Neither log nor output nor tables have it, nor the base64 or the bytes that went out."""
    secret = token() if mechanism == "OAUTHBEARER" else PASSWORD
    kind = "token" if mechanism == "OAUTHBEARER" else "password"
    monkeypatch.setenv("EVENFLEET_TEST_SECRET", secret)
    output = collect(
        run, tmp_path, settings(secured, mechanism, f"{kind}_env = 'EVENFLEET_TEST_SECRET'")
    )
    assert output.code == 0, output
    caplog.set_level(logging.DEBUG, logger="kafka")  # as somebody's notebook may have it
    (cluster,) = read_clusters(tmp_path / "clusters.toml")
    assert collect_cluster(cluster).left_out == []
    assert "Connected" in caplog.text
    store = tmp_path / "store"
    tables = "".join(str(pq.read_table(f).to_pylist()) for f in store.rglob("*.parquet"))
    for place in (output.out, output.err, tables, caplog.text):
        assert secret not in place
        assert base64.b64encode(secret.encode()).decode().rstrip("=") not in place


@pytest.fixture
def doorway(secured: Brokers) -> Iterator[Doorway]:
    """Before the secure listener, and counts who comes."""
    with Doorway(secured.secure_bootstrap) as doorway:
        yield doorway


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"])
def test_a_wrong_secret_is_shown_once_and_told_the_same_each_time(
    secured: Brokers,
    doorway: Doorway,
    run: Run,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    mechanism: str,
) -> None:
    """One connection to the broker a run, however many tries are allowed; more lock accounts.

    Read from a file, here; one line without it, exit code 3, and no store.
    """
    file = tmp_path / "secret"
    file.write_text(WRONG + "\n")
    kind = "token" if mechanism == "OAUTHBEARER" else "password"
    text = settings(secured, mechanism, f"{kind}_file = '{file}'")
    output = collect(run, tmp_path, text.replace(secured.secure_bootstrap, doorway.address))
    assert doorway.entered == 1
    caplog.set_level(logging.DEBUG, logger="kafka")
    again = collect_cluster(read_clusters(tmp_path / "clusters.toml")[0])
    assert doorway.entered == 2
    assert output.err == again.left_out[0] + "\n"
    assert (output.code, output.out) == (3, "")
    assert f"cluster safe can't be reached: {doorway.address}: it refuses the login" in output.err
    assert f"by {mechanism}: " in output.err
    assert "uthentication failed" in output.err or "invalid_token" in output.err
    assert not (tmp_path / "store").exists()
    assert WRONG not in output.err + caplog.text


WRONG_PORTS = {
    "TLS to a port without": ("SSL", "plain", "it does not speak TLS: security SSL or the port"),
    "no TLS to a port with": ("PLAINTEXT", "secure", "without an answer: security PLAINTEXT or"),
    "a login where none is": ("SASL_PLAINTEXT", "plain", "it takes no login: security SASL_PL"),
    "a mechanism not there": (
        "SASL_SSL",
        "secure",
        "it doesn't offer the mechanism GSSAPI; it",
    ),
    "Kafka to a web server": ("PLAINTEXT", "web", "as a Kafka broker does: security PLAINTEXT or"),
    "TLS to a web server": ("SSL", "web", "it does not speak TLS: security SSL or the port may"),
    "TLS to silence": ("SSL", "silent", "it did not answer within 1 s"),
    "Kafka to silence": ("PLAINTEXT", "silent", "it did not answer within 1 s"),
}


@pytest.fixture(scope="module")
def ports(secured: Brokers) -> Iterator[dict[str, str]]:
    with Doorway("") as silent, Doorway("", b"HTTP/1.1 400 Bad Request\r\n\r\n") as web:
        yield {
            "plain": secured.bootstrap,
            "secure": secured.secure_bootstrap,
            "silent": silent.address,
            "web": web.address,
        }


@pytest.mark.parametrize("case", WRONG_PORTS)
def test_what_is_wrong_with_security_or_port_is_said(
    secured: Brokers, ports: dict[str, str], monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    monkeypatch.setenv("EVENFLEET_TEST_SECRET", PASSWORD)
    security, port, reason = WRONG_PORTS[case]
    login: dict[str, Any] = {}
    if security.startswith("SASL"):
        password = Secret(variable="EVENFLEET_TEST_SECRET")
        login = {"mechanism": "PLAIN", "username": USER, "password": password}
    cluster = Cluster(
        "c",
        (ports[port],),
        security=security,
        ca_file=secured.ca_file,
        timeout=1 if port == "silent" else 10,
        retries=0,
        **login,
    )
    if case == "a mechanism not there":
        object.__setattr__(cluster, "mechanism", "GSSAPI")  # no setting takes it
    assert reason in collect_cluster(cluster).left_out[0]


def test_a_certificate_that_nobody_vouches_for_is_said(
    secured: Brokers, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVENFLEET_TEST_SECRET", PASSWORD)
    text = settings(secured, "PLAIN", "password_env = 'EVENFLEET_TEST_SECRET'", ca=False)
    output = collect(run, tmp_path, text)
    assert output.code == 3
    assert "CERTIFICATE_VERIFY_FAILED" in output.err
    assert output.err.count("\n") == 1


def test_no_option_takes_a_secret(run: Run) -> None:
    """What is on a command line, every user of the machine can see."""
    output = run("collect", "--help")
    assert output.code == 0
    for word in ("password", "token", "secret-"):
        assert f"--{word}" not in output.out
