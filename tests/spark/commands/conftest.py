"""The torture store, and what each command says of it: each runs once."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.said import Run, Said
from tests.support.torture import write_torture

ODD_FOLDER = "{a,[b]}*? ä%20\\b"
"""A path is a path, whatever patterns and escapes it looks like."""

Once = Callable[..., Said]


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
