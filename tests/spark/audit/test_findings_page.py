"""docs/findings.md against the findings that there are."""

from spark.audit.finding import COLUMNS, Finding
from spark.audit.fleet_audit import MISSING_FACT
from spark.audit.registry import FINDINGS
from tests.paths import ROOT

PAGE = (ROOT / "docs" / "findings.md").read_text(encoding="utf-8")


def row(finding: Finding) -> str:
    """The line of the table that tells of a finding."""
    reached = "< " if finding.below else ""
    levels = ["–" if level is None else f"{reached}{level:g}" for level in finding.levels.values()]
    settings = ", ".join(f"`{name}` {value:g}" for name, value in finding.settings.items())
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
