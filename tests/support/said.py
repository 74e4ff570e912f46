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


def flat(printed: str) -> str:
    """What tables say, without the lines that they fold it into."""
    return " ".join(printed.split())
