"""Calls that no signal interrupts, in a process that can be ended."""

import os
import signal
import threading
from collections.abc import Callable

import numpy as np

from optimizer.model import IntArray
from optimizer.process_copy import copied

NONE, SOME, FAILED = b"0", b"1", b"2"
"""What the first byte of an answer says."""


def interruptible(call: Callable[[], IntArray | None]) -> IntArray | None:
    """What `call` returns; where a timer for processor time is running, it ends the call as well.

    Python tells of a signal between two of its own steps, and not while a library computes. So the
    call is made in a copy of this process, which the timer ends at once; what is left of the time
    counts there, and what the copy needed is taken off here. A timer that ends the copy rings here.
    Without a timer, beside the main thread, and on Windows it is a plain call.
    """
    left = signal.getitimer(signal.ITIMER_PROF)[0] if hasattr(signal, "setitimer") else 0
    if not left or threading.current_thread() is not threading.main_thread():
        return call()
    child, pipe = copied(lambda pipe: pipe.write(_answer(call, left)))
    ended = False
    try:
        with pipe:
            text, answer = pipe.read(1), pipe.read()
        status, used = _end_of(child)
        ended = True
    finally:
        if not ended:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGPROF:
        signal.raise_signal(signal.SIGPROF)
    _take_off(used)
    if text == FAILED:
        raise RuntimeError(answer.decode())
    if text not in (NONE, SOME):
        raise RuntimeError(f"the process that planned this group ended with status {status}")
    return np.frombuffer(answer, np.int64).copy() if text == SOME else None


def _answer(call: Callable[[], IntArray | None], seconds: float) -> bytes:
    """What the copy says, unless the timer rings before."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        result = call()
        return NONE if result is None else SOME + result.astype(np.int64).tobytes()
    except Exception as error:
        return FAILED + f"{type(error).__name__}: {error}".encode()


def _end_of(child: int) -> tuple[int, float]:
    """How it ended, and the processor time that it took."""
    _, status, usage = os.wait4(child, 0)
    return status, usage.ru_utime + usage.ru_stime


def _take_off(seconds: float) -> None:
    """Let the timer ring so much earlier."""
    left, again = signal.getitimer(signal.ITIMER_PROF)
    if left:
        signal.setitimer(signal.ITIMER_PROF, max(left - seconds, 1e-6), again)
