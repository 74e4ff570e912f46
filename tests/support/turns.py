"""Tests that look at what the whole JVM holds, alone; all others side by side."""

import contextlib
import fcntl
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def turn(folder: Path, alone: bool) -> Iterator[None]:
    """Wait until no test is alone, or, to be `alone`, until no other one runs.

    One that waits to be alone keeps the door, so that no new one passes before it.
    """
    with (folder / "door").open("w") as door, (folder / "room").open("w") as room:
        fcntl.flock(door, fcntl.LOCK_EX)
        fcntl.flock(room, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        fcntl.flock(door, fcntl.LOCK_UN)
        yield
