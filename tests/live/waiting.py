"""Waiting for what comes by itself, within bounds: nothing here hangs for more than two minutes."""

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

WITHIN = 60.0  # seconds, on a machine that does many other things
MOST = 120  # seconds
CLOSES_WITHIN = 20  # seconds

guards: list[Callable[[], None]] = []
"""What looks while a test waits whether that is in vain: each raises NotReadyError then."""

_bound = 0
"""Seconds that a test has for what it reaches next; 0 outside of tests."""


class NotReadyError(Exception):
    """What a test waits for doesn't come; the sentence says what that is."""


def until(
    reached: Callable[[], bool],
    what: str,
    seen: Callable[[], object] | None = None,
    seconds: float = WITHIN,
) -> None:
    """Return when that is so; NotReadyError says `what` didn't come to be, and what is `seen`."""
    deadline = time.monotonic() + seconds
    while not reached():
        for guard in guards:
            guard()
        if time.monotonic() > deadline:
            instead = f" There is: {seen()}" if seen else ""
            raise NotReadyError(f"It did not come to this in {seconds:.0f} s: {what}.{instead}")
        time.sleep(0.05)
    go_on()


def go_on() -> None:
    """Say that something is reached: the test has as long again for what comes next."""
    if _bound:
        signal.alarm(_bound)


@contextmanager
def bounded(seconds: int = MOST) -> Iterator[None]:
    """A test that reaches nothing for so long fails, whatever it waits in."""
    global _bound  # noqa: PLW0603 - the signal is the process's

    def give_up(*_: object) -> None:
        if _bound:
            signal.alarm(CLOSES_WITHIN)  # where what cleans up hangs as well
            pytest.fail(
                f"The test hangs: for {seconds} s it has reached nothing that it waits for."
            )

    signal.signal(signal.SIGALRM, give_up)
    _bound = seconds
    go_on()
    try:
        yield
    finally:
        _bound = 0
        signal.alarm(0)
