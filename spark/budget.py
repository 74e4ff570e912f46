"""How long a strategy may work on one group."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import TypeVar

STRATEGY_SECONDS = 60.0
"""Seconds of processor time that a strategy has for one group, where nothing else is said."""

AGAIN_SECONDS = 1.0
"""So much later the clock rings again: a finalizer may have swallowed the exception."""

T = TypeVar("T")


class OverBudgetError(Exception):
    """A strategy used up its time for a group."""


def within(seconds: float, call: Callable[[], T]) -> T:
    """What `call` returns; OverBudgetError when it needs more than `seconds` (above 0).

    The processor time of the process counts, so that a busy machine makes no difference. The
    strategies know nothing of it: a signal interrupts them between two steps of Python, and so
    between calls of numpy, which are short. A call into OR-Tools is let finish (it is polynomial:
    seconds for a million partitions) and is over the budget then. Python tells its main thread
    alone of signals, in which a Spark worker runs its tasks; in another thread, and on Windows,
    there is no limit.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(
        signal, "setitimer"
    ):
        return call()

    def ring(number: int, frame: FrameType | None) -> None:
        raise OverBudgetError(
            f"it takes longer than the {seconds:g} seconds that a strategy has for one group "
            "(setting strategy_seconds)"
        )

    before = signal.signal(signal.SIGPROF, ring)
    try:
        try:
            signal.setitimer(signal.ITIMER_PROF, seconds, AGAIN_SECONDS)
            return call()
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    finally:  # it may ring at the last moment, before the clock is stopped
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
