"""Teams and mutes of the settings, in what audits and other commands say of a fleet."""

from datetime import date
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from spark import InputError
from spark.audit.thresholds import AuditSettings
from spark.fleet import Mute, Part, Team, team_of
from spark.settings import read_settings
from tests.support.fleets import Fleet
from tests.support.said import Run, Said
from tests.support.small import rows
from tests.support.terminal import tables_of

TEXT = """
[[team]]
name = "orders"
groups = ["orders-*"]
[[team]]
name = "all-a"
groups = ["pay-a", "*-a"]
[[mute]]
finding = "unread-partitions"
group = "orders-b"
until = 2026-11-22
why = "b moves out"
[[mute]]
finding = "claimed-twice"
until = "2026-11-21"
why = "over today"
[[mute]]
finding = "owner-gone"
cluster = "d"
until = "2100-01-01"
why = "nothing fits"
"""
TEAMS = {"orders-a": "orders", "orders-b": "orders", "pay-a": "all-a", "other": None}
MUTED = "until 2026-11-22: b moves out"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "settings.toml"
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Four groups, each of which leaves a partition unread; in one, two members own the same."""
    fleet = Fleet().topic("t", 4)
    for group in TEAMS:
        twice = [("t", 0, "b")] if group == "pay-a" else []
        claims = [("t", 0, "a"), ("t", 1, "a"), ("t", 2, "b"), *twice]
        fleet.group(group, {"a": ["t"], "b": ["t"]}, claims)
    return fleet.store(tmp_path / "store")


def test_the_file_states_them(config: Path) -> None:
    settings = read_settings(config)
    assert settings.teams == (Team("orders", ("orders-*",)), Team("all-a", ("pay-a", "*-a")))
    assert settings.mutes[0] == Mute(
        "unread-partitions", date(2026, 11, 22), "b moves out", group="orders-b"
    )
    assert {group: team_of(settings.teams, group) for group in TEAMS} == TEAMS
    part = Part("c", "pay*", settings.teams)
    assert (bool(part), str(part)) == (True, "groups matching 'pay*' of team all-a of cluster c")
    assert not Part()


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[[team]]\nname = 'a'", "[[team]] number 1: groups is missing: give a list, each a pat"),
        ("[[team]]\nname = 'a'\ngroups = []", "groups is [] and must be a list, each a pattern"),
        ("[[mute]]\nfinding = 'lag'\nwhy = ''", "[[mute]] number 1: why is '' and must be a text"),
        ("[[mute]]\nuntil = 'May'", "until is 'May' and must be a day such as 2027-03-31"),
        ("[[mute]]\nuntil = 2027-03-31T10:00:00", "must be a day such as 2027-03-31"),
    ],
)
def test_a_fault_of_the_file_is_said(tmp_path: Path, text: str, fault: str) -> None:
    (path := tmp_path / "settings.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as raised:
        read_settings(path)
    assert fault in str(raised.value)


def test_a_mute_of_what_is_no_finding_is_said(tmp_path: Path) -> None:
    text = "[[mute]]\nfinding = 'idle-member'\nuntil = '2027-01-01'\nwhy = 'x'\ngroup = 'pay*'"
    (path := tmp_path / "settings.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as raised:
        AuditSettings().with_settings(read_settings(path))
    assert str(raised.value) == (
        "[[mute]] idle-member of group pay*, cluster *: no finding 'idle-member'; "
        "did you mean idle-members?"
    )


def test_an_audit_knows_teams_and_what_is_muted(
    run: Run, store: Path, config: Path, tmp_path: Path
) -> None:
    """Nothing counts what is muted but as such; it is back on its day, and what fits none said."""
    metrics, words = tmp_path / "e.prom", ("--config", config, "--no-history")
    out = ("--out", tmp_path / "out", "--prometheus", metrics, "--format", "json")
    said = run("audit", store, *words, *out)
    findings = rows(tmp_path / "out" / "findings")
    unread = {
        row["group"]: row["muted"] for row in findings if row["finding"] == "unread-partitions"
    }
    assert unread == {group: MUTED if group == "orders-b" else None for group in TEAMS}
    twice = [row["muted"] for row in findings if row["finding"] == "claimed-twice"]
    assert twice == [None]
    assert {row["group"]: row["team"] for row in findings} == TEAMS
    assert {row["group"]: row["team"] for row in rows(tmp_path / "out" / "groups")} == TEAMS
    counts = {row["finding"]: row for row in tables_of(said)["findings"]}
    row = counts["unread-partitions"]
    assert (row["warning"], row["muted"]) == (3, 1)
    assert "1 critical finding and 3 warnings (and 1 muted) in 4 groups" in said.err
    assert "[[mute]] owner-gone of group *, cluster d fits nothing: remove it." in said.err
    assert said.err.count("fits nothing") == 1
    samples = [
        (sample.name.removeprefix("evenfleet_audit_"), sample.labels, sample.value)
        for family in text_string_to_metric_families(metrics.read_text("utf-8"))
        for sample in family.samples
    ]
    assert ("muted_findings", {"finding": "unread-partitions"}, 1) in samples
    assert ("team_findings", {"team": "orders", "severity": "warning"}, 1) in samples
    assert ("team_findings", {"team": "all-a", "severity": "critical"}, 1) in samples
    of_pay = {"cluster": "c", "group": "pay-a", "team": "all-a", "severity": "critical"}
    assert ("group_findings", of_pay, 1) in samples
    of_other = {"cluster": "c", "group": "other", "severity": "warning"}
    assert ("group_findings", of_other, 1) in samples
    assert "orders-b" not in {labels.get("group") for name, labels, _ in samples if "find" in name}


def test_only_a_team_is_audited_and_planned(
    run: Run, store: Path, config: Path, tmp_path: Path
) -> None:
    words = ("--config", config, "--team", "all-a")
    said = run("plan", store, "--out", tmp_path / "plan", *words)
    assert said.code == 0, said.err
    assert [row["group"] for row in rows(tmp_path / "plan" / "groups")] == ["pay-a"]
    assert "Only groups of team all-a were planned" in said.err
    assert f"--team all-a --config {config}" in said.err
    said = run("verify", store, tmp_path / "plan")
    assert (said.code, "The plan covers only groups of team all-a." in said.err) == (0, True)
    said = run("audit", store, "--no-history", *words, "--cluster", "c", "--fail-on", "critical")
    assert said.code == 1
    assert "Only groups of team all-a of cluster c were audited." in said.err
    said = run("audit", store, *words[:3], "all-b")
    assert said.err == (
        "evenfleet: no team 'all-b': the settings have 2 teams (all-a, orders); "
        "did you mean all-a?\n"
    )
    said = run("audit", store, "--team", "all-a")
    assert said.err == (
        "evenfleet: no team 'all-a': the settings have no [[team]]: name a file with --config\n"
    )


def test_explain_names_the_team(run: Run, store: Path, config: Path) -> None:
    said = run("explain", store, "--group", "pay-a", "--config", config, "--format", "json")
    assert tables_of(said)["explanation"][0]["team"] == "all-a"


def test_explain_marks_what_is_muted(run: Run, store: Path, config: Path) -> None:
    def said(group: str, *more: str) -> Said:
        return run("explain", store, "--group", group, "--config", config, *more)

    assert f"Muted {MUTED}. " in said("orders-b", "--all").err
    assert "Muted" not in said("orders-a", "--all").err
    (row,) = tables_of(said("orders-b", "--format", "json"))["explanation"]
    muted = {finding["finding"]: finding["muted"] for finding in row["findings"]}
    assert muted.pop("unread-partitions") == MUTED
    assert {*muted.values()} <= {None}
