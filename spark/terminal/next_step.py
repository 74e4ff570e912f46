"""What to do next after a command: one line that can be pasted."""

import os
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import Any

import typer

from spark.startup.class_archive import PROGRAM
from spark.terminal.console import say
from spark.terminal.printing import is_for_people

NEXT = {
    "audit": "plan {store} --out plan",
    "report": "audit {store}",
    "explain": "frontier {store} [--cluster {cluster}] --group {group}",
    "frontier": "plan {store} --out plan [--cluster {cluster}] --group {group}",
    "plan": "verify {store} {out}",
    "verify": "export-plan {store} {plan} --out plans",
    "compare": "plan {store} --out plan",
    "history": "replay {store} --out replay",
    "replay": "compare {store} --out compare",
    "rates": "members {store}",
    "members": "rates {store} --out rates",
    "whatif": "members {store}",
    "simulate": "members {store} [--cluster {cluster}] --group {group}",
    "rollout": "whatif {store} --event rolling-restart=30s",
    "scale": "report {store} --out report.html [--scale {out}]",
    "graph": "audit {store}",
    "snapshots": "audit {store}",
}
"""The command that follows on each; the others say it themselves, or end a thread of work.

What stands in brackets is left out where its blank isn't filled."""

_BLANK = re.compile(r"\{(\w+)\}")
_OPTIONAL = re.compile(r" \[([^]]*)\]")


def next_step(name: str, options: Mapping[str, Any]) -> str | None:
    """The command line after `name` with these options; None if there is none, or a blank is left.

    A store of a catalog is given as it was, by `--tables`.
    """
    text, words = NEXT.get(name), {key: value for key, value in options.items() if value}
    if text is None:
        return None
    filled = {key: shlex.quote(str(value)) for key, value in words.items()}
    if "tables" in filled:
        filled.setdefault("store", f"--tables {filled['tables']}")

    def is_filled(part: str) -> bool:
        return {*_BLANK.findall(part)} <= filled.keys()

    text = _OPTIONAL.sub(lambda part: f" {part[1]}" if is_filled(part[1]) else "", text)
    if not is_filled(text):
        return None
    return f"{program()} {text.format_map(filled)}"


def program() -> str:
    """What to type for this program: `evenfleet`, or the path of a checkout's `bin/evenfleet`."""
    return shlex.quote(os.environ.get(PROGRAM, "evenfleet"))


def _flat(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options by name, those of bundles among them."""
    result: dict[str, Any] = {}
    for name, value in options.items():
        if is_dataclass(value):
            result |= {field.name: getattr(value, field.name) for field in fields(value)}
        else:
            result[name] = value
    return result


def with_next_step(name: str, command: Callable[..., Any]) -> Callable[..., Any]:
    """The command, which says what to do next once it has run, also where a check failed.

    One that returns False has nothing to go on with.
    """

    @wraps(command)
    def run(**options: Any) -> None:
        goes_on, failed_check = True, None
        try:
            goes_on = command(**options) is not False
        except typer.Exit as exit_:
            failed_check = exit_
        line = next_step(name, _flat(options)) if goes_on and is_for_people() else None
        if line:
            say(f"Next: {line}", to_paste=True)
        if failed_check:
            raise failed_check

    return run
