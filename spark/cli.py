"""The command line: its commands, and what an error becomes."""

from __future__ import annotations

import logging
import signal
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from itertools import pairwise
from typing import Annotated

import typer

from spark import InputError
from spark.errors import first_line, unreadable_file
from spark.jobs.audit import audit
from spark.jobs.collect import collect
from spark.jobs.compare import compare
from spark.jobs.config import config
from spark.jobs.demo import demo
from spark.jobs.enforce import enforce
from spark.jobs.explain import explain
from spark.jobs.export_plan import export_plan
from spark.jobs.graph import graph
from spark.jobs.import_cli import import_cli
from spark.jobs.plan import plan
from spark.jobs.snapshots import snapshots
from spark.jobs.verify import verify
from spark.jobs.watch import watch
from spark.terminal import SIGNALS, interrupts, say, sentence_of, sentences_apart

DISTRIBUTION = "evenfleet"

BAD_INPUT, RUN_FAILED, INTERRUPTED = 2, 3, 130

COMMANDS: dict[Callable[..., None], str] = {
    plan: "plan store --out plan",
    compare: "compare store --out out --strategies current,optimal",
    verify: "verify store plan",
    explain: "explain store --group orders",
    audit: "audit store --fail-on critical",
    snapshots: "snapshots store",
    graph: "graph store --question reach --broker 3",
    import_cli: "import-cli --cluster prod --groups members.txt --groups offsets.txt "
    "--topics topics.txt --out store",
    collect: "collect --bootstrap 127.0.0.1:9092 --cluster prod --out store",
    export_plan: "export-plan store plan --group orders --out orders.json",
    enforce: "enforce orders.json --bootstrap 127.0.0.1:9092",
    watch: "watch orders.json --bootstrap 127.0.0.1:9092 --timeout 60",
    config: "config --config conf/evenfleet.toml --group payments-1",
    demo: "demo --groups 300 --out demo",
}
"""The commands, in the order of their help, with an example each."""

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
for command, example in COMMANDS.items():
    app.command(epilog=f"Example: `evenfleet {example}`")(command)


def _show_version(wanted: bool) -> None:
    if wanted:
        try:
            print(f"evenfleet {version(DISTRIBUTION)}")
        except PackageNotFoundError:
            raise InputError("evenfleet isn't installed here, and so has no version") from None
        raise typer.Exit


@app.callback()
def evenfleet(
    show_version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Plans Kafka consumer groups for a whole fleet: optimal sticky assignments, with proof."""


def main() -> None:
    """Run a command; however it ends, an error is one readable line and an exit code."""
    # Py4J logs whatever ends a call, with its traceback; what counts of it is said here.
    logging.basicConfig(handlers=[logging.NullHandler()])
    with sentences_apart():
        with interrupts() as signals:
            code, sentence = _run(sys.argv[1:] or ["--help"])
        if signals.received:
            code, sentence = 128 + signals.received, SIGNALS[signals.received]
        if sentence:
            say(f"evenfleet: {sentence}")
    sys.exit(code)


def _run(words: list[str]) -> tuple[int, str | None]:
    """The exit code of a command, and what is the matter if something is."""
    try:
        _refuse_empty(words)
        code = app(words, prog_name="evenfleet", standalone_mode=False)
    except InputError as error:
        return BAD_INPUT, str(error)
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except Exception as error:
        return _said(error)
    if code == INTERRUPTED:  # which Typer makes of Ctrl-C, in silence
        return INTERRUPTED, SIGNALS[signal.SIGINT]
    return code or 0, None


def _refuse_empty(words: list[str]) -> None:
    """Raise InputError for a word without text: as a folder it would be the root, or any.

    A variable of a shell that isn't set gives one. A group without a name is one of Kafka's.
    """
    for before, word in pairwise(["", *words]):
        option, equals, value = word.partition("=")
        if word == "" and before != "--group":
            what = before if before.startswith("--") and "=" not in before else "an argument"
        elif option.startswith("--") and equals and not value and option != "--group":
            what = option
        else:
            continue
        raise InputError(f"{what} is empty: give it a value (is a variable of the shell not set?)")


def _said(error: Exception) -> tuple[int, str]:
    """The exit code for an error that isn't bad input by its class, and what to say about it."""
    about_options = getattr(error, "format_message", None)  # typer has no name for such errors
    if about_options:
        context = getattr(error, "ctx", None)
        command = context.command_path if context else "evenfleet"
        in_one_line = " ".join(about_options().split())
        return BAD_INPUT, f"{in_one_line.rstrip('.')}: see {command} --help"
    if unreadable_file(error):
        return BAD_INPUT, first_line(error)
    return RUN_FAILED, sentence_of(error)
