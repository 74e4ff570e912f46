"""What a signal can't interrupt is ended with its process."""

import os
import signal
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from optimizer.flow.or_tools import interruptible


class TooLongError(Exception):
    """The timer rang."""


@pytest.fixture
def timer() -> Iterator[Any]:
    def ring(*_: Any) -> None:
        raise TooLongError

    before = signal.signal(signal.SIGPROF, ring)
    yield lambda seconds: signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.signal(signal.SIGPROF, before)


def test_a_call_that_python_cannot_interrupt_is_ended(timer: Any) -> None:
    """Summing so many numbers is one step of Python, of some hours."""
    timer(0.05)
    with pytest.raises(TooLongError):
        interruptible(lambda: np.array([sum(range(10**13))]))


def test_answers_are_those_of_the_call(timer: Any) -> None:
    timer(60)
    numbers = np.arange(100_000)
    indices = interruptible(lambda: numbers * 3)
    assert indices is not None
    assert np.array_equal(indices, numbers * 3)
    assert interruptible(lambda: None) is None
    assert interruptible(lambda: np.array([os.getpid()])) != [os.getpid()]


def test_what_the_call_needs_is_taken_off_the_time(timer: Any) -> None:
    timer(60)
    interruptible(lambda: np.array([sum(range(10**7))]))
    assert signal.getitimer(signal.ITIMER_PROF)[0] < 59.97


def test_an_error_is_told(timer: Any) -> None:
    timer(60)
    with pytest.raises(RuntimeError, match="ZeroDivisionError: "):
        interruptible(lambda: np.array([1 // 0]))
    with pytest.raises(RuntimeError, match="ended with status 9"):
        interruptible(lambda: os.kill(os.getpid(), signal.SIGKILL))


def test_without_a_timer_no_process_is_made() -> None:
    indices = interruptible(lambda: np.array([os.getpid()]))
    assert indices == [os.getpid()]
