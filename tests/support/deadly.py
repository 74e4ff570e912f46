"""Own strategies that end their process for some groups, by the name of the group's topic."""

from __future__ import annotations

import ctypes
import os
import signal
from typing import Any

from optimizer import Group, assign


def crash() -> None:
    ctypes.string_at(0)


def leave() -> None:
    os._exit(7)


def be_killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def exit_python() -> None:
    raise SystemExit(3)


def interrupt() -> None:
    raise KeyboardInterrupt


def never_return() -> None:
    """Lock a mutex twice, which no signal interrupts, and keep Python's own lock meanwhile."""
    libc, mutex = ctypes.PyDLL(None), ctypes.create_string_buffer(64)
    libc.pthread_mutex_lock(mutex)
    libc.pthread_mutex_lock(mutex)


ENDS = {
    "crash": (crash, "SIGSEGV"),
    "leave": (leave, "exit code 7"),
    "be_killed": (be_killed, "SIGKILL, most often for want of memory"),
    "exit_python": (exit_python, "SystemExit: 3"),
    "interrupt": (interrupt, "KeyboardInterrupt"),
    "never_return": (
        never_return,
        "exit code 1, also where compiled code doesn't return in time",
    ),
}
"""By topic, and what is told of the end."""

STRATEGY = f"{__name__}:deadly"


def deadly(group: Group) -> Any:
    """As range does, but for groups that read one of `ENDS`."""
    for topic in group.topics:
        if topic in ENDS:
            ENDS[topic][0]()
    return assign(group, strategy="range").assignment
