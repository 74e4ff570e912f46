"""A copy of this process that computes something, says what it is, and ends."""

import os
import warnings
from collections.abc import Callable
from typing import IO


def start_copy(work: Callable[[IO[bytes]], object]) -> tuple[int, IO[bytes]]:
    """The id of a copy in which `work` writes its answer, and where that can be read.

    The copy ends when `work` does, however that is. The caller reads to the end and waits for it.
    """
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # It warns of threads, of which the copy has none.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if not child:
        try:
            with os.fdopen(writing, "wb") as pipe:
                work(pipe)
        finally:
            os._exit(0)
    os.close(writing)
    return child, os.fdopen(reading, "rb")
