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

from spark.sources.live.cluster import read_clusters
from spark.sources.live.collect import collect_cluster
from tests.live.brokers import PASSWORD, USER, Brokers
from tests.live.waiting import until
from tests.spark.support.said import Run, Said

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
    said = collect(
        run, tmp_path, settings(secured, mechanism, f"{kind}_env = 'EVENFLEET_TEST_SECRET'")
    )
    assert said.code == 0, said
    caplog.set_level(logging.DEBUG, logger="kafka")  # as somebody's notebook may have it
    (cluster,) = read_clusters(tmp_path / "clusters.toml")
    assert collect_cluster(cluster).left_out == []
    assert "Connected" in caplog.text
    store = tmp_path / "store"
    tables = "".join(str(pq.read_table(f).to_pylist()) for f in store.rglob("*.parquet"))
    for place in (said.out, said.err, tables, caplog.text):
        assert secret not in place
        assert base64.b64encode(secret.encode()).decode().rstrip("=") not in place


def test_a_wrong_password_is_one_line_without_it(
    secured: Brokers, run: Run, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Read from a file, here; exit code 3, and no store."""
    file = tmp_path / "secret"
    file.write_text(WRONG + "\n")
    said = collect(run, tmp_path, settings(secured, "PLAIN", f"password_file = '{file}'"))
    caplog.set_level(logging.DEBUG, logger="kafka")
    collect_cluster(read_clusters(tmp_path / "clusters.toml")[0])
    assert said.code == 3
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert "cluster safe can't be reached" in said.err
    assert "Authentication failed" in said.err or "hung up during the login" in said.err
    assert not (tmp_path / "store").exists()
    assert WRONG not in said.err + caplog.text


def test_a_certificate_that_nobody_vouches_for_is_said(
    secured: Brokers, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVENFLEET_TEST_SECRET", PASSWORD)
    text = settings(secured, "PLAIN", "password_env = 'EVENFLEET_TEST_SECRET'", ca=False)
    said = collect(run, tmp_path, text)
    assert said.code == 3
    assert "CERTIFICATE_VERIFY_FAILED" in said.err
    assert said.err.count("\n") == 1


def test_no_option_takes_a_secret(run: Run) -> None:
    """What is on a command line, every user of the machine can see."""
    said = run("collect", "--help")
    assert said.code == 0
    for word in ("password", "token", "secret-"):
        assert f"--{word}" not in said.out
