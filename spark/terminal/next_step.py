"""The command that follows on another: one line that can be pasted."""

import os
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import Any

import typer

from spark.fleet import CONSUMER
from spark.startup.class_archive import PROGRAM
from spark.terminal.printing import say_next

SAME = (
    "[--cluster {cluster}] [--group {group}] [--team {team} --config {config}] "
    "[--snapshot {snapshot}]"
)
"""Options by which the next command is about the same part of the same snapshot."""

MEMBERS = "members {store} [--cluster {cluster}] [--group {group}]"
REASSIGN = "reassign {store} [--cluster {cluster}] --out moves"
PLAN = f"plan {{store}} --out plan {SAME} [--weight {{weight}}]"
EXPORT = "export-plan {store} {out} --out plans"

NEXT: dict[str, str | tuple[str, ...]] = {
    "audit": PLAN,
    "report": f"{'open' if sys.platform == 'darwin' else 'xdg-open'} {{out}}",
    "explain": f"frontier {{store}} {SAME} [--weight {{weight}}]",
    "frontier": PLAN,
    "plan": f"verify {{store}} {{out}} {SAME}",
    "verify": "export-plan {store} {plan} --out plans",
    "compare": PLAN,
    "history": "replay {store}",
    "replay": "compare {store} --out compare",
    "rates": "members {store}",
    "members": "scale {store}",
    "whatif": PLAN,
    "simulate": "members {store} [--cluster {cluster}] --group {group}",
    "rollout": "whatif {store} --event rolling-restart=30s",
    "reassign": (
        "reassign-verify {store} {out}/01-move.json",
        REASSIGN,
    ),
    "scale": "report {store} --out report.html [--scale {out}]",
    "graph": (
        "whatif {store} [--cluster {cluster}] --event broker-down={broker}",
        "rollout {store} --to cooperative-sticky",
    ),
    "snapshots": "audit {store}",
}
"""The command that follows on each, unless its result leads elsewhere (`lead_to`); the others say
it themselves, or end a thread of work. Of several it is the first whose blanks are filled.

What stands in brackets is left out where its blank isn't filled."""

KEYS = ("cluster", "group")

_LED_TO: ContextVar[str | None] = ContextVar("led_to", default=None)

_BLANK = re.compile(r"\{(\w+)\}")
_OPTIONAL = re.compile(r" \[([^]]*)\]")


def next_step(name: str, options: Mapping[str, Any]) -> str | None:
    """The command line after `name` with these options; None if there is none, or a blank is left.

    A store of a catalog is given as it was, by `--tables`.
    """
    led_to = _LED_TO.get() or ""
    has_run = led_to.startswith(f"{name} ") and (name != "plan" or options.get("out"))
    texts = led_to if led_to and not has_run else NEXT.get(name, ())
    left_out = (None, "", "all")
    filled = {key: shlex.quote(str(of)) for key, of in options.items() if of not in left_out}
    if "tables" in filled:
        filled.setdefault("store", f"--tables {filled['tables']}")

    def is_filled(part: str) -> bool:
        return {*_BLANK.findall(part)} <= filled.keys()

    for text in (texts,) if isinstance(texts, str) else texts:
        kept = _OPTIONAL.sub(lambda part: f" {part[1]}" if is_filled(part[1]) else "", text)
        if is_filled(kept):
            line = kept.format_map(filled)
            return line if name == "report" else f"{program()} {line}"
    return None


def lead_to(rows: Iterable[Mapping[str, Any]], plan: str) -> None:
    """Let the next step be what the first of these groups is advised to do, if anything is.

    `plan` is what is done for a plan that its members can follow; what they need for it, and where
    to look, `explain` says.
    """
    for row in rows:
        names = (shlex.quote(row[name]).replace("{", "{{").replace("}", "}}") for name in KEYS)
        group = "--cluster {} --group {}".format(*names)
        if row["advice_kind"] == "none":
            continue
        if row["advice_kind"] == "plan" and row["can_follow"]:
            text = plan
        elif target := _rolled_out_to(row):
            text = f"rollout {{store}} {group} --to {target}"
        else:
            text = f"explain {{store}} {group} [--snapshot {{snapshot}}] [--weight {{weight}}]"
        _LED_TO.set(text)
        return


def follow_with(line: str) -> None:
    """Let this be the next step, a line as in `NEXT`."""
    _LED_TO.set(line)


def _rolled_out_to(row: Mapping[str, Any]) -> str | None:
    """The target to which `rollout` can bring the group, if that is the advice."""
    strategy: str | None = row.get("advice_strategy")
    if strategy == "uniform":  # of a group of the new protocol it is a setting alone
        return CONSUMER if "`evenfleet rollout`" in str(row["advice"]) else None
    return strategy


def program() -> str:
    """The word to type for this program: `evenfleet`, or the path of `bin/evenfleet`."""
    return shlex.quote(os.environ.get(PROGRAM, "evenfleet"))


def _flat(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options by name, those of bundles among them."""
    bundles = [bundle for bundle in options.values() if is_dataclass(bundle)]
    flat = {of.name: getattr(bundle, of.name) for bundle in bundles for of in fields(bundle)}
    return {name: of for name, of in options.items() if not is_dataclass(of)} | flat


def with_next_step(name: str, command: Callable[..., Any]) -> Callable[..., Any]:
    """The command, which says what to do next once it has run, also where a check failed.

    One that returns False has nothing to go on with.
    """

    @wraps(command)
    def run(**options: Any) -> None:
        goes_on, failed_check = True, None
        _LED_TO.set(None)
        try:
            goes_on = command(**options) is not False
        except typer.Exit as exit_:
            failed_check = exit_
        line = next_step(name, _flat(options)) if goes_on else None
        if line:
            say_next(line)
        if failed_check:
            raise failed_check

    return run
