"""What tests of the terminal share."""

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from spark.terminal import session
from spark.terminal.console import OUT
from tests.support.said import Run


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """A terminal of that many columns."""

    def terminal(width: int) -> None:
        monkeypatch.setattr(OUT, "_force_terminal", True)
        monkeypatch.setattr(OUT, "_width", width)

    return terminal


@pytest.fixture
def in_session(spark: SparkSession, run: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command in this process as it runs by itself, but for the start and end of Java."""
    monkeypatch.setattr("spark.terminal.stores.start", session.session)
    monkeypatch.setattr(session, "_start", lambda *_, **__: spark)
    monkeypatch.setattr(session, "_stop", lambda _: None)
    return run
