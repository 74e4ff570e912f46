"""Ctrl-C and TERM: a command ends at once and in one sentence, and Spark's Java process with it."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from spark.startup.java_process import running

SIGNALS = {
    signal.SIGINT: "interrupted by Ctrl-C before it was done: run it again",
    signal.SIGTERM: "ended by SIGTERM before it was done: run it again",
}
"""The sentence on each."""


class Interrupts:
    """The first signal that came, if one did.

    Any error after it is a consequence: calls to a Java process that is ending fail in many
    ways.
    """

    def __init__(self) -> None:
        self.received: signal.Signals | None = None
        self.is_explained = False
        self._held = False

    def receive(self, number: int, _: FrameType | None = None) -> None:
        """What the signals call."""
        self.received = self.received or signal.Signals(number)
        if not self._held:
            running().end()
            raise KeyboardInterrupt

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Let a signal wait for the end of this."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
            if self.received:
                self.receive(self.received)


_current = Interrupts()


@contextmanager
def interrupts() -> Iterator[Interrupts]:
    """Take the signals of a command, also where a shell that ran it with `&` had SIGINT ignored."""
    global _current  # noqa: PLW0603 - handlers of signals are the process's
    _current = taken = Interrupts()
    before = {}
    if threading.current_thread() is threading.main_thread():
        before = {number: signal.signal(number, taken.receive) for number in SIGNALS}
    try:
        yield taken
    finally:
        if taken.received:
            running().wait_or_kill()
        for number, handler in before.items():
            signal.signal(number, handler)


def explained() -> None:
    """The command itself says what a signal leaves behind, so it needn't be run again."""
    _current.is_explained = True


@contextmanager
def held() -> Iterator[None]:
    """Let signals wait: of a process that is being started nobody knows the number yet."""
    with _current.hold():
        yield


@contextmanager
def handlers_kept() -> Iterator[None]:
    """PySpark takes SIGINT for itself when it starts; give it back to who had it."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, before)
