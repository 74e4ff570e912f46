"""The command line: its commands, and what an error becomes."""

import ast
import importlib
import logging
import os
import re
import signal
import sys
from collections import Counter
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from optimizer.figures import did_you_mean
from spark.errors import InputError, first_line, unreadable_file
from spark.startup.java_process import sentences_apart
from spark.terminal import (
    EXAMPLES,
    SIGNALS,
    for_typer,
    interrupts,
    program,
    say,
    sentence_of,
    tell_step,
    with_next_step,
)

DISTRIBUTION = "evenfleet"

BAD_INPUT, RUN_FAILED, INTERRUPTED = 2, 3, 130

COMPLETE = "_EVENFLEET_COMPLETE"
"""Set by a shell's completion, which `--install-completion` sets up."""

PANELS = {
    "Look": (
        *("audit", "report", "serve", "explain", "history", "rates", "graph", "snapshots"),
        *("findings", "config"),
    ),
    "Plan": ("plan", "compare", "verify", "replay", "frontier", "members", "reassign"),
    "Predict": ("whatif", "simulate", "rollout", "scale"),
    "Get data": ("demo", "collect", "import-cli"),
    "Apply": ("export-plan", "enforce", "watch", "reassign-verify"),
}
"""The commands by question, in the order of the help; `a-b` is `spark/jobs/a_b.py`."""

COMMANDS = {name: panel for panel, names in PANELS.items() for name in names}

PAGES = {
    "config": "README.md",
    "demo": "README.md",
    "export-plan": "docs/plan_in_force.md",
    "enforce": "docs/plan_in_force.md",
    "watch": "docs/plan_in_force.md",
    "import-cli": "docs/collect.md",
    "reassign-verify": "docs/reassign.md",
}
"""Pages of commands whose page has another name."""

WITHOUT_TABLES = ("report", "serve", "export-plan")
"""Commands that print sentences alone."""

JOBS = Path(__file__).with_name("jobs")


class OnceEach(TyperCommand):
    """A command that refuses an option given twice; click would take the last without a word."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """As click does; InputError for an option with one value that is given more often."""
        args = self._spread(args)
        for option, times in Counter(self.make_parser(ctx).parse_args([*args])[2]).items():
            if times > 1 and not (option.multiple or getattr(option, "is_flag", True)):
                shape = f", as {option.metavar}" if option.metavar else ""
                raise InputError(
                    f"{max(option.opts, key=len)} is given {times} times: give it once{shape}"
                )
        return super().parse_args(ctx, self._with_group_option(ctx, args))

    def _with_group_option(self, ctx: Any, args: list[str]) -> list[str]:
        """`explain STORE GROUP` is `explain STORE --group GROUP`.

        InputError for several options that are missing; of one click says so.
        """
        given, words, _ = self.make_parser(ctx).parse_args([*args])
        missing = [param for param in self.params if param.required and param.name not in given]
        if [param.name for param in missing] == ["group"] and words:
            at = len(args) - args[::-1].index(words[0]) - 1
            return [*args[:at], "--group", *args[at:]]
        if len(missing) > 1 and not given.get("help"):
            names = ", ".join(max(param.opts, key=len) for param in missing)
            raise InputError(f"{names} are missing: see {ctx.command_path} --help")
        return args

    def _spread(self, args: list[str]) -> list[str]:
        """`--groups a.txt b.txt`, as a shell makes it of `*.txt`, is the option twice."""
        if self.name != "import-cli":
            return args
        params: list[Any] = self.params
        names = {name for param in params if param.multiple for name in param.opts}
        words: list[str] = []
        option = ""
        for before, word in pairwise(["", *args]):
            if word.startswith("-"):
                option = word.partition("=")[0]
            elif before != option and option in names:
                words.append(option)
            words.append(word)
        return words


def app_for(words: Sequence[str]) -> typer.Typer:
    """The command line with the one command that is named; where none is, with what all are for.

    What other commands need isn't loaded: that would take longer than some of them.
    """
    app = typer.Typer(
        pretty_exceptions_enable=False,
        rich_markup_mode="markdown",
        context_settings={"help_option_names": ["--help", "-h"]},
    )
    app.callback()(evenfleet)
    named = next((word for word in words if not word.startswith("-")), None)
    if named in COMMANDS:
        name = named.replace("-", "_")
        command = getattr(importlib.import_module(f"spark.jobs.{name}"), name)
        typed = for_typer(with_next_step(named, command), named not in WITHOUT_TABLES)
        app.command(named, cls=OnceEach, epilog=_more_on(named))(typed)
    else:
        for command, panel in COMMANDS.items():
            purpose = _purpose(command.replace("-", "_"))
            app.command(command, help=purpose, rich_help_panel=panel)(lambda: None)
    return app


def _more_on(name: str) -> str:
    """Text below a command's help: three examples and the pages about it."""
    examples = "\n\n".join(f"* `evenfleet {example}`" for example in EXAMPLES[name])
    page = PAGES.get(name, f"docs/{name}.md")
    # early versions of typer join lines without a blank one between them, and drop that
    return f"Examples:\n\n\n\n{examples}\n\n\n\nMore: {page} · Words: docs/glossary.md"


def _purpose(name: str) -> str | None:
    """Purpose of a command, as its file says, which isn't loaded for that."""
    tree = ast.parse((JOBS / f"{name}.py").read_text(encoding="utf-8"))
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    return next(ast.get_docstring(function) for function in functions if function.name == name)


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
    # Py4J logs the traceback of any failed call; our error is printed here.
    logging.basicConfig(handlers=[logging.NullHandler()])
    with sentences_apart():
        with interrupts() as signals:
            words = sys.argv[1:]
            if words or COMPLETE in os.environ:
                code, sentence = _run([*words[1:2], "--help"] if words[:1] == ["help"] else words)
            else:
                code, sentence = _overview(), None
        if signals.received:
            code = 128 + signals.received
            sentence = None if signals.is_explained else SIGNALS[signals.received]
        if sentence:
            say(f"evenfleet: {sentence}")
    sys.exit(code)


def _overview() -> int:
    """List the commands in ten lines."""
    tell_step("evenfleet", evenfleet.__doc__ or "")
    for panel, names in PANELS.items():
        tell_step(panel, ", ".join(names))
    say(f"Begin: {program()} demo   Each command: {program()} COMMAND --help")
    return 0


def _run(words: list[str]) -> tuple[int, str | None]:
    """The exit code of a command, and its error if there is one."""
    try:
        _refuse_empty(words)
        code = app_for(_to_complete() or words)(words, prog_name="evenfleet", standalone_mode=False)
    except InputError as error:
        return BAD_INPUT, str(error)
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except Exception as error:
        return _exit_and_sentence(error)
    if code == INTERRUPTED:  # which Typer makes of Ctrl-C, in silence
        return INTERRUPTED, SIGNALS[signal.SIGINT]
    return code or 0, None


def _to_complete() -> list[str]:
    """The words of a line that a shell wants completed; none if this is no such call."""
    if COMPLETE not in os.environ:
        return []
    line = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS", "")
    return line.split()[1:]


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


def _exit_and_sentence(error: Exception) -> tuple[int, str]:
    """The exit code for an error that isn't bad input by its class, and what to say about it."""
    about_options = getattr(error, "format_message", None)  # typer has no name for such errors
    if about_options:
        context = getattr(error, "ctx", None)
        command = context.command_path if context else "evenfleet"
        in_one_line = _in_our_words(" ".join(about_options().split()))
        see = " See" if in_one_line.endswith("?") else ": see"
        return BAD_INPUT, f"{in_one_line}{see} {command} --help"
    if unreadable_file(error):
        return BAD_INPUT, first_line(error)
    return RUN_FAILED, sentence_of(error)


def _in_our_words(message: str) -> str:
    """A sentence of click's that names the first word too many, or the choice that was meant."""
    if extra := re.match(r"Got unexpected extra argument\S* \((\S+).*\)", message):
        return f"Unexpected argument {extra[1]!r}"
    message = message.replace(": Value error, ", ": ").rstrip(".")
    if choice := re.search(r"'([^']*)' is not one of (.+)", message):
        message += did_you_mean(choice[1], re.findall("'([^']*)'", choice[2]))
    return message
