"""The torture store, and what each command says of it: each runs once."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spark.settings import USUAL_STRATEGIES
from tests.support.said import Run, Said
from tests.support.torture import write_torture

ODD_FOLDER = "{a,[b]}*? ä%20\\b"
"""A path is a path, whatever patterns and escapes it looks like."""

Once = Callable[..., Said]


def audit_words(results: Path) -> tuple[object, ...]:
    """Of the audit of the whole store, which tests of the report share."""
    words = ("--out", results / "audit", "--prometheus", results / "evenfleet.prom")
    return (*words, "--fail-on", "critical", "--format", "json", "--no-history")


def compare_words(results: Path) -> tuple[object, ...]:
    """Of the comparison of the whole store, under the strategies of the report."""
    words = ("--out", results / "compare", "--strategies", ",".join(USUAL_STRATEGIES))
    return (*words, "--format", "json")


def history_words(results: Path) -> tuple[object, ...]:
    """Of the history of the whole store."""
    return ("--out", results / "history", "--format", "json")


@pytest.fixture(scope="session")
def torture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_torture(tmp_path_factory.mktemp("torture") / ODD_FOLDER / "store")


@pytest.fixture(scope="session")
def results(torture: Path) -> Path:
    """The folder in which commands write: of the same odd name."""
    return torture.parent


@pytest.fixture(scope="session")
def said_once() -> dict[tuple[Any, ...], Said]:
    return {}


@pytest.fixture
def once(run: Run, said_once: dict[tuple[Any, ...], Said]) -> Once:
    """Runs a command, or gives back what it said before."""

    def said(*words: object) -> Said:
        if words not in said_once:
            said_once[words] = run(*words)
        return said_once[words]

    return said
