"""Options that every command has, which it need not know of."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

from spark.errors import InputError
from spark.terminal.console import Format, Layout, laid_out, silence
from spark.terminal.progress import progress

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but what is wrong.")]
Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", help="Tell the steps and how long each took.")
]
Wide = Annotated[
    bool, typer.Option("--wide", help="All columns, as wide as they are: pipe it to less -S.")
]
AsCsv = Annotated[bool, typer.Option("--csv", help="Tables as CSV, with all columns.")]


def with_common_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The same command with the options that all have, and those of all that print tables."""
    own = inspect.signature(command, eval_str=True)
    has_tables = getattr(own.parameters.get("form"), "default", None) is Format.TABLE
    options = {"quiet": Quiet, "verbose": Verbose}
    options |= {"wide": Wide, "as_csv": AsCsv} if has_tables else {}

    @wraps(command)
    def wider(**stated: Any) -> Any:
        chosen = {name: stated.pop(name) for name in options}
        as_json = stated.get("form") is Format.JSON
        layout = _layout(chosen.get("wide", False), chosen.get("as_csv", False), as_json)
        quiet, verbose = chosen["quiet"], chosen["verbose"]
        if quiet and verbose:
            raise InputError("--quiet and --verbose contradict each other: give one of them")
        with silence(quiet), laid_out(layout), progress(not (as_json or quiet), verbose):
            return command(**stated)

    more = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=kind)
        for name, kind in options.items()
    ]
    wider.__signature__ = own.replace(  # type: ignore[attr-defined]
        parameters=[*own.parameters.values(), *more]
    )
    wider.__annotations__ = {**command.__annotations__, **options}
    return wider


def _layout(wide: bool, as_csv: bool, as_json: bool) -> Layout:
    if wide + as_csv + as_json > 1:
        raise InputError("--wide, --csv and --format json exclude each other: give one of them")
    if as_csv:
        return Layout.CSV
    return Layout.WIDE if wide else Layout.FITTING
