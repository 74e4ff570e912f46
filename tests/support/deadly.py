"""Own strategies that end their process for some groups, by the name of the group's topic."""

import ctypes
import faulthandler
import os
import signal
from typing import Any

from optimizer import Group, assign
from tests.support.fleets import Fleet


def crash() -> None:
    faulthandler.disable()  # pytest's would print where
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
SECONDS = 0.1
"""For each group; a worker that can't be stopped ends after 20 times as long."""


def deadly(group: Group) -> Any:
    """As range does, but for groups that read one of `ENDS`."""
    for topic in group.topics:
        if topic in ENDS:
            ENDS[topic][0]()
    return assign(group, strategy="range").assignment


DEADLY = Fleet()
"""More groups that end their worker than a task has tries, and a sound one at each end."""

for _topic in ("a", *ENDS, "z"):
    DEADLY.topic(_topic, 2).group(f"{_topic}-group", {"m": [_topic], "n": [_topic]})

EXPECTED: dict[str, tuple[str, str | None]] = {
    f"{topic}-group": ("failed", f"solving it ended the worker ({report})")
    for topic, (_, report) in ENDS.items()
}
EXPECTED = {"a-group": ("ok", None), **EXPECTED, "z-group": ("ok", None)}
"""Status and reason of each group."""
