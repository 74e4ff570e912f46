"""What several commands say of the torture store is one thing: advice, and figures on the page."""

import re
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from optimizer.advice import KINDS
from spark.audit import FINDINGS, AuditSettings, findings_of
from spark.audit.group_evaluator import OF_ROWS
from spark.explain import explain_rows, rows_of_groups
from spark.fleet import FleetFiles
from spark.jobs.report import with_command
from spark.report import Material, Results
from spark.settings import DEFAULT_FLEET_GOALS
from spark.solve import ADVICE_COLUMNS
from tests.spark.commands.conftest import Once, audit_words, compare_words, history_words
from tests.spark.report.materials import material
from tests.spark.report.test_page import Read, data_of
from tests.support.fleets import SNAPSHOT
from tests.support.said import Run
from tests.support.small import rows
from tests.support.terminal import tables_of
from tests.support.torture import HOURS, check_harmless, hostile


def findings_on(read: Read) -> dict[str, dict[str, int]]:
    """How many findings a page has of each kind and severity."""
    counts = {}
    for summary in read.summaries:
        name, *words = summary.replace(",", "").split()
        if words and words[-1].removesuffix("s") in ("critical", "warning", "info"):
            severities = [word.removesuffix("s") for word in words[1::2]]
            counts[name] = dict(zip(severities, map(int, words[::2]), strict=True))
    return counts


class TestReport:
    """`evenfleet report`."""

    def test_figures_are_those_of_the_commands(
        self, once: Once, torture: Path, results: Path
    ) -> None:
        """Worked out for the page, or taken from what the commands have written."""
        page, again = results / "report.html", results / "again.html"
        output = check_harmless(once("report", torture, "--out", page))
        assert f"The report is in {page}." in output.err.replace("\n", " ")
        read = Read(page.read_text("utf-8"))
        folders = {name: results / name for name in ("audit", "plan", "compare", "history")}
        audit = once("audit", torture, *audit_words(results))
        once("plan", torture, "--out", folders["plan"])
        once("compare", torture, *compare_words(results))
        once("history", torture, *history_words(results))
        made = [word for name, folder in folders.items() for word in (f"--{name}", folder)]
        check_harmless(once("report", torture, "--out", again, *made))
        same = Read(again.read_text("utf-8"))
        self.check_past(again.read_text("utf-8"), same)
        assert same.told == read.told
        assert findings_on(same) == findings_on(read)
        tables = [table for table in read.tables if table[0][:1] != ["group"]]
        assert [table for table in same.tables if table in tables] == tables

        printed = tables_of(audit)
        counts = {
            row["finding"]: {n: row[n] for n in ("critical", "warning", "info") if row[n]}
            for row in printed["findings"]
        }
        assert findings_on(read) == {name: row for name, row in counts.items() if row}
        text = "".join(read.text)
        assert printed["verdict"][0]["verdict"].partition(" Only this snapshot")[0] in text
        groups, findings = (
            pd.read_parquet(folders["audit"] / name) for name in ("groups", "findings")
        )
        (clusters,) = (
            table[1:] for table in read.tables if table[0][:2] == ["cluster", "snapshot"]
        )
        west = groups[groups.cluster == "west"]
        troubles = findings[(findings.cluster == "west") & (findings.severity != "info")]
        uneven = int((west.uneven == True).sum())  # noqa: E712 - null is neither
        assert [row[:7] for row in clusters if row[0] == "west"] == [
            [
                *("west", SNAPSHOT, str(len(west)), str(int(west.max_load.isna().sum()))),
                *(str(uneven), str(int(west.moves.sum())), str(len(troubles))),
            ]
        ]
        all_uneven = f"{(groups.uneven == True).sum()} of {groups.max_load.count()}"  # noqa: E712
        assert read.told["Groups to even out"].startswith(all_uneven)
        planned = pd.read_parquet(folders["plan"] / "assignments")
        stay = planned[planned.action != "takeover"].groupby(["cluster", "group"])
        busy = planned.groupby(["cluster", "group"]).member_id.nunique()
        own = stay.previous_member_id.nunique().reindex(busy.index, fill_value=0)
        idle = (busy - own).clip(lower=0).sum()
        assert re.match(rf"{idle}\D", read.told["Idle members that could have work"])
        data = data_of(page.read_text("utf-8"))
        assert "If its most loaded member crashes" in "".join(data["details"].values())
        named = {name for row in data["rows"].values() for name in row["found"]}
        assert named == {*range(len(data["names"]))}
        assert hostile("group").split("\n")[0] in text
        assert "<script>alert(1)" not in page.read_text("utf-8")

    def check_past(self, text: str, read: Read) -> None:
        """The lag of the trend ends where that at the top is; rebalances are counted by group."""
        _, _, lag, rebalances = data_of(text)["trend"]["values"]
        (now,) = re.findall(r"^[\d,]+", read.told["Lag (records)"])
        assert (len(lag), f"{lag[-1]:,}") == (len(HOURS), now)
        assert sum(rebalances) == 2
        assert text.count("<polyline") == 4
        (groups,) = (table for table in read.tables if table[0][:1] == ["group"])
        a_day = groups[0].index("rebalances a day")
        assert [row[a_day] for row in groups if "restless" in row[0]] == ["24.0"]

    def test_options_are_passed_on(
        self, run: Run, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The results of other commands, a title, and the short form."""
        given: list[Results] = []

        def gathered(_: Any, __: Any, results: Results, *of: Any, **___: Any) -> Material:
            given.append(results)
            return replace(material(), title=of[2])

        monkeypatch.setattr("spark.jobs.report.material_of", gathered)
        page, names = tmp_path / "report.md", [field.name for field in fields(Results)]
        words = [word for name in names for word in (f"--{name.replace('_', '-')}", f"of-{name}")]
        words += ["--format", "markdown", "--title", "Monday"]
        assert run("report", store, "--out", page, *words).code == 0
        assert page.read_text("utf-8").startswith("# Monday\n")
        assert given == [Results(**{name: f"of-{name}" for name in names})]

    def test_a_finding_names_the_command_that_says_more(self) -> None:
        finding = {"cluster": "prod", "group": "it's", "finding": "unbalanced"}
        commands = [
            with_command(finding | changes, "a store")["command"]
            for changes in ({}, {"finding": "eager-rebalances"}, {"group": None})
        ]
        where = "'a store' --cluster prod"
        name = """'it'"'"'s'"""
        assert commands == [
            f"evenfleet explain {where} --group {name}",
            f"evenfleet rollout {where} --group {name}",
            f"evenfleet audit {where}",
        ]


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
