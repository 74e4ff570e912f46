"""What a command returned and printed."""

import re
from collections.abc import Callable
from typing import NamedTuple


class Said(NamedTuple):
    """Exit code, standard output and standard error."""

    code: int
    out: str
    err: str


Run = Callable[..., Said]


def is_one_line(said: Said) -> bool:
    """Nothing but one readable sentence."""
    return (
        said.out == ""
        and re.fullmatch(r"evenfleet: [^\n]+\n", said.err) is not None
        and "Traceback" not in said.err
    )


def check_refused(said: Said, sentence: str) -> None:
    """Bad input: exit code 2, and one line that has this sentence."""
    assert (said.code, is_one_line(said)) == (2, True), said
    assert sentence in said.err


def flat(printed: str) -> str:
    """What tables say, without the lines that they fold it into."""
    return " ".join(printed.split())
