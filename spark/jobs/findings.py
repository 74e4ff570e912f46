"""`evenfleet findings`: which kinds there are, and what one means, measures and needs."""

from collections.abc import Iterator
from typing import Annotated, Any

from typer import Argument

from optimizer.figures import did_you_mean, figure
from spark.audit import FINDINGS, MISSING_FACT, WORST_FIRST, Finding
from spark.errors import InputError
from spark.terminal import Table, print_list, programs_only, say_answer, show


def findings(
    name: Annotated[str | None, Argument(help="The finding to explain.")] = None,
) -> None:
    """List the kinds of findings, or explain one: what it measures, and what cures it."""
    if name is None:
        _list_all()
    elif name in FINDINGS:
        _explain(FINDINGS[name])
    else:
        near = did_you_mean(name, FINDINGS) or ": `evenfleet findings` lists all"
        raise InputError(f"no finding {name!r}{near}")


def _list_all() -> None:
    rows = [_row(finding) for finding in FINDINGS.values()]
    critical = sum(row["worst"] == WORST_FIRST[0] for row in rows)
    say_answer(f"An audit looks for {len(rows)} findings; {critical} of them can be critical.")
    shown = [{name: row[name] for name in ("finding", "worst", "tells")} for row in rows]
    show({"findings": Table(rows, shown)})


def _explain(finding: Finding) -> None:
    say_answer(f"{finding.name}: {finding.tells}.")
    settings = [
        {"setting": name, "default": value, "meaning": finding.meanings[name]}
        for name, value in finding.settings.items()
    ]
    show(programs_only({"findings": [_row(finding)], "settings": settings}))
    sign = "<" if finding.below else "≥"
    levels = ", ".join(
        f"{severity} {sign} {level:g}"
        for severity, level in finding.levels.items()
        if level is not None
    )
    print_list("measured", [f"{finding.measure} ({levels})"])
    print_list("cure", [finding.advice, *_advice_to_others(finding)])
    for title, sentences in (
        (
            f"settings of [{finding.name}] (--thresholds)",
            [
                f"{setting} {figure(default)}: {finding.meanings[setting]}"
                for setting, default in finding.settings.items()
            ],
        ),
        ("not run where", [MISSING_FACT[need] for need in finding.needs]),
    ):
        if sentences:
            print_list(title, sentences)


def _advice_to_others(finding: Finding) -> Iterator[str]:
    if finding.advice_to_connect:
        yield f"Workers of Kafka Connect: {finding.advice_to_connect}"
    if finding.advice_to_planned:
        yield f"Groups that follow a plan: {finding.advice_to_planned}"


def _row(finding: Finding) -> dict[str, Any]:
    """All that programs may want to know of a finding; `worst` is its worst severity."""
    return {
        "finding": finding.name,
        "worst": next(item for item in WORST_FIRST if finding.levels[item] is not None),
        "tells": finding.tells,
        "measure": finding.measure,
        **finding.levels,
        "below": finding.below,
        "advice": finding.advice,
        "needs": list(finding.needs),
    }
