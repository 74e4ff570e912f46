"""`evenfleet report`, as a user runs it."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest

from spark.demo.fleet import demo_fleet
from spark.fleet.local_store import write_store
from spark.jobs.report_commands import with_command
from spark.settings import USUAL_STRATEGIES
from tests.spark.report.test_page import Read
from tests.support.fleets import SNAPSHOT, Fleet
from tests.support.said import Run, is_one_line
from tests.support.small import EARLIER


@pytest.fixture
def demo_store(tmp_path: Path) -> Path:
    for snapshot, groups in ((EARLIER, 11), (SNAPSHOT, 12)):
        write_store(demo_fleet(groups, seed=5), tmp_path / "demo", snapshot)
    return tmp_path / "demo"


def test_figures_are_those_of_the_commands(run: Run, demo_store: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    output = run("report", demo_store, "--out", page)
    assert output.code == 0, output.err
    assert f"The report is in {page}." in output.err.replace("\n", " ")
    read = Read(page.read_text("utf-8"))
    audit = json.loads(run("audit", demo_store, "--format", "json", "--out", tmp_path / "a").out)
    result = {row.pop("finding"): row for row in audit["findings"]}
    assert _counts(read) == {
        name: {item: row[item] for item in ("critical", "warning", "info") if row[item]}
        for name, row in result.items()
        if row["critical"] + row["warning"] + row["info"]
    }
    groups, findings = (pd.read_parquet(tmp_path / "a" / name) for name in ("groups", "findings"))
    (clusters,) = (table[1:] for table in read.tables if table[0][:2] == ["cluster", "snapshot"])
    assert [row[:7] for row in clusters] == [
        [name, SNAPSHOT, *map(str, _of_cluster(of, findings[findings.cluster == name]))]
        for name, of in groups.groupby("cluster")
    ]
    (rows,) = (table[1:] for table in read.tables if table[0][:1] == ["group"])
    assert {row[0]: row[1] for row in rows} == {
        f"{row.group}{row.cluster}": row.status
        if pd.isna(row.max_load)
        else f"{int(row.current_max_load)} → {int(row.max_load)}"
        for row in groups.itertuples()
    }
    worst = groups[groups.max_load.notna()].assign(
        ratio=(groups.current_max_load / groups.max_load).fillna(1)
    )
    first = worst.sort_values(["ratio", "partitions"], ascending=False).iloc[0]
    assert rows[0][0] == f"{first.group}{first.cluster}"
    earlier, newest = (
        len(pd.read_parquet(demo_store / f"members/snapshot={item}"))
        for item in (EARLIER, SNAPSHOT)
    )
    text = "".join(read.text)
    assert f"12 groups, {newest} members (snapshot before: 11 groups, {earlier} members)" in text
    uneven = read.told["Groups to even out"]
    assert uneven.startswith(f"{_uneven(groups)} of 12")
    assert run("plan", demo_store, "--out", tmp_path / "p").code == 0
    idle = read.told["Idle members that could have work"]
    assert re.match(r"\d+", idle)[0] == str(_idle(tmp_path / "p"))  # type: ignore[index]
    assert audit["verdict"][0]["verdict"] in text
    assert "If its most loaded member crashes" in text
    lag = _lag(demo_store, first.cluster, first.group)
    assert f"Its lag is {lag:,} record" in text
    again, compared = tmp_path / "again.html", tmp_path / "c"
    strategies = ("--strategies", ",".join(USUAL_STRATEGIES))
    assert run("compare", demo_store, "--out", compared, *strategies).code == 0
    results = ("--audit", tmp_path / "a", "--plan", tmp_path / "p", "--compare", compared)
    assert run("report", demo_store, "--out", again, *results).code == 0
    same = Read(again.read_text("utf-8"))
    assert (same.tables, same.told, _counts(same)) == (read.tables, read.told, _counts(read))


def _lag(store: Path, cluster: str, group: str) -> int:
    """Records that a group is behind on the topics that it reads."""
    keys = ["cluster", "group", "topic"]
    offsets, read = (
        pd.read_parquet(store / name / f"snapshot={SNAPSHOT}")
        for name in ("offsets", "subscriptions")
    )
    own = offsets.merge(read[keys].drop_duplicates(), on=keys)
    own = own[(own.cluster == cluster) & (own.group == group)]
    return int(own.lag.clip(lower=0).sum())


def _counts(read: Read) -> dict[str, dict[str, int]]:
    """How many findings there are of each kind and severity."""
    counts = {}
    for summary in read.summaries:
        name, *words = summary.replace(",", "").split()
        if words and words[-1].removesuffix("s") in ("critical", "warning", "info"):
            severities = [word.removesuffix("s") for word in words[1::2]]
            counts[name] = dict(zip(severities, map(int, words[::2]), strict=True))
    return counts


def _uneven(groups: pd.DataFrame) -> int:
    return int((groups.current_max_load > groups.max_load).sum())


def _idle(plan: Path) -> int:
    """Members without a partition now that get one, in the groups of a plan."""
    rows = pd.read_parquet(plan / "assignments")
    own = rows[rows.action != "takeover"].groupby(["cluster", "group"]).previous_member_id.nunique()
    planned = rows.groupby(["cluster", "group"]).member_id.nunique()
    return int((planned - own.reindex(planned.index, fill_value=0)).clip(lower=0).sum())


def _of_cluster(groups: pd.DataFrame, findings: pd.DataFrame) -> list[int]:
    """What the page says of a cluster, computed from what the audit wrote."""
    return [
        *(len(groups), int(groups.max_load.isna().sum()), _uneven(groups)),
        *(int(groups.moves.sum()), int((findings.severity != "info").sum())),
    ]


def test_a_report_with_a_past(run: Run, tmp_path: Path) -> None:
    """The lag of the trend ends where that at the top is, and rebalances are counted by group."""
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
    output = run("report", tmp_path / "store", "--out", page, "--history", tmp_path / "past")
    assert output.code == 0, output.err
    text = page.read_text("utf-8")
    read = Read(text)
    assert read.told["Lag (records)"].startswith("9unchanged since the snapshot before")
    assert '"values":[[0,0],[0,0],[9,9],[0,2]]' in text
    assert text.count("<polyline") == 5
    (rows,) = (table for table in read.tables if table[0][:1] == ["group"])
    hours = (pd.Timestamp(SNAPSHOT) - pd.Timestamp(EARLIER)).total_seconds() / 3600
    assert rows[1][rows[0].index("rebalances a day")] == f"{2 * 24 / hours:.1f}"


def test_the_short_form_has_its_title(run: Run, store: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.md"
    output = run("report", store, "--out", page, "--format", "markdown", "--title", "Monday")
    assert output.code == 0, output.err
    assert page.read_text("utf-8").startswith("# Monday\n")


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (
            ("--out", "nowhere/r.html"),
            "--out nowhere/r.html must be a file in a folder that exists",
        ),
        (("--out", "{}"), "must be a file in a folder that exists"),
        (("--out", "{}/r.html", "--audit", "{}/none"), "has no table findings"),
        (("--out", "{}/r.html", "--history", "{}/none"), "has no history up to snapshot"),
        (("--out", "{}/r.html", "--plan", "{}/none"), "has no table groups"),
        (("--out", "{}/r.html", "--group", "x"), "has no groups matching 'x'"),
    ],
)
def test_options_that_cant_be(
    run: Run, store: Path, tmp_path: Path, options: tuple[str, ...], why: str
) -> None:
    output = run("report", store, *(option.replace("{}", str(tmp_path)) for option in options))
    assert output.code == 2
    assert why in output.err.replace("\n", " ")
    assert is_one_line(output)
    assert not (tmp_path / "r.html").exists()


def test_a_finding_names_the_command_that_says_more() -> None:
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
