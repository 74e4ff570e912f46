"""Options that every command has, which it need not know of."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

from spark.errors import InputError
from spark.terminal.console import Format, silence
from spark.terminal.progress import progress

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but what is wrong.")]
Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", help="Tell the steps and how long each took.")
]


def with_common_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The same command with the options that all have."""
    options = {"quiet": Quiet, "verbose": Verbose}

    @wraps(command)
    def wider(*, quiet: bool, verbose: bool, **stated: Any) -> Any:
        if quiet and verbose:
            raise InputError("--quiet and --verbose contradict each other: give one of them")
        people = stated.get("form") is not Format.JSON
        with silence(quiet), progress(people and not quiet, verbose):
            return command(**stated)

    own = inspect.signature(command, eval_str=True)
    more = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=kind)
        for name, kind in options.items()
    ]
    wider.__signature__ = own.replace(  # type: ignore[attr-defined]
        parameters=[*own.parameters.values(), *more]
    )
    wider.__annotations__ = {**command.__annotations__, **options}
    return wider
