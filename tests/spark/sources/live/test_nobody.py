"""No broker there at all, or nobody who answers."""

from __future__ import annotations

import random
import socket
from pathlib import Path

import pytest

from tests.support.said import Run

pytest.importorskip("kafka", reason="the extra `live` is not installed")


def test_unreachable_brokers_are_one_line_and_exit_code_3(run: Run, tmp_path: Path) -> None:
    store = tmp_path / "store"
    words = ("--bootstrap", "127.0.0.1:1", "--bootstrap", "127.0.0.1:2", "--cluster", "prod")
    output = run("collect", *words, "--out", store, "--timeout", 1)
    assert output.code == 3
    assert output.out == ""
    assert output.err.count("\n") == 1
    assert output.err.startswith("cluster prod can't be reached: 127.0.0.1:1: ")
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
