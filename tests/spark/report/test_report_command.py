"""`evenfleet report`, as a user runs it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import pytest

from spark.demo.fleet import demo_fleet
from spark.fleet.local_store import write_store
from tests.spark.report.test_page import Read
from tests.spark.support.fleets import SNAPSHOT, Fleet
from tests.spark.support.said import Run, is_one_line
from tests.spark.support.small import EARLIER


@pytest.fixture
def demo_store(tmp_path: Path) -> Path:
    for snapshot, groups in ((EARLIER, 11), (SNAPSHOT, 12)):
        write_store(demo_fleet(groups, seed=5), tmp_path / "demo", snapshot)
    return tmp_path / "demo"


def test_figures_are_those_of_the_commands(run: Run, demo_store: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    said = run("report", demo_store, "--out", page)
    assert said.code == 0, said.err
    assert f"The report is in {page}." in said.err.replace("\n", " ")
    read = Read(page.read_text("utf-8"))
    tables = {table[0][0]: table[1:] for table in read.tables if table}
    audit = json.loads(run("audit", demo_store, "--format", "json", "--out", tmp_path / "a").out)
    found = [row for row in audit["findings"] if row["critical"] + row["warning"] + row["info"]]
    assert tables["finding"] == [
        [row["finding"], *(str(row[one]) for one in ("critical", "warning", "info"))]
        for row in found
    ]
    groups, findings = (pd.read_parquet(tmp_path / "a" / name) for name in ("groups", "findings"))
    (clusters,) = (table[1:] for table in read.tables if table[0][:2] == ["cluster", "snapshot"])
    assert clusters == [
        [name, SNAPSHOT, *map(str, _of_cluster(of, findings[findings.cluster == name]))]
        for name, of in groups.groupby("cluster")
    ]
    earlier, newest = (
        len(pd.read_parquet(demo_store / f"members/snapshot={one}")) for one in (EARLIER, SNAPSHOT)
    )
    found, planned = ("current_max_load", "current_min_load"), ("max_load", "min_load")
    figures = {
        "clusters": str(groups.cluster.nunique()),
        "groups": "12 in the snapshot before 11",
        "uneven groups, planned": f"{_uneven(groups, *planned)} now {_uneven(groups, *found)}",
        "partitions that move": str(int(groups.moves.sum())),
        "most partitions a member, planned": f"{int(groups.max_load.max())} now "
        f"{int(groups.current_max_load[groups.max_load.notna()].max())}",
        "members": f"{newest} in the snapshot before {earlier}",
    }
    assert {name: read.told[name].replace(",", "") for name in figures} == figures
    text = "".join(read.text)
    assert audit["verdict"][0]["verdict"] in text
    assert "If its most loaded member crashed" in text
    again = tmp_path / "again.html"
    assert run("report", demo_store, "--out", again, "--audit", tmp_path / "a").code == 0
    same = {table[0][0]: table[1:] for table in Read(again.read_text("utf-8")).tables if table}
    assert same == tables


def _uneven(groups: pd.DataFrame, most: str, least: str) -> int:
    return int((groups[most] - groups[least] >= 2).sum())


def _of_cluster(groups: pd.DataFrame, findings: pd.DataFrame) -> list[int]:
    """What the page tells of a cluster, worked out anew from what the audit has written."""
    return [
        *(len(groups), int(groups.max_load.isna().sum())),
        _uneven(groups, "current_max_load", "current_min_load"),
        _uneven(groups, "max_load", "min_load"),
        int(groups.moves.sum()),
        int((findings.severity != "info").sum()),
    ]


def test_a_report_with_a_past(run: Run, tmp_path: Path) -> None:
    """The lag ends where the figure above it is, and rebalances are drawn as they are counted."""
    for snapshot, member, generation in ((EARLIER, "a", 1), (SNAPSHOT, "b", 3)):
        fleet = Fleet().topic("t", 1).topic("left", 1)
        fleet.group("g", {member: ["t"]}, [("t", 0, member)], generation=generation)
        for topic, end in (("t", 9), ("left", 6595)):
            offsets = {"committed_offset": 0, "end_offset": end, "lag": end}
            fleet.add("offsets", group="g", topic=topic, partition=0, **offsets)
        fleet.add("offsets", group="g", topic="t", partition=1, committed_offset=-1, end_offset=70)
        write_store(fleet.tables(), tmp_path / "store", snapshot)
    assert run("history", tmp_path / "store", "--out", tmp_path / "past").code == 0
    page = tmp_path / "report.html"
    said = run("report", tmp_path / "store", "--out", page, "--history", tmp_path / "past")
    assert said.code == 0, said.err
    read = Read(page.read_text("utf-8"))
    assert read.told["lag (records)"] == "9 in the snapshot before 9"
    assert "the lag from 9 to 9 records" in "".join(read.text)
    drawings = re.findall("<svg .*?</svg>", page.read_text("utf-8"), re.DOTALL)
    assert all(map(_marks, drawings))
    assert not any("NaN" in one for one in drawings)
    (rebalances,) = (one for one in drawings if "rebalances (times)" in one and "restart" in one)
    assert _marks(rebalances) == ["bar"]


def _marks(drawing: str) -> list[str | None]:
    """What is drawn of rows."""
    return [
        one.get("aria-roledescription")
        for group in ElementTree.fromstring(drawing).iter()
        if re.search("mark-.* role-mark", group.get("class", ""))
        for one in group
    ]


def test_a_plan_that_is_there_is_told(run: Run, demo_store: Path, tmp_path: Path) -> None:
    assert run("plan", demo_store, "--out", tmp_path / "plan", "--strategy", "range").code == 0
    page = tmp_path / "report.md"
    words = ("report", demo_store, "--out", page, "--plan", tmp_path / "plan")
    said = run(*words, "--format", "markdown", "--title", "Monday")
    assert said.code == 0, said.err
    assert page.read_text("utf-8").startswith("# Monday\n")


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--out", "nowhere/r.html"), "--out nowhere/r.html isn't a file in a folder that is"),
        (("--out", "{}"), "isn't a file in a folder that is there"),
        (("--out", "{}/r.html", "--audit", "{}/none"), "has no table findings"),
        (("--out", "{}/r.html", "--history", "{}/none"), "has no history up to snapshot"),
        (("--out", "{}/r.html", "--plan", "{}/none"), "has no table groups"),
        (("--out", "{}/r.html", "--group", "x"), "has no groups matching 'x'"),
    ],
)
def test_options_that_cant_be(
    run: Run, store: Path, tmp_path: Path, options: tuple[str, ...], why: str
) -> None:
    said = run("report", store, *(one.replace("{}", str(tmp_path)) for one in options))
    assert said.code == 2
    assert why in said.err.replace("\n", " ")
    assert is_one_line(said)
    assert not (tmp_path / "r.html").exists()
