"""A second try for surroundings that don't get going, counted and shown; an assertion has none.

The counts stand in pytest's summary: it is a plugin as well, since processes of a run send theirs
to the one that prints.
"""

import warnings
from collections.abc import Callable
from subprocess import TimeoutExpired
from typing import Any, TypeVar

import pytest

from tests.live.waiting import NotReadyError

T = TypeVar("T")

SENT = "second_tries"

started: dict[str, int] = {}
again: dict[str, int] = {}


def second_try(what: str, begin: Callable[[], T], count: int = 1) -> T:
    """What `begin` returns, which starts `count` of these, or of its second call."""
    _add(started, what, count)
    try:
        return begin()
    except (NotReadyError, TimeoutExpired) as error:
        _add(again, what, count)
        warnings.warn(f"tried a second time: {what}. {error}", stacklevel=2)
        return begin()


def _add(counts: dict[str, int], what: str, count: int) -> None:
    counts[what] = counts.get(what, 0) + count


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput[SENT] = (started, again)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    for total, counts in zip(
        (started, again), getattr(node, "workeroutput", {}).get(SENT, ({}, {})), strict=True
    ):
        for what, count in counts.items():
            _add(total, what, count)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for what, count in started.items():
        terminalreporter.write_line(
            f"{what} started: {count}, tried a second time: {again.get(what, 0)}"
        )
