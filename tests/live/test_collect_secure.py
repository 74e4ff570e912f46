"""Logging in by TLS and SASL; and that no secret shows anywhere."""

import base64
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from kafka.admin import ScramMechanism, UserScramCredentialUpsertion

from spark.sources.live.cluster import Cluster, Secret
from spark.sources.live.clusters_file import read_clusters
from spark.sources.live.collect import collect_cluster
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
def secured(broker: Brokers) -> Brokers:
    """PLAIN's user is in the settings; SCRAM's is made here."""
    with broker.admin() as admin:
        for mechanism in (ScramMechanism.SCRAM_SHA_256, ScramMechanism.SCRAM_SHA_512):
            altered = admin.alter_user_scram_credentials(
                [UserScramCredentialUpsertion(USER, mechanism, PASSWORD)]
            )
            assert altered == {USER: None}

        def known() -> int:
            described = admin.describe_user_scram_credentials().get(USER, {})
            return len(described.get("credential_infos", ()))

        until(lambda: known() == 2, "the broker knows the user by both mechanisms")
    return broker


def settings(broker: Brokers, address: str, mechanism: str, secret: str) -> str:
    user = "" if mechanism == "OAUTHBEARER" else f"username = '{USER}'\n"
    return (
        f"[cluster.safe]\nbootstrap = '{address}'\nsecurity = 'SASL_SSL'\n"
        f"mechanism = '{mechanism}'\n{user}{secret}\ntimeout = 5\nretries = 1\n"
        f"ca_file = '{broker.ca_file}'\n"
    )


def collect(run: Run, folder: Path, text: str) -> Said:
    file = folder / "clusters.toml"
    file.write_text(text)
    return run("collect", "--clusters", file, "--out", folder / "store", "--format", "json")


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"])
def test_each_mechanism_lets_us_in_by_its_secret_alone(
    secured: Brokers,
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    mechanism: str,
) -> None:
    """Neither log nor output nor tables have the secret, nor its base64 or bytes that went out.

    A wrong one, read from a file here, is shown to the broker once a run, however many tries are
    allowed: more lock accounts. It is one line without the secret, exit code 3, and no store.
    """
    kind, secret = ("token", token()) if mechanism == "OAUTHBEARER" else ("password", PASSWORD)
    file = tmp_path / "secret"
    file.write_text(WRONG + "\n")
    with Doorway(secured.secure_bootstrap) as doorway:
        door = doorway.address
        wrong = settings(secured, door, mechanism, f"{kind}_file = '{file}'")
        refused = collect(run, tmp_path, wrong)
        assert doorway.entered == 1
        caplog.set_level(logging.DEBUG, logger="kafka")  # as somebody's notebook may have it
        again = collect_cluster(read_clusters(tmp_path / "clusters.toml")[0])
        assert doorway.entered == 2
    assert refused.err == again.left_out[0] + "\n"
    assert (refused.code, refused.out) == (3, "")
    assert f"cluster safe can't be reached: {door}: it refuses the login" in refused.err
    assert f"by {mechanism}: " in refused.err
    assert "uthentication failed" in refused.err or "invalid_token" in refused.err
    assert not (tmp_path / "store").exists()

    monkeypatch.setenv("EVENFLEET_TEST_SECRET", secret)
    right = f"{kind}_env = 'EVENFLEET_TEST_SECRET'"
    address = secured.secure_bootstrap
    output = collect(run, tmp_path, settings(secured, address, mechanism, right))
    assert output.code == 0, output
    assert collect_cluster(read_clusters(tmp_path / "clusters.toml")[0]).left_out == []
    assert "Connected" in caplog.text
    files = (tmp_path / "store").rglob("*.parquet")
    tables = "".join(str(pq.read_table(file).to_pylist()) for file in files)
    for place in (output.out, output.err, refused.err, tables, caplog.text):
        for item in (secret, WRONG):
            assert item not in place
            assert base64.b64encode(item.encode()).decode().rstrip("=") not in place


WRONG_PORTS = {
    "TLS to a port without": ("SSL", "plain", "it does not speak TLS: security SSL or the port"),
    "no TLS to a port with": ("PLAINTEXT", "secure", "without an answer: security PLAINTEXT or"),
    "a login where none is": ("SASL_PLAINTEXT", "plain", "it takes no login: security SASL_PL"),
    "a mechanism not there": ("SASL_SSL", "secure", "it doesn't offer the mechanism GSSAPI; it"),
    "nobody vouches for it": ("SASL_SSL", "secure", "CERTIFICATE_VERIFY_FAILED"),
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
        ca_file=None if case == "nobody vouches for it" else secured.ca_file,
        timeout=1 if port == "silent" else 10,
        retries=0,
        **login,
    )
    if case == "a mechanism not there":
        object.__setattr__(cluster, "mechanism", "GSSAPI")  # no setting takes it
    assert reason in collect_cluster(cluster).left_out[0]
