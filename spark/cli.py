"""The command line: its commands, and what an error becomes."""

from __future__ import annotations

import ast
import importlib
import logging
import signal
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import typer

from spark.errors import InputError, first_line, unreadable_file
from spark.terminal import (
    SIGNALS,
    interrupts,
    say,
    sentence_of,
    sentences_apart,
    with_common_options,
)

DISTRIBUTION = "evenfleet"

BAD_INPUT, RUN_FAILED, INTERRUPTED = 2, 3, 130

COMMANDS = {
    "plan": "plan store --out plan",
    "compare": "compare store --out out --strategies current,optimal",
    "verify": "verify store plan",
    "explain": "explain store --group orders",
    "frontier": "frontier store --group orders",
    "audit": "audit store --fail-on critical",
    "report": "report store --out report.html",
    "replay": "replay store --out out --strategies current,uniform,optimal --since 7d",
    "whatif": "whatif store --event crash-rack=eu-west-a",
    "rollout": "rollout store --group 'pay*' --to cooperative-sticky",
    "simulate": "simulate store --group orders --scenario conf/scenarios/rolling-deploy.toml",
    "rates": "rates store --out rates --window 24h",
    "members": "members store --group 'pay*'",
    "reassign": "reassign store --cluster prod --out moves --drain 3 --batch-copies 20",
    "reassign-verify": "reassign-verify store moves/01-move.json",
    "snapshots": "snapshots store",
    "history": "history store --out history --since 7d",
    "graph": "graph store --question reach --broker 3",
    "import-cli": "import-cli --cluster prod --groups members.txt --groups offsets.txt "
    "--topics topics.txt --out store",
    "collect": "collect --bootstrap 127.0.0.1:9092 --cluster prod --out store",
    "export-plan": "export-plan store plan --group orders --out orders.json",
    "enforce": "enforce orders.json --bootstrap 127.0.0.1:9092",
    "watch": "watch orders.json --bootstrap 127.0.0.1:9092 --timeout 60",
    "config": "config --config conf/evenfleet.toml --group payments-1",
    "demo": "demo --groups 300 --out demo",
}
"""The commands, in the order of their help, with an example each; `a-b` is `spark/jobs/a_b.py`."""


JOBS = Path(__file__).with_name("jobs")


def app_for(words: Sequence[str]) -> typer.Typer:
    """The command line with the one command that is named; where none is, with what all are for.

    What other commands need isn't loaded: that would take longer than some of them.
    """
    app = typer.Typer(
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="markdown",
    )
    app.callback()(evenfleet)
    named = next((word for word in words if not word.startswith("-")), None)
    if named in COMMANDS:
        name = named.replace("-", "_")
        command = getattr(importlib.import_module(f"spark.jobs.{name}"), name)
        example = f"Example: `evenfleet {COMMANDS[named]}`"
        app.command(named, epilog=example)(with_common_options(command))
    else:
        for one in COMMANDS:
            app.command(one, help=_purpose(one.replace("-", "_")))(lambda: None)
    return app


def _purpose(name: str) -> str | None:
    """What a command is for, as its file says, which isn't loaded for that."""
    tree = ast.parse((JOBS / f"{name}.py").read_text(encoding="utf-8"))
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    return next(ast.get_docstring(one) for one in functions if one.name == name)


def _show_version(wanted: bool) -> None:
    if wanted:
        try:
            print(f"evenfleet {version(DISTRIBUTION)}")
        except PackageNotFoundError:
            raise InputError("evenfleet isn't installed here, and so has no version") from None
        raise typer.Exit


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
            code = 128 + signals.received
            sentence = None if signals.is_explained else SIGNALS[signals.received]
        if sentence:
            say(f"evenfleet: {sentence}")
    sys.exit(code)


def _run(words: list[str]) -> tuple[int, str | None]:
    """The exit code of a command, and what is the matter if something is."""
    try:
        _refuse_empty(words)
        code = app_for(words)(words, prog_name="evenfleet", standalone_mode=False)
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
