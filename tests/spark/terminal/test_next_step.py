"""The line that says what to do next: it can be pasted, and its command and options exist."""

import importlib
import inspect
import shlex
from typing import Any

import pytest

from spark.cli import COMMANDS
from spark.terminal import (
    EXPORT,
    MEMBERS,
    NEXT,
    REASSIGN,
    follow_with,
    for_typer,
    lead_to,
    with_next_step,
)
from spark.terminal.next_step import next_step

STATED = {"store": "a store", "out": "out", "plan": "plan", "group": "it's", "scenario": "x"}
QUOTED, AT = "'it'\"'\"'s'", "--snapshot 20261121T060000Z --weight lag"
ALL = STATED | {"cluster": "c", "snapshot": "20261121T060000Z", "weight": "lag"}


@pytest.mark.parametrize("name", sorted({*NEXT} - {"report"}))
def test_it_is_a_command_with_options_that_exist(name: str) -> None:
    check_line(name, next_step(name, ALL))


def check_line(name: str, line: str | None) -> None:
    """Against the command that it is of, and its options."""
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
        ("plan", {"tables": "lake.x", "out": "plan"}, "evenfleet verify --tables lake.x plan"),
        ("explain", ALL, f"evenfleet frontier 'a store' --cluster c --group {QUOTED} {AT}"),
        ("audit", {"store": "s", "weight": "lag"}, "evenfleet plan s --out plan --weight lag"),
        (
            "graph",
            {"store": "s", "cluster": "c", "broker": 0},
            "evenfleet whatif s --cluster c --event broker-down=0",
        ),
        ("reassign", {"store": "s", "out": "o"}, "evenfleet reassign-verify s o/01-move.json"),
        (
            "reassign",
            {"store": "s", "cluster": "c"},
            "evenfleet reassign s --cluster c --out moves",
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


NAMED = {"cluster": "c", "group": "{it's}", "can_follow": True, "advice_strategy": None}
GROUP = "--cluster c --group '{it'\"'\"'s}'"
EXPLAINED = f"explain 'a store' {GROUP} --snapshot 20261121T060000Z --weight lag"
SET = {"advice_kind": "setting"}
AT_BROKER = "Set group.remote.assignor of all members to uniform"
MOVED = "Move the group to the new protocol (`evenfleet rollout`)"
LED = [
    ([{"advice_kind": "none"}, {"advice_kind": "plan"}], "export-plan 'a store' out --out plans"),
    ([SET | {"advice_strategy": "cooperative-sticky"}], f"rollout 'a store' {GROUP} --to coop"),
    ([SET | {"advice_strategy": "uniform", "advice": AT_BROKER}], EXPLAINED),
    ([SET | {"advice_strategy": "uniform", "advice": MOVED}], f"rollout 'a store' {GROUP} --to c"),
    ([{"advice_kind": "plan", "can_follow": False}], EXPLAINED),
    ([{"advice_kind": "look"}], EXPLAINED),
    ([{"advice_kind": "none"}], "verify 'a store' out"),
]


@pytest.mark.parametrize(("rows", "line"), LED)
def test_the_worst_group_leads_to_what_is_done_for_it(rows: Any, line: str) -> None:
    """With the options that count, by a command that has them."""
    lead_to([NAMED | row for row in rows], EXPORT)
    check_line("plan", told := next_step("plan", ALL))
    assert str(told).startswith(f"evenfleet {line}")
    with_next_step("plan", lambda **_: None)(**ALL)  # the next command begins anew
    assert str(next_step("plan", ALL)).startswith("evenfleet verify")


@pytest.mark.parametrize(("line", "name"), [(MEMBERS, "members"), (REASSIGN, "reassign")])
def test_a_result_leads_to_a_command(line: str, name: str) -> None:
    check_line("whatif", told := next_step("whatif", ALL))
    assert str(told).startswith("evenfleet plan 'a store'")
    with_next_step("whatif", lambda **_: follow_with(line))(**ALL)
    check_line("whatif", told := next_step("whatif", ALL))
    assert str(told).startswith(f"evenfleet {name} 'a store' --cluster c")
    with_next_step("demo", lambda **_: None)()  # the next command begins anew


def test_a_report_is_opened() -> None:
    assert str(next_step("report", STATED)).split() in (["open", "out"], ["xdg-open", "out"])


def test_the_program_is_named_as_it_was_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVENFLEET_PROGRAM", "bin/evenfleet")
    assert str(next_step("plan", STATED)).startswith("bin/evenfleet verify 'a store' out")
