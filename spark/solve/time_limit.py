"""How long a strategy may work on one group."""

from __future__ import annotations

import faulthandler
import os
import signal
import threading
import time
from collections.abc import Callable
from math import ceil
from pathlib import Path
from types import FrameType
from typing import IO, Any, TypeVar

from pyspark import TaskContext

from optimizer.model import TimeLimitError

AGAIN_SECONDS = 1.0
"""So much later the clock rings again: a finalizer may have swallowed the exception."""

WAITS = 10
"""Factor of a limit of processor time that a strategy may take by the clock, since it may wait."""

GIVES_UP = 2
"""Factor after which a Spark worker in which nothing can be stopped is ended."""

WATCHED = 1.25
"""Factor of that for which one watch is set: it takes a thread, and serves the calls in between."""

T = TypeVar("T")


class TimeLimit:
    """Stops calls that need more than `seconds` (above 0) each, while it is entered.

    The processor time of the process counts, so that a busy machine makes no difference. A call
    that waits needs none: it is stopped after `WAITS` times as long by the clock. The
    strategies know nothing of it: a signal interrupts them between two steps of Python, and so
    between calls of numpy, which are short, and the process of a long call into OR-Tools (see
    `optimizer.flow.or_tools`). Python tells its main thread
    alone of signals, in which a Spark worker runs its tasks; in another thread, and on Windows,
    there is no limit.

    Compiled code that doesn't return can't be stopped so. A Spark worker in it is ended from
    outside of Python, and the group fails (`spark.groups.workers`): by the kernel (SIGXCPU) once
    it has used `GIVES_UP` times the limit of processor time; where it waits, by a watch after
    `GIVES_UP` times as long as it may, or a quarter more (exit code 1). Other processes wait.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        is_main = threading.current_thread() is threading.main_thread()
        self._has_limit = is_main and hasattr(signal, "setitimer")
        self._handlers: dict[int, Any] = {}
        self._nowhere: IO[str] | None = None
        self._watched_until = 0.0

    def __enter__(self) -> TimeLimit:
        if self._has_limit:
            for number in (signal.SIGPROF, signal.SIGALRM):
                self._handlers[number] = signal.signal(number, self._ring)
            if TaskContext.get() is not None:
                self._nowhere = Path(os.devnull).open("w")
        return self

    def __exit__(self, *_: object) -> None:
        if self._has_limit:
            for number, handler in self._handlers.items():
                signal.signal(number, handler)
        if self._nowhere:
            faulthandler.cancel_dump_traceback_later()
            self._nowhere.close()

    def spend(self, call: Callable[[], T]) -> T:
        """Call within the limit; TimeLimitError when it needs too long."""
        if not self._has_limit:
            return call()
        try:
            try:
                signal.setitimer(signal.ITIMER_PROF, self.seconds, AGAIN_SECONDS)
                signal.setitimer(signal.ITIMER_REAL, WAITS * self.seconds, AGAIN_SECONDS)
                self._watch()
                return call()
            finally:
                _stop_clocks()
                self._limit_processor(None)
        finally:  # one may ring at the last moment, before it is stopped
            _stop_clocks()

    def _watch(self) -> None:
        """A thread that needs no Python ends a Spark worker in which a call doesn't return."""
        self._limit_processor(GIVES_UP * self.seconds)
        seconds = GIVES_UP * WAITS * self.seconds
        if self._nowhere and time.monotonic() + seconds > self._watched_until:
            seconds *= WATCHED
            self._watched_until = time.monotonic() + seconds
            faulthandler.dump_traceback_later(seconds, file=self._nowhere, exit=True)

    def _limit_processor(self, seconds: float | None) -> None:
        """Let the kernel end a Spark worker after that processor time; None lifts the limit."""
        if self._nowhere:
            import resource  # noqa: PLC0415 - there is none on Windows

            _, most = resource.getrlimit(resource.RLIMIT_CPU)
            soft = most if seconds is None else ceil(time.process_time() + seconds)
            if most != resource.RLIM_INFINITY:
                soft = min(soft, most)
            resource.setrlimit(resource.RLIMIT_CPU, (soft, most))

    def _ring(self, number: int, frame: FrameType | None) -> None:
        if number == signal.SIGALRM:
            raise TimeLimitError(
                f"it waits: it has not ended after {WAITS * self.seconds:g} seconds ({WAITS} "
                "times the setting strategy_seconds)"
            )
        raise TimeLimitError(
            f"it takes longer than the {self.seconds:g} seconds that a strategy has for one group "
            "(setting strategy_seconds)"
        )


def _stop_clocks() -> None:
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)


def limited_to(seconds: float, call: Callable[[], T]) -> T:
    """One call with a limit of its own."""
    with TimeLimit(seconds) as limit:
        return limit.spend(call)
