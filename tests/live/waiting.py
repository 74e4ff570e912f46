"""Waiting for something that comes by itself."""

from __future__ import annotations

import time
from collections.abc import Callable

WITHIN = 60.0  # seconds, on a machine that does many other things


def until(reached: Callable[[], bool], seconds: float = WITHIN) -> bool:
    """Whether it comes to be, in that time."""
    deadline = time.monotonic() + seconds
    while not reached():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True
