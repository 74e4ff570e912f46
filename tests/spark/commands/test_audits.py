"""Commands that look at the torture store as a whole: audit, graph and report."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families
from pyspark.sql import SparkSession

from spark import FleetAudit
from spark.audit import AuditedStore
from spark.audit.finding import COLUMNS
from spark.audit.fleet_audit import COORDINATORS
from spark.audit.registry import FINDINGS
from spark.fleet import Stored
from spark.graph.fleet_graph import coordinate, has_graphframes
from spark.jobs.graph import bring_graphframes
from spark.terminal.console import OUT
from spark.text import plain
from tests.spark.commands.conftest import Once, audit_words
from tests.support.fleets import SNAPSHOT
from tests.support.said import Run, Said, is_one_line
from tests.support.small import rows
from tests.support.terminal import tables_of
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
        return check_harmless(once("audit", torture, *audit_words(results)), 1)

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
        printed = tables_of(audited)
        result = {row["finding"]: row for row in printed["findings"]}
        not_run = {row["finding"]: row["why"] for row in printed["not_run"]}
        assert {*result, *not_run} == {*FINDINGS}
        assert not result.keys() & not_run.keys()
        keys = ["finding", "critical", "warning", "info", "muted"]
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
        assert f"Not evaluated: {COUNTS}" in audited.err
        assert {row["kind"] for row in printed["other_kinds"]} >= {"share", "streams"}

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
        assert f"Written to {results / 'audit'}: findings, groups, coordinators" in audited.err
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
        assert reports

    def test_of_some_groups(self, run: Run, torture: Path, tmp_path: Path) -> None:
        """Nothing is told that is about a whole cluster, or the past, which this one hasn't."""
        words = ("--group", "pay-1", "--format", "json", "--fail-on", "critical", "--no-history")
        words = (*words, "--snapshot", HOURS[0])
        output = check_harmless(run("audit", torture, *words, "--out", tmp_path))
        assert "Only groups matching 'pay-1' were audited.\n" in output.err
        printed = tables_of(output)
        assert printed["groups"] == [{"status": "ok", "groups": 2}]
        assert {row["group"] for row in rows(tmp_path / "findings", HOURS[0])} == {"pay-1"}
        why = "it is about a whole cluster, and only some groups are examined"
        not_run = {row["finding"]: row["why"] for row in printed["not_run"]}
        assert {name for name, text in not_run.items() if why in text} == ABOUT_CLUSTERS
        assert "stuck-rebalance" in not_run
        assert not_run["avoidable-moves"] == "there is no earlier snapshot to compare with"
        assert printed["verdict"][0]["verdict"].endswith(
            "this snapshot was checked, not its history."
        )

    def test_of_one_cluster_and_its_past(
        self, run: Run, torture: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The past, which takes long, is only asked for: its own tests have what is found there."""
        asked: list[Stored | None] = []
        audit = AuditedStore.audit

        def without_past(store: AuditedStore, *of: Any) -> FleetAudit:
            asked.append(of[-2])
            return audit(store, *of[:-2], None, of[-1])

        monkeypatch.setattr(AuditedStore, "audit", without_past)
        words = ("--cluster", "west", "--out", tmp_path, "--format", "json")
        output = check_harmless(run("audit", torture, *words))
        assert [stored and [*stored.whole] for stored in asked] == [[*HOURS]]
        findings = rows(tmp_path / "findings")
        assert {row["cluster"] for row in findings} == {"west"}
        assert "under-replicated" in {row["finding"] for row in findings}
        not_run = {row["finding"] for row in tables_of(output)["not_run"]}
        assert "avoidable-moves" not in not_run


@pytest.mark.usefixtures("graphframes")
class TestGraph:
    """`evenfleet graph`: two of its questions; tests of `answers` have the others."""

    def asked(self, once: Once, torture: Path, question: str, *words: object) -> Any:
        output = once("graph", torture, "--question", question, *words, "--format", "json")
        return tables_of(check_harmless(output))

    def test_coupled_groups(self, once: Once, torture: Path) -> None:
        printed = self.asked(once, torture, "coupled-groups")
        groups = {(row["cluster"], row["group"]): row for row in printed["groups"]}
        assert groups.keys() >= {("c", group) for group in UTF8} | {(EVIL, hostile("group"))}
        assert {cluster for cluster, _ in groups} == CLUSTERS.keys()
        assert groups["west", "cured"]["component"] == groups["west", "restless"]["component"]
        couples = {row["component"]: row for row in reversed(printed["topics"])}
        assert couples.keys() == {
            row["component"] for row in groups.values() if row["component_groups"] > 1
        }

    def test_reach(self, once: Once, torture: Path) -> None:
        printed = self.asked(once, torture, "reach", "--rack", "r1")
        assert tuple(printed["reach"][0].values())[:3] == (0, "broker", 1)
        assert "pay-1" in {row["group"] for row in printed["groups"]}


def test_where_the_jar_cannot_be_had_a_sentence_says_how_to_bring_it(
    run: Run, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spark's resolver is asked for it, in vain; a thread of its own sees no jar of another's."""
    monkeypatch.setattr("spark.jobs.graph.coordinate", lambda _: "no coordinate")
    with ThreadPoolExecutor(1) as elsewhere:
        output = elsewhere.submit(run, "graph", store).result()
    assert output.code == 2
    assert is_one_line(output)
    assert f"`--packages {coordinate('graphframes')}`" in output.err


def test_the_session_gets_the_jar_from_sparks_resolver(graphframes: SparkSession) -> None:
    """A thread that lacks it asks for it, and then has it."""
    with ThreadPoolExecutor(1) as elsewhere:
        assert not elsewhere.submit(has_graphframes, graphframes).result()
        elsewhere.submit(bring_graphframes, graphframes).result()
        assert elsewhere.submit(has_graphframes, graphframes).result()
