"""Commands that look at the torture store as a whole: audit, graph and report."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from prometheus_client.parser import text_string_to_metric_families
from pyspark.sql import SparkSession

from spark.audit.finding import COLUMNS
from spark.audit.fleet_audit import COORDINATORS
from spark.audit.registry import FINDINGS
from spark.fleet.local_store import write_store
from spark.graph.fleet_graph import has_graphframes
from spark.graph.packages import coordinate
from spark.jobs.graph import bring_graphframes
from spark.jobs.report_commands import with_command
from spark.settings import USUAL_STRATEGIES
from spark.terminal.console import OUT, plain
from tests.spark.commands.conftest import Once
from tests.spark.report.test_page import Read
from tests.support.fleets import SNAPSHOT, Fleet
from tests.support.said import Run, Said, is_one_line
from tests.support.small import EARLIER, rows
from tests.support.torture import (
    CLUSTERS,
    EVIL,
    HOURS,
    LONG,
    LONG_GROUPS,
    READ,
    UTF8,
    check_harmless,
    hostile,
)

COUNTS = "3 empty, 1 rebalancing, 34 invalid, 5 unsupported"
ABOUT_CLUSTERS = {
    *("coordinator-load", "under-replicated", "leaderless", "not-preferred-leader"),
    *("single-replica", "replica-skew", "leader-skew", "empty-broker"),
    *("replicas-at-minimum", "offline-if-broker-fails", "offline-if-rack-fails"),
    *("reassignment-stuck", "unread-topic", "bears-no-failure", "unclean-election"),
    *("broker-settings", "writes-refused"),
}


def counted(metrics: Path, name: str) -> list[dict[str, Any]]:
    """The samples of a name: their labels and values."""
    families = text_string_to_metric_families(metrics.read_bytes().decode())
    samples = [sample for family in families for sample in family.samples]
    return [item.labels | {"value": item.value} for item in samples if item.name == name]


class TestAudit:
    """`evenfleet audit`."""

    @pytest.fixture
    def audited(self, once: Once, torture: Path, results: Path) -> Said:
        words = ("--out", results / "audit", "--prometheus", results / "evenfleet.prom")
        words = (*words, "--fail-on", "critical", "--format", "json")
        return check_harmless(once("audit", torture, *words), 1)

    def test_findings_are_written_with_all_names_whole(self, audited: Said, results: Path) -> None:
        findings = rows(results / "audit" / "findings")
        assert tuple(findings[0]) == COLUMNS
        assert {row["cluster"] for row in findings} == CLUSTERS.keys()
        sentences = {
            (row["cluster"], row["group"]): row["sentence"]
            for row in findings
            if row["finding"] == "invalid-group"
        }
        for group, why in UTF8.items():
            sentence = f"Group {group} can't be judged: not valid UTF-8: {why}."
            assert sentences["c", group] == sentence
        leaderless = {row["subject"] for row in findings if row["finding"] == "leaderless"}
        assert r"topic caf\xe8" in leaderless
        evil = [row for row in findings if row["cluster"] == EVIL]
        assert {row["group"] for row in evil} == {hostile("group")}
        assert f"topic {hostile('topic')}" in {row["subject"] for row in evil}
        of_long = [row for row in findings if row["cluster"] == LONG]
        assert {row["group"] for row in of_long} == {*LONG_GROUPS}
        assert f"group {LONG_GROUPS[0]}" in {row["subject"] for row in of_long}
        assert max(len(row["sentence"]) for row in findings) < 1_300

    def test_json_is_one_object(self, audited: Said) -> None:
        """And what couldn't be run, and why."""
        printed = json.loads(audited.out)
        result = {row["finding"]: row for row in printed["findings"]}
        not_run = {row["finding"]: row["why"] for row in printed["not_run"]}
        assert {*result, *not_run} == {*FINDINGS}
        assert not result.keys() & not_run.keys()
        keys = ["finding", "critical", "warning", "info"]
        assert [*result["invalid-group"]] == keys
        assert result["invalid-group"]["warning"] + result["invalid-group"]["critical"] == 34
        no_topics = "no co-partitioned topics are configured ([[copartitioned]])"
        assert not_run["unequal-topics"] == no_topics
        assert all(tuple(row) == COLUMNS for row in printed["worst"])
        (row,) = printed["verdict"]
        assert (row["snapshot"], row["state"]) == (SNAPSHOT, "in trouble")
        groups = {row["status"]: row["groups"] for row in printed["groups"]}
        assert groups == {
            **{"ok": 39, "inferred": 1, "invalid": 34, "unsupported": 5},
            **{"empty": 3, "rebalancing": 1},
        }
        assert {row["cluster"]: row["snapshot"] for row in printed["clusters"]} == CLUSTERS
        assert READ in audited.err
        assert f"Not judged: {COUNTS}" in audited.err
        assert re.search("Groups that aren't consumer groups: .*1 share, ", audited.err)

    def test_metrics_count_findings(self, audited: Said, results: Path) -> None:
        metrics, findings = results / "evenfleet.prom", rows(results / "audit" / "findings")
        text = metrics.read_text(encoding="utf-8")
        assert max(map(len, text.splitlines())) < 1_300
        by_severity = [(row["finding"], row["severity"]) for row in findings]
        series = counted(metrics, "evenfleet_audit_findings")
        assert {(row["finding"], row["severity"]) for row in series if row["value"]} == {
            *by_severity
        }
        assert sum(row["value"] for row in series) == len(findings)

    def test_who_coordinates_what_is_a_table(self, audited: Said, results: Path) -> None:
        """In west broker 7 by the groups' names, the others nothing; in d 2 as it was said."""
        assert "The groups of each coordinator are in " in audited.err
        table = rows(results / "audit" / "coordinators")
        assert tuple(table[0]) == COORDINATORS
        west = [tuple(row.values())[1:] for row in table if row["cluster"] == "west"]
        assert [(broker, groups) for broker, groups, *_ in west] == [(1, 0), (2, 0), (7, 15)]
        assert 2 in {row["broker"] for row in table if row["cluster"] == "d"}

    def test_as_people_read_it(
        self, run: Run, monkeypatch: pytest.MonkeyPatch, torture: Path
    ) -> None:
        """Each finding has its advice; names are spelled harmlessly, wherever they are folded."""
        monkeypatch.setattr(OUT, "width", 60)
        output = check_harmless(
            run("audit", torture, "--group", "group?><script>*", "--no-history")
        )
        text = "".join((output.out + output.err).split())
        for name in (f"{EVIL}: ", hostile("group"), hostile("topic")):
            assert "".join(plain(name).split()) in text
        reports = [line for line in output.out.splitlines() if line.startswith("  →")]
        assert len(reports) == 3

    def test_of_some_groups(self, run: Run, torture: Path, tmp_path: Path) -> None:
        """Nothing is told that is about a whole cluster; of a cluster all is."""
        words = ("--group", "pay-1", "--format", "json", "--fail-on", "critical", "--no-history")
        output = check_harmless(run("audit", torture, *words, "--out", tmp_path))
        assert "Only groups matching 'pay-1' were audited.\n" in output.err
        printed = json.loads(output.out)
        assert printed["groups"] == [{"status": "ok", "groups": 2}]
        assert {row["group"] for row in rows(tmp_path / "findings")} == {"pay-1"}
        why = "it is about a whole cluster, and only some groups are examined"
        not_run = {row["finding"] for row in printed["not_run"] if why in row["why"]}
        assert not_run == ABOUT_CLUSTERS

    def test_of_one_cluster_and_its_past(self, run: Run, torture: Path, tmp_path: Path) -> None:
        words = ("--cluster", "west", "--out", tmp_path, "--format", "json")
        output = check_harmless(run("audit", torture, *words))
        findings = rows(tmp_path / "findings")
        assert {row["cluster"] for row in findings} == {"west"}
        assert "under-replicated" in {row["finding"] for row in findings}
        printed = json.loads(output.out)
        not_run = {row["finding"]: row["why"] for row in printed["not_run"]}
        assert not {"avoidable-moves", "stuck-rebalance", "falls-behind"} & not_run.keys()
        (verdict,) = printed["verdict"]
        assert verdict["verdict"].endswith(f"past too: {len(HOURS)} snapshots since {HOURS[0]}.")

    def test_without_its_past(self, run: Run, torture: Path) -> None:
        words = ("--group", "even", "--no-history", "--format", "json")
        printed = json.loads(run("audit", torture, *words).out)
        assert "stuck-rebalance" in {row["finding"] for row in printed["not_run"]}
        assert printed["verdict"][0]["verdict"].endswith("this snapshot, and not at the past.")

    def test_of_the_first_snapshot(self, run: Run, torture: Path) -> None:
        """A fleet that is well: nothing fails, and there is nothing to compare it with."""
        words = ("--snapshot", HOURS[0], "--group", "even", "--fail-on", "warning")
        output = run("audit", torture, *words, "--format", "json")
        assert output.code == 0
        printed = json.loads(output.out)
        not_run = {row["finding"]: row["why"] for row in printed["not_run"]}
        assert not_run["avoidable-moves"] == "there is no earlier snapshot to compare with"
        sentence = f"Snapshot {HOURS[0]}. 0 critical findings and 0 warnings in 1 group: "
        unseen = "brokers and leaders of topics and lag"  # some groups of a cluster are examined
        assert f"\n{sentence}the fleet is well, as far as members go; {unseen} not" in output.err


@pytest.mark.usefixtures("graphframes")
class TestGraph:
    """`evenfleet graph`: each question, as a table or as JSON."""

    def asked(self, once: Once, torture: Path, question: str, *words: object) -> Any:
        output = once("graph", torture, "--question", question, *words, "--format", "json")
        assert (READ in output.err) == ("--cluster" not in words)
        return json.loads(check_harmless(output).out)

    def test_coupled_groups(self, once: Once, torture: Path) -> None:
        printed = self.asked(once, torture, "coupled-groups", "--rows", 0)
        groups = {(row["cluster"], row["group"]): row for row in printed["groups"]}
        assert groups.keys() >= {("c", group) for group in UTF8} | {(EVIL, hostile("group"))}
        assert {cluster for cluster, _ in groups} == CLUSTERS.keys()
        assert groups["west", "cured"]["component"] == groups["west", "restless"]["component"]
        (fleet,) = printed["fleet"]
        assert fleet["groups"] == len(groups)

    def test_reach(self, once: Once, torture: Path) -> None:
        printed = self.asked(once, torture, "reach", "--rack", "r1")
        assert tuple(printed["reach"][0].values())[:3] == (0, "broker", 1)
        assert "pay-1" in {row["group"] for row in printed["groups"]}

    def test_components_and_competitors(self, once: Once, torture: Path) -> None:
        """The cluster needs no name where only one has such a group; the first rows do."""
        evil = ("--group", hostile("group"))
        printed = self.asked(once, torture, "components", *evil, "--rows", 1)
        (row,) = printed["components"]
        assert (row["members"], row["topics"], row["partitions"]) == (2, 1, 4)
        words = ("graph", torture, "--question", "competitors", *evil, "--member")
        output = check_harmless(once(*words, hostile("busy")))
        assert "".join(plain(hostile("idle")).split()) in "".join(output.out.split())

    def test_what_is_not_there_is_bad_input(self, run: Run, torture: Path) -> None:
        output = run("graph", torture, "--question", "components", "--group", "lopsidet")
        assert (output.code, is_one_line(output)) == (2, True)
        assert "with members; did you mean " in output.err


def test_where_the_jar_cannot_be_had_a_sentence_says_how_to_bring_it(
    run: Run, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spark's resolver is asked for it, in vain; a thread of its own sees no jar of another's."""
    monkeypatch.setattr("spark.jobs.graph.coordinate", lambda _: "no coordinate")
    with ThreadPoolExecutor(1) as elsewhere:
        output = elsewhere.submit(run, "graph", store, "--question", "coupled-groups").result()
    assert output.code == 2
    assert is_one_line(output)
    assert f"`--packages {coordinate('graphframes')}`" in output.err


def test_the_session_gets_the_jar_from_sparks_resolver(graphframes: SparkSession) -> None:
    """A thread that lacks it asks for it, and then has it."""
    with ThreadPoolExecutor(1) as elsewhere:
        assert not elsewhere.submit(has_graphframes, graphframes).result()
        elsewhere.submit(bring_graphframes, graphframes).result()
        assert elsewhere.submit(has_graphframes, graphframes).result()


def findings_of(read: Read) -> dict[str, dict[str, int]]:
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
        folders = {name: results / f"of-page-{name}" for name in ("audit", "plan", "compare")}
        strategies = ("--strategies", ",".join(USUAL_STRATEGIES))
        words = ("--format", "json", "--no-history", "--out", folders["audit"])
        audit = once("audit", torture, *words)
        once("plan", torture, "--out", folders["plan"])
        once("compare", torture, "--out", folders["compare"], *strategies)
        made = [word for name, folder in folders.items() for word in (f"--{name}", folder)]
        check_harmless(once("report", torture, "--out", again, *made))
        same = Read(again.read_text("utf-8"))
        assert (same.tables, same.told) == (read.tables, read.told)
        assert findings_of(same) == findings_of(read)

        printed = json.loads(audit.out)
        counts = {
            row["finding"]: {n: row[n] for n in ("critical", "warning", "info") if row[n]}
            for row in printed["findings"]
        }
        assert findings_of(read) == {name: row for name, row in counts.items() if row}
        text = "".join(read.text)
        assert printed["verdict"][0]["verdict"].partition(" It looks at")[0] in text
        groups, findings = (
            pd.read_parquet(folders["audit"] / name) for name in ("groups", "findings")
        )
        (clusters,) = (
            table[1:] for table in read.tables if table[0][:2] == ["cluster", "snapshot"]
        )
        west = groups[groups.cluster == "west"]
        troubles = findings[(findings.cluster == "west") & (findings.severity != "info")]
        uneven = int((west.current_max_load > west.max_load).sum())
        assert [row[:7] for row in clusters if row[0] == "west"] == [
            [
                *("west", SNAPSHOT, str(len(west)), str(int(west.max_load.isna().sum()))),
                *(str(uneven), str(int(west.moves.sum())), str(len(troubles))),
            ]
        ]
        all_uneven = int((groups.current_max_load > groups.max_load).sum())
        assert read.told["Groups to even out"].startswith(f"{all_uneven} of {len(groups)}")
        planned = pd.read_parquet(folders["plan"] / "assignments")
        stay = planned[planned.action != "takeover"].groupby(["cluster", "group"])
        busy = planned.groupby(["cluster", "group"]).member_id.nunique()
        own = stay.previous_member_id.nunique().reindex(busy.index, fill_value=0)
        idle = (busy - own).clip(lower=0).sum()
        assert re.match(rf"{idle}\D", read.told["Idle members that could have work"])
        assert "If its most loaded member crashes" in text
        assert hostile("group").split("\n")[0] in text
        assert "<script>alert(1)" not in page.read_text("utf-8")

    def test_a_report_with_a_past(self, once: Once, run: Run, tmp_path: Path) -> None:
        """The lag of the trend ends where that at the top is; rebalances are counted by group."""
        for snapshot, member, generation in ((EARLIER, "a", 1), (SNAPSHOT, "b", 3)):
            fleet = Fleet().topic("t", 1).topic("left", 1)
            fleet.group("g", {member: ["t"]}, [("t", 0, member)], generation=generation)
            for topic, end in (("t", 9), ("left", 6595)):
                offsets = {"committed_offset": 0, "end_offset": end, "lag": end}
                fleet.add("offsets", group="g", topic=topic, partition=0, **offsets)
            behind = {"committed_offset": -1, "end_offset": 70}
            fleet.add("offsets", group="g", topic="t", partition=1, **behind)
            write_store(fleet.tables(), tmp_path / "store", snapshot)
        assert run("history", tmp_path / "store", "--out", tmp_path / "past").code == 0
        page, words = tmp_path / "report.html", ("--history", tmp_path / "past")
        output = run("report", tmp_path / "store", "--out", page, *words)
        assert output.code == 0, output.err
        text = page.read_text("utf-8")
        read = Read(text)
        assert read.told["Lag (records)"].startswith("9unchanged since the snapshot before")
        assert '"values":[[0,0],[0,0],[9,9],[0,2]]' in text
        assert text.count("<polyline") == 5
        assert "Its lag is 9 records" in "".join(read.text)
        (groups,) = (table for table in read.tables if table[0][:1] == ["group"])
        assert groups[1][groups[0].index("rebalances a day")] == "48.0"

    def test_the_short_form_has_its_title(self, run: Run, store: Path, tmp_path: Path) -> None:
        page = tmp_path / "report.md"
        words = ("--format", "markdown", "--title", "Monday")
        assert run("report", store, "--out", page, *words).code == 0
        assert page.read_text("utf-8").startswith("# Monday\n")

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
