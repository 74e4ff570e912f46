"""Spark's resolver of jars: tests that run side by side take turns, since they share its cache."""

import fcntl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def resolving() -> Iterator[None]:
    """While others resolve, wait."""
    with (Path(tempfile.gettempdir()) / "evenfleet-tests-resolver.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
