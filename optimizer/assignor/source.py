"""Reading a plan's text in bounded time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit
from urllib.request import urlopen

LIMIT = 64 * 2**20
"""Bytes: more than a plan of two million partitions takes."""

T = TypeVar("T")


def within(seconds: float, work: Callable[[], T]) -> T:
    """What `work` returns or raises; TimeoutError if it takes longer.

    It runs in a thread that nobody waits for any more: neither a slow name server, nor a server
    that sends a byte a second, nor a file system that hangs can hold up the caller.
    """
    outcome: Future[T] = Future()

    def run() -> None:
        try:
            outcome.set_result(work())
        except BaseException as error:
            outcome.set_exception(error)

    threading.Thread(target=run, daemon=True, name="evenfleet-plan").start()
    try:
        return outcome.result(seconds)
    except TimeoutError:
        if outcome.done():  # just now, or by a TimeoutError of its own
            return outcome.result()
        raise TimeoutError(f"it took longer than {seconds:g} s") from None


def text_of(location: str, seconds: float) -> bytes:
    """What is in the file, or behind the http(s) URL, `location`.

    Raises OSError (TimeoutError and URLError are), or ValueError for a URL that can't be and for
    more than `LIMIT` bytes.
    """
    return within(seconds, lambda: _limited(location, seconds))


def _limited(location: str, seconds: float) -> bytes:
    if is_url(location):
        if "@" in urlsplit(location).netloc:  # or an error of urllib's would print the password
            raise ValueError("a URL with a user or a password can't be read")
        with urlopen(location, timeout=seconds) as answer:
            found: bytes = answer.read(LIMIT + 1)
    else:
        with Path(location).open("rb") as file:
            found = file.read(LIMIT + 1)
    if len(found) > LIMIT:
        raise ValueError(f"it has more than {LIMIT} bytes")
    return found


def is_url(location: str) -> bool:
    return location.lower().startswith(("http://", "https://"))


def without_secrets(location: str) -> str:
    """The location as a log may have it: without a user, a password or a token."""
    if not is_url(location):
        return location
    parts = urlsplit(location)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
