"""Locks between processes: of this run, and of all runs on this machine."""

import fcntl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """While others hold the file, wait."""
    with file.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def alone_with(what: str) -> Iterator[None]:
    """Run by run what the runs of this machine share."""
    with locked(Path(tempfile.gettempdir()) / f"evenfleet-tests-{what}.lock"):
        yield


@contextmanager
def resolving() -> Iterator[None]:
    """Spark's resolver of jars, which has one cache."""
    with alone_with("resolver"):
        yield


@contextmanager
def turn(folder: Path, alone: bool) -> Iterator[None]:
    """Wait until no test is alone, or, to be `alone`, until no other one runs.

    Tests that look at what the whole JVM holds are alone. One that waits to be so keeps the door,
    so that no new one passes before it.
    """
    with (folder / "room").open("w") as room:
        with locked(folder / "door"):
            fcntl.flock(room, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        yield
