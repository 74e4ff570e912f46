"""What a command in a thread of its own prints, held back until it is its turn."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial, wraps
from typing import ParamSpec

P = ParamSpec("P")


@dataclass
class Output:
    """Calls that print, in their order, and the sentence that is the command's answer."""

    printings: list[Callable[[], None]] = field(default_factory=list)
    answer: str = ""


_held: ContextVar[Output | None] = ContextVar("_held", default=None)


@contextmanager
def held_in(output: Output) -> Iterator[None]:
    """Let this thread print nothing for this time: what it would print is added to `output`."""
    token = _held.set(output)
    try:
        yield
    finally:
        _held.reset(token)


def is_held() -> bool:
    """Whether what this thread prints is held back."""
    return _held.get() is not None


def holdable(printing: Callable[P, None]) -> Callable[P, None]:
    """The same function, which waits for its turn where output is held back."""

    @wraps(printing)
    def hold(*args: P.args, **named: P.kwargs) -> None:
        output = _held.get()
        if output is None:
            printing(*args, **named)
        else:
            output.printings.append(partial(printing, *args, **named))

    return hold


def keep_answer(sentence: str) -> None:
    """Keep what a command answers for the one that has started it."""
    if output := _held.get():
        output.answer = sentence
