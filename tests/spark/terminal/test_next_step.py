"""The line that says what to do next: it can be pasted, and its command and options exist."""

import importlib
import inspect
import shlex
from typing import Any

import pytest

from spark.cli import COMMANDS
from spark.terminal import NEXT, for_typer
from spark.terminal.next_step import next_step

STATED = {"store": "a store", "out": "out", "plan": "plan", "group": "it's", "scenario": "x"}


@pytest.mark.parametrize("name", NEXT)
def test_it_is_a_command_with_options_that_exist(name: str) -> None:
    line = next_step(name, STATED)
    assert line is not None
    program, following, *words = shlex.split(line)
    assert (program, name in COMMANDS, following in COMMANDS) == ("evenfleet", True, True)
    module = following.replace("-", "_")
    command: Any = getattr(importlib.import_module(f"spark.jobs.{module}"), module)
    names = {item.replace("_", "-") for item in inspect.signature(for_typer(command)).parameters}
    assert {word.removeprefix("--") for word in words if word.startswith("--")} <= names
    assert "a store" in words


@pytest.mark.parametrize(
    ("name", "stated", "line"),
    [
        ("explain", STATED, "evenfleet frontier 'a store' --group 'it'\"'\"'s'"),
        (
            "plan",
            {"store": None, "tables": "lake.fleet", "out": "plan"},
            "evenfleet verify --tables lake.fleet plan",
        ),
        (
            "explain",
            {"store": "store", "group": "g", "cluster": "c"},
            "evenfleet frontier store --cluster c --group g",
        ),
        # nothing where it would be wrong
        ("plan", {"store": "store", "out": None}, None),
        ("demo", STATED, None),
    ],
)
def test_names_are_quoted_and_a_catalog_and_a_cluster_stay(
    name: str, stated: dict[str, Any], line: str | None
) -> None:
    assert next_step(name, stated) == line


def test_the_program_is_named_as_it_was_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVENFLEET_PROGRAM", "bin/evenfleet")
    assert next_step("plan", STATED) == "bin/evenfleet verify 'a store' out"
