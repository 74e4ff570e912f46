"""From a command to what Typer reads, with the options of all; and commands run side by side."""

import inspect
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from copy import copy
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from time import monotonic
from typing import Annotated, Any, NamedTuple, TextIO, get_type_hints

from pyspark.sql import SparkSession
from pyspark.util import inheritable_thread_target
from typer import Typer
from typer.models import OptionInfo

from spark.errors import InputError
from spark.terminal.console import WIDE, Output, held_in, say, silence, text_of
from spark.terminal.options import option
from spark.terminal.printing import Format, Printing, printing_as
from spark.terminal.progress import progress, shown_while

Quiet = Annotated[bool, option("Print errors only.", "--quiet", "-q")]
Verbose = Annotated[bool, option("Log each step and its duration.", "--verbose", "-v")]
OF_ALL = {"quiet": Quiet, "verbose": Verbose}
"""Options of every command."""

OF_TABLES = {
    "form": Annotated[Format, option("How tables are printed.", "--format")],
    "as_csv": Annotated[bool, option("Print one table whole, as --format csv does.", "--csv")],
    "table": Annotated[
        str | None, option("With --csv: the table to print.", metavar="NAME", shown="the first")
    ],
    "everything": Annotated[bool, option("Print all rows and sentences.", "--all")],
    "wide": Annotated[bool, option("Print all columns at full width (for less -S).", "--wide")],
}
"""Options of every command that prints tables."""

DEFAULTS = {"form": Format.TABLE, "table": None}

PANELS = {
    "Which part": (
        *("tables", "plan_tables", "snapshot", "since", "until", "window", "cluster", "clusters"),
        *("group", "team", "groups", "all_groups", "all_clusters", "topics", "exclude_groups"),
        *("exclude_topics", "bootstrap"),
    ),
    "Goals": ("strategy", "strategies", "goal", "rack", "levels", "min_gain", "weight"),
    "Spark": ("master", "conf", "config"),
    "Output": ("out", "out_tables", *OF_TABLES, *OF_ALL),
}
"""The options of each panel of a command's help; all others are the command's own."""

PANEL_OF = {name: panel for panel, names in PANELS.items() for name in names}


def for_typer(command: Callable[..., Any], has_tables: bool = True) -> Callable[..., Any]:
    """The command with an option for each field of its bundles, and the options of all.

    Where the command has an option of its own that others share, it has its own.
    """
    command = unfold(command)
    parameters = dict(inspect.signature(command).parameters)
    shared = {**(OF_TABLES if has_tables else {}), **OF_ALL}
    if has_own_all := any("--all" in _spellings(parameter) for parameter in parameters.values()):
        shared.pop("everything", None)
    parameters |= {
        name: _parameter(name, shared[name], DEFAULTS.get(name, False)) for name in shared
    }

    @wraps(command)
    def run(**values: Any) -> Any:
        of_all = {name: values.pop(name) for name in shared}
        printing = _printing(of_all, has_own_all)
        printing.command = command.__name__.replace("_", "-")
        quiet, verbose = of_all["quiet"], of_all["verbose"]
        if quiet and verbose:
            raise InputError("--quiet and --verbose contradict each other: give one of them")
        as_json = printing.form is Format.JSON
        with silence(quiet), printing_as(printing), progress(not (as_json or quiet), verbose):
            return command(**values)

    return _sign(run, map(_spell, parameters.values()))


def run_typed(command: Callable[..., Any], *words: str) -> int:
    """Announce a command as a user types it and run it within this one; its exit code."""
    say()
    say(f"$ evenfleet {shlex.join([command.__name__, *words])}", to_paste=True)
    app = Typer(add_completion=False)
    app.command()(unfold(command))
    return app(list(words), standalone_mode=False) or 0


def unfold(command: Callable[..., Any]) -> Callable[..., Any]:
    """The command with a parameter for each field of its bundles.

    A bundle is a parameter whose type is a dataclass.
    """
    own = inspect.signature(command, eval_str=True).parameters.values()
    bundles: dict[str, Any] = {
        parameter.name: parameter.annotation
        for parameter in own
        if is_dataclass(parameter.annotation)
    }

    @wraps(command)
    def run(**values: Any) -> Any:
        for name, bundle in bundles.items():
            values[name] = bundle(
                **{parameter.name: values.pop(parameter.name) for parameter in fields(bundle)}
            )
        return command(**values)

    return _sign(run, (_spell(field) for parameter in own for field in _options(parameter)))


def _sign(run: Callable[..., Any], parameters: Iterable[inspect.Parameter]) -> Callable[..., Any]:
    """The function as if it had these parameters, which is what Typer reads."""
    signature = inspect.Signature([*parameters])
    run.__signature__ = signature  # type: ignore[attr-defined]
    run.__annotations__ = {
        name: parameter.annotation for name, parameter in signature.parameters.items()
    }
    return run


def _options(parameter: inspect.Parameter) -> Iterator[inspect.Parameter]:
    if not is_dataclass(parameter.annotation):
        yield parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        return
    hints = get_type_hints(parameter.annotation, include_extras=True)
    for field in fields(parameter.annotation):
        yield _parameter(field.name, hints[field.name], field.default)


def _parameter(name: str, kind: Any, default: Any) -> inspect.Parameter:
    default = inspect.Parameter.empty if default is MISSING else default
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def _spellings(parameter: inspect.Parameter) -> Sequence[str]:
    """Names as the command declares them; to Typer the first is a default until it reads them."""
    declared = parameter.annotation.__metadata__[0]
    if not isinstance(declared, OptionInfo):
        return ()
    return str(declared.default), *(declared.param_decls or ())


def _spell(parameter: inspect.Parameter) -> inspect.Parameter:
    """The option in its panel of the help; a flag without spellings can't be negated."""
    declared = parameter.annotation.__metadata__[0]
    if not isinstance(declared, OptionInfo):
        return parameter
    spelled = copy(declared)
    spelled.rich_help_panel = PANEL_OF.get(parameter.name)
    if parameter.annotation.__origin__ is bool and spelled.default is ...:
        spelled.param_decls = (f"--{parameter.name.replace('_', '-')}",)
    return parameter.replace(annotation=Annotated[parameter.annotation.__origin__, spelled])


def _printing(shared: Mapping[str, Any], has_own_all: bool) -> Printing:
    """How tables are printed, by the options of all."""
    wide, as_csv, table = (shared.get(name) for name in ("wide", "as_csv", "table"))
    form = shared.get("form", Format.TABLE)
    if bool(wide) + bool(as_csv) + (form is not Format.TABLE) > 1:
        raise InputError("--wide, --csv and --format exclude each other: give one of them")
    form = Format.CSV if as_csv else form
    if table is not None and form is not Format.CSV:
        raise InputError("--table chooses the table that --csv prints: give --csv as well")
    hint = "--format json has all" if has_own_all else "--all shows them"
    return Printing(form, bool(wide), bool(shared.get("everything")), table, hint)


AT_ONCE = 2
"""Commands that run at a time: while Spark plans a query of one, tasks of the other use the cores.
"""


class Ended(NamedTuple):
    """A command's exit code, the sentence that is its answer, and how long it ran."""

    code: int
    answer: str
    seconds: float


Finish = Callable[[], Ended]
"""Waits for a command and logs what it printed; raises its error."""


@contextmanager
def side_by_side(session: SparkSession, log: TextIO) -> Iterator[Callable[..., Finish]]:
    """A function that starts a command, with its words, in a thread of its own; see `run_typed`.

    They begin in the order in which they are started, `AT_ONCE` of them at a time.
    """
    pool = ThreadPoolExecutor(AT_ONCE)

    def start(command: Callable[..., Any], *words: str) -> Finish:
        output = Output()
        target = inheritable_thread_target(session)(_run_held)
        future: Future[tuple[int, float]] = pool.submit(target, output, command, *words)

        def finish() -> Ended:
            try:
                with shown_while():
                    code, seconds = future.result()
                return Ended(code, output.answer, seconds)
            finally:
                with printing_as(Printing(room=WIDE)):
                    log.writelines(map(text_of, output.printings))

        return finish

    try:
        yield start
    finally:
        pool.shutdown(cancel_futures=True)


def _run_held(output: Output, command: Callable[..., Any], *words: str) -> tuple[int, float]:
    begun = monotonic()
    with held_in(output):
        return run_typed(command, *words), monotonic() - begun
