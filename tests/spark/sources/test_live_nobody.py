"""No broker there at all."""

from pathlib import Path

from tests.spark.said import Run


def test_unreachable_brokers_are_one_line_and_exit_code_3(run: Run, tmp_path: Path) -> None:
    store = tmp_path / "store"
    words = ("--bootstrap", "127.0.0.1:1", "--bootstrap", "127.0.0.1:2", "--cluster", "prod")
    said = run("collect", *words, "--out", store, "--timeout", 1)
    assert said.code == 3
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert said.err.startswith("cluster prod can't be reached: 127.0.0.1:1: ")
    assert "127.0.0.1:2: " in said.err
    assert not store.exists()
