"""One advice on all screens: the same columns for each group of the torture store."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from optimizer.advice import KINDS
from spark.audit import FINDINGS, AuditSettings, findings_of
from spark.audit.group_evaluator import OF_ROWS
from spark.explain import explain_rows, rows_of_groups
from spark.fleet import FleetFiles
from spark.settings import DEFAULT_FLEET_GOALS
from spark.solve import ADVICE_COLUMNS
from tests.spark.commands.conftest import Once, audit_words, compare_words
from tests.support.small import rows

COLUMNS = (*ADVICE_COLUMNS, "unread")

Rows = dict[tuple[str, str], dict[str, Any]]


def rows_in(folder: Path) -> Rows:
    """What a folder's table `groups` says of each group."""
    groups = rows(folder / "groups")
    return {(row["cluster"], row["group"]): {name: row[name] for name in COLUMNS} for row in groups}


@pytest.fixture
def plan(torture: Path, results: Path, once: Once) -> Rows:
    once("plan", torture, "--out", results / "plan")
    return rows_in(results / "plan")


@pytest.mark.parametrize(("command", "words"), [("audit", audit_words), ("compare", compare_words)])
def test_commands_say_what_plan_says(
    command: str, words: Any, torture: Path, results: Path, once: Once, plan: Rows
) -> None:
    once(command, torture, *words(results))
    other = rows_in(results / command)
    assert other.keys() == plan.keys()
    assert {key: row for key, row in other.items() if row != plan[key]} == {}


def test_explain_says_what_plan_and_audit_say(
    torture: Path, results: Path, once: Once, plan: Rows
) -> None:
    """Of files, without Spark, as the page does of the worst groups; and what the audit finds."""
    readable = [key for key in sorted(plan) if all("\\" not in name for name in key)]
    encoded = rows_of_groups(FleetFiles.read(str(torture)), readable, DEFAULT_FLEET_GOALS)
    explained = explain_rows(encoded, find=partial(findings_of, audit_settings=AuditSettings()))
    told = {(one.cluster, one.group): one.as_json for one in explained}
    assert told.keys() == {*readable}
    for key, columns in told.items():
        assert {name: columns[name] for name in COLUMNS} == pytest.approx(plan[key]), key
    once("audit", torture, *audit_words(results))
    keys = ("subject", "finding", "severity", "measure", "sentence", "advice")
    assert {(key, *map(row.get, keys)) for key in told for row in told[key]["findings"]} == {
        (key, *map(row.get, keys))
        for row in rows(results / "audit" / "findings")
        if (key := (row["cluster"], row["group"])) in told
        and OF_ROWS.issuperset(FINDINGS[row["finding"]].needs)
    }


def test_kinds_of_advice_are_met(plan: Rows) -> None:
    assert {row["advice_kind"] for row in plan.values()} == {*KINDS} - {"members"}
    assert {row["judged_by"] for row in plan.values()} == {"count", "weight", None}
