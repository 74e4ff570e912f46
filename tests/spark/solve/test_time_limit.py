"""A limit for the time that a strategy may spend on one group."""

from __future__ import annotations

import signal
import threading
import time
from contextlib import suppress
from typing import Any

import pytest

from spark.errors import TimeLimitError
from spark.solve.time_limit import limited_to

MOMENT = 0.02


def for_ever() -> None:
    while True:
        pass


def test_what_is_in_time_is_returned() -> None:
    assert limited_to(60, lambda: "done") == "done"


def test_what_never_ends_is_stopped_and_the_budget_told() -> None:
    """Not after a moment: another process may have the processor as long as the clock lets wait."""
    with pytest.raises(TimeLimitError, match=r"longer than the 0\.1 seconds .*strategy_seconds"):
        limited_to(0.1, for_ever)


def test_what_waits_is_stopped_by_the_clock() -> None:
    with pytest.raises(TimeLimitError, match=r"not ended after 0\.2 seconds .*strategy_seconds"):
        limited_to(MOMENT, lambda: time.sleep(5))


def test_a_swallowed_interruption_is_followed_by_another() -> None:
    """Python drops what is raised in a finalizer."""
    swallowed = []

    def stubborn() -> None:
        try:
            for_ever()
        except TimeLimitError as error:
            swallowed.append(error)
        for_ever()

    with pytest.raises(TimeLimitError):
        limited_to(MOMENT, stubborn)
    assert len(swallowed) == 1


@pytest.mark.parametrize("call", [lambda: None, for_ever])
def test_nothing_rings_afterwards(call: Any) -> None:
    numbers = (signal.SIGPROF, signal.SIGALRM)
    before = [*map(signal.getsignal, numbers)]
    with suppress(TimeLimitError):
        limited_to(MOMENT, call)
    for timer in (signal.ITIMER_PROF, signal.ITIMER_REAL):
        assert signal.getitimer(timer) == (0.0, 0.0)
    assert [*map(signal.getsignal, numbers)] == before


def test_an_error_of_the_call_is_its_own() -> None:
    with pytest.raises(ZeroDivisionError):
        limited_to(60, lambda: 1 / 0)
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_another_thread_than_the_main_one_has_no_limit() -> None:
    """Python tells the main thread alone of signals."""
    results = []
    thread = threading.Thread(
        target=lambda: results.append(limited_to(1e-9, lambda: sum(range(10**6))))
    )
    thread.start()
    thread.join()
    assert results == [sum(range(10**6))]
