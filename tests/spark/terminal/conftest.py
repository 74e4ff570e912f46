"""What tests of the terminal share."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from spark.terminal.console import OUT


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """A terminal of that many columns."""

    def terminal(width: int) -> None:
        monkeypatch.setattr(OUT, "_force_terminal", True)
        monkeypatch.setattr(OUT, "_width", width)

    return terminal
