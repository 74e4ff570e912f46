"""Reading a plan's text in bounded time."""

import re
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import TypeVar
from urllib.request import urlopen

LIMIT = 64 * 2**20
"""Bytes: more than a plan of two million partitions takes."""

T = TypeVar("T")


def run_with_timeout(seconds: float, work: Callable[[], T]) -> T:
    """The outcome of `work`, also if that is an error; TimeoutError if it takes longer.

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
    """The content of the file, or of the http(s) URL, `location`.

    Raises OSError (TimeoutError and URLError are), or ValueError for a URL that can't be read and
    for more than `LIMIT` bytes. Their messages hold no secret of the URL.
    """
    return run_with_timeout(seconds, lambda: _read_within_limit(location, seconds))


def _read_within_limit(location: str, seconds: float) -> bytes:
    content = _fetch(location, seconds) if is_url(location) else _read(location)
    if len(content) > LIMIT:
        raise ValueError(f"it has more than {LIMIT} bytes")
    return content


def _read(path: str) -> bytes:
    with Path(path).open("rb") as file:
        return file.read(LIMIT + 1)


def _fetch(url: str, seconds: float) -> bytes:
    # what is wrong with a URL is checked here: urllib's own messages print passwords and tokens
    if "@" in re.split("[/?#]", url, maxsplit=3)[2]:
        raise ValueError("a URL with a user or a password can't be read")
    if re.search(r"[\x00-\x20\x7f]", url):
        raise ValueError("a URL with a blank or a control character can't be read: encode it")
    try:
        with urlopen(url, timeout=seconds) as answer:
            content: bytes = answer.read(LIMIT + 1)
            return content
    except OSError:
        raise
    except Exception as error:
        raise ValueError(f"the URL is malformed ({type(error).__name__})") from None


def is_url(location: str) -> bool:
    return location.lstrip().lower().startswith(("http://", "https://"))


def without_secrets(location: str) -> str:
    """The location as a log may have it: without a user, a password or a token.

    URLs that urllib.parse.urlsplit refuses are taken as well.
    """
    if not is_url(location):
        return location
    scheme, _, rest = location.strip().partition("//")
    return f"{scheme}//{re.sub(r'[?#].*', '', rest.rpartition('@')[2], flags=re.DOTALL)}"
