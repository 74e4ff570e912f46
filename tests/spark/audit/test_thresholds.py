"""Thresholds and severities of findings, the file for them, and docs/findings.md."""

import re
import tomllib
from pathlib import Path

import pytest
from pytest import MonkeyPatch

from spark import InputError
from spark.audit.finding import COLUMNS, Finding
from spark.audit.fleet_audit import MISSING_FACT
from spark.audit.registry import FINDINGS
from spark.audit.thresholds import (
    NEVER,
    AuditSettings,
    Copartitioned,
    GroupRule,
    read_audit_settings,
)
from spark.settings import NO_CONSUMERS, FleetConsumers, GroupConsumers, Settings, duration
from tests.paths import ROOT
from tests.support.said import Run
from tests.support.terminal import tables_of

TIMES = {
    **{"session_timeout_ms": 45_000, "heartbeat_interval_ms": 3_000, "restart_ms": 30_000},
    **{"max_poll_interval_ms": 300_000, "processing_time_ms": 20_000},
    **{"group_min_session_timeout_ms": 6_000, "group_max_session_timeout_ms": 1_800_000},
}
SHIPPED = ROOT / "conf" / "audit.toml"
ODD = "a'b\\c%d_e!f\n\"g"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "audit.toml"


def read(file: Path, text: str) -> AuditSettings:
    file.write_text(text, encoding="utf-8")
    return read_audit_settings(file)


class TestShippedFile:
    """conf/audit.toml."""

    def test_it_gives_the_defaults(self, file: Path) -> None:
        assert read_audit_settings(SHIPPED) == AuditSettings()
        assert read_audit_settings(None) == read(file, "") == AuditSettings()

    def test_each_level_and_setting_of_each_finding_stands_in_it(self) -> None:
        values = tomllib.loads(SHIPPED.read_text(encoding="utf-8"))
        written = {
            name: {key: NEVER if value is None else value for key, value in finding.levels.items()}
            | finding.defaults
            for name, finding in FINDINGS.items()
        }
        assert values == written | {
            "history": {"window": "1d"},
            "prometheus": {"worst_groups": AuditSettings.worst_groups},
        }
        assert duration("1d") == AuditSettings.window
        assert list(values) == ["history", "prometheus", *FINDINGS]

    def test_its_examples_are_read(self, file: Path) -> None:
        """Each comment that is a heading or a value of TOML counts once its # is taken away."""
        text = SHIPPED.read_text(encoding="utf-8")
        shown = re.sub(r"^# (?=\[\[\w+\]\]$|[\w-]+ = )", "", text, flags=re.MULTILINE)
        settings = read(file, shown)
        assert settings.values == AuditSettings().values
        (rule,) = settings.groups
        assert rule.match == "batch-*"
        assert rule.values["idle-members"] == {"warning": None}
        assert rule.values["unbalanced"] == {
            "warning": 2.0,
            "critical": None,
            "least_warning": 10.0,
        }
        assert settings.timeouts == (GroupConsumers("*", TIMES),)
        assert settings.copartitioned == (Copartitioned(("orders", "payments"), match="joins-*"),)


def test_what_a_file_leaves_out_keeps_its_default(file: Path) -> None:
    text = "[unbalanced]\ncritical = 'never'\nleast_info = 5\n[prometheus]\nworst_groups = 0"
    defaults = AuditSettings()
    settings = read(file, text)
    assert settings.worst_groups == 0
    assert settings.values == {
        **defaults.values,
        "unbalanced": {**defaults.values["unbalanced"], "critical": None, "least_info": 5.0},
    }


NUMBER = "must be a number of 0 or more"
ORDER = "would never be told: put them in"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("unbalance = 1", "unknown key 'unbalance' (did you mean unbalanced?)"),
        (
            "[unbalanced]\nmost = 1",
            "unbalanced: unknown key 'most' (known are info, warning, critical, least_info, "
            "least_warning, least_critical)",
        ),
        *(
            (
                f"[unbalanced]\ninfo = {value}",
                f"unbalanced: info is {shown} and {NUMBER}, or 'never'",
            )
            for value, shown in (("'2'", "'2'"), ("-1", "-1"), ("true", "True"), ("nan", "nan"))
        ),
        ("[uneven-hosts]\nleast = inf", f"uneven-hosts: least is inf and {NUMBER}"),
        ("[uneven-hosts]\nleast = 'never'", f"uneven-hosts: least is 'never' and {NUMBER}"),
        (
            "[topic-on-one-member]\ninfo = 0.4",
            "topic-on-one-member: info is 0.4 and must be a number of 0.5 or more",
        ),
        ("timeouts = [3]", "timeouts must be tables, each headed [[timeouts]]"),
        ("[[group]]\nmatch = ''", "[[group]] number 1: match is '' and must be a pattern"),
        (
            "[[group]]\nmatch = 'a'\nunbalanced = {most = 1}",
            "[[group]] number 1: unbalanced: unknown key 'most'",
        ),
        (
            "[[copartitioned]]\ntopics = ['a']",
            "[[copartitioned]] number 1: topics is ['a'] and must be a list of two topics or more",
        ),
        ("[unbalanced]\nwarning = 3", f"unbalanced: warning 3 is beyond critical 2, and {ORDER}"),
        (
            "[idle-members]\ninfo = 2\nwarning = 'never'\ncritical = 1",
            "idle-members: info 2 is beyond critical 1, and",
        ),
        ("[session-timeout]\nwarning = 0.5", "session-timeout: warning 0.5 is beyond critical 1"),
        (
            "[[group]]\nmatch = 'a*'\nunbalanced = {critical = 1.2}",
            f"[[group]] 'a*': unbalanced: warning 1.25 is beyond critical 1.2, and {ORDER}",
        ),
        (
            "[prometheus]\nworst_groups = 1.5",
            "prometheus: worst_groups is 1.5 and must be a whole number of 0 or more",
        ),
    ],
)
def test_a_wrong_key_or_value_is_named(file: Path, text: str, fault: str) -> None:
    with pytest.raises(InputError) as raised:
        read(file, text)
    assert str(raised.value).startswith(f"thresholds {file}: ")
    assert fault in str(raised.value)


def test_all_faults_are_told_at_once(file: Path) -> None:
    with pytest.raises(InputError) as raised:
        read(file, "a = 1\n[prometheus]\nb = 2\n[[group]]\nc = 3\n[unbalanced]\nd = 4\ninfo = -1")
    assert str(raised.value).count("; ") == 5


def test_the_first_rule_that_fits_a_group_counts() -> None:
    """Patterns know * and ? alone, whatever else is in a name; other groups have the default."""
    warning = "unbalanced"
    rules = (
        GroupRule(ODD, values={warning: {"warning": 7.0}}),
        GroupRule("pay-?", {warning: {"warning": None}}, cluster="prod*"),
        GroupRule("pay-*", values={warning: {"warning": 8.0}}),
        GroupRule("*", {"idle-members": {"warning": 9.0}}, cluster="other"),
    )
    settings = AuditSettings(groups=rules)
    default = FINDINGS[warning].levels["warning"]
    wanted = {
        ("c", ODD): 7.0,
        ("c", ODD.replace("%", "x")): default,
        ("c", ODD.replace("_", "x")): default,
        ("prod-1", "pay-1"): None,
        ("prod-1", "pay-12"): 8.0,
        ("dev", "pay-1"): 8.0,
        ("dev", "pay-\n"): 8.0,
        ("dev", "xpay-1"): default,
        ("other", "any"): default,
    }
    assert {name: settings.of(*name)[warning]["warning"] for name in wanted} == wanted
    assert settings.of("dev", "pay-1")[warning]["critical"] == FINDINGS[warning].levels["critical"]


def test_time_outs_of_the_configuration_count_where_none_are_stated_here() -> None:
    """The first rule that fits counts, and what it doesn't state is as for all groups."""
    of_groups = GroupConsumers("pay-*", {"session_timeout_ms": 10_000, "group_protocol": "classic"})
    consumers = FleetConsumers({"restart_seconds": 30}, (of_groups,))
    own = GroupConsumers("*-slow", {"restart_ms": 60_000})
    settings = AuditSettings(timeouts=(own,)).with_settings(Settings(consumers=consumers))
    assert settings.timeouts == (
        own,
        GroupConsumers("pay-*", {"restart_seconds": 30, **of_groups.settings}),
        GroupConsumers("*", {"restart_seconds": 30}),
    )
    goals_alone = FleetConsumers({}, (GroupConsumers("pay-*", {}),))
    assert AuditSettings().with_settings(Settings(consumers=goals_alone)).timeouts == ()
    assert AuditSettings().with_settings(Settings(consumers=NO_CONSUMERS)).timeouts == ()


PAGE = (ROOT / "docs" / "findings.md").read_text(encoding="utf-8")


def row(finding: Finding) -> str:
    """The line of the table that tells of a finding."""
    reached = "< " if finding.below else ""
    levels = ["–" if level is None else f"{reached}{level:g}" for level in finding.levels.values()]
    settings = ", ".join(f"`{name}` {value:g}" for name, value in finding.defaults.items())
    needs = ", ".join(f"`{need}`" for need in finding.needs)
    cells = [f"`{finding.name}`", finding.tells, finding.measure, *levels]
    return f"| {' | '.join([*cells, settings or '–', needs or '–'])} |"


def test_the_table_has_each_finding_as_it_is() -> None:
    assert [
        line for line in PAGE.splitlines() if line.startswith("| `") and line.count("|") == 9
    ] == [row(finding) for finding in FINDINGS.values()]


def test_what_findings_need_is_told() -> None:
    """Columns speak for themselves; other needs are explained on the page, and when they lack."""
    needs = {need for finding in FINDINGS.values() for need in finding.needs}
    assert needs <= MISSING_FACT.keys()
    below = PAGE.split("What a finding needs is", 1)[1]
    columns = {need for need in needs if need.split(".")[0] in ("groups", "members", "partitions")}
    assert [need for need in sorted(needs - columns) if f"`{need}`" not in below] == []


def test_the_columns_are_told() -> None:
    assert f"writes every finding: {', '.join(COLUMNS)}." in " ".join(PAGE.split())


def test_the_command_lists_them_and_explains_each(run: Run, monkeypatch: MonkeyPatch) -> None:
    """Of what the registry has nothing is left out, and no Java starts for it."""
    monkeypatch.setattr("spark.terminal.stores.start", None)
    listed = run("findings", "--csv").out.splitlines()[1:]
    assert [line.split(",")[0] for line in listed] == [*FINDINGS]
    assert [
        row["finding"] for row in tables_of(run("findings", "--format", "json"))["findings"]
    ] == [*FINDINGS]
    for name, finding in FINDINGS.items():
        said = run("findings", name)
        assert (said.code, said.err) == (0, f"{name}: {finding.tells}.\n")
        levels = [f"{item} " for item, level in finding.levels.items() if level is not None]
        needs = [MISSING_FACT[need] for need in finding.needs]
        texts = [finding.measure, finding.advice, *levels, *finding.settings, *needs]
        assert [text for text in texts if text not in said.out] == []
