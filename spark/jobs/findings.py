"""`evenfleet findings`: which kinds there are, and what one means, measures and needs."""

from typing import Annotated, Any

from typer import Argument

from optimizer.figures import figure
from spark.audit import FINDINGS, MISSING_FACT, WORST_FIRST, Finding, check_finding
from spark.terminal import Table, print_list, programs_only, say_answer, show


def findings(name: Annotated[str | None, Argument(help="One to explain.")] = None) -> None:
    """List the kinds of findings, or explain one: what it measures, and what cures it."""
    if name is not None:
        check_finding(name)
        _explain(FINDINGS[name])
        return
    rows = [_row(finding) for finding in FINDINGS.values()]
    critical = sum(row["worst"] == WORST_FIRST[0] for row in rows)
    say_answer(f"An audit looks for {len(rows)} findings; {critical} of them can be critical.")
    shown = [{name: row[name] for name in ("finding", "worst", "tells")} for row in rows]
    show({"findings": Table(rows, shown, most=len(rows))})


def _explain(finding: Finding) -> None:
    say_answer(f"{finding.name}: {finding.tells}.")
    show(programs_only({"findings": [_row(finding)]}))
    sign = "<" if finding.below else "≥"
    levels = [f"{name} {sign} {of:g}" for name, of in finding.levels.items() if of is not None]
    of_kinds = "advice", "advice_to_consumer", "advice_to_connect", "advice_to_planned"
    own = finding.settings.items()
    lists = {
        "measured": [f"{finding.measure} ({', '.join(levels)})"],
        "cure": [*filter(None, (getattr(finding, name) for name in of_kinds))],
        f"settings of [{finding.name}]": [f"{k} {figure(v)}: {meaning}" for k, (v, meaning) in own],
        "not run where": [MISSING_FACT[need] for need in finding.needs],
    }
    for title, sentences in lists.items():
        print_list(title, sentences)


def _row(finding: Finding) -> dict[str, Any]:
    """All that programs may want to know of a finding; `worst` is its worst severity."""
    return {
        "finding": finding.name,
        "worst": next(severity for severity in WORST_FIRST if finding.levels[severity] is not None),
        **{name: getattr(finding, name) for name in ("tells", "measure")},
        **finding.levels,
        **{name: getattr(finding, name) for name in ("below", "advice")},
        **{"settings": finding.defaults, "needs": finding.needs},
    }
