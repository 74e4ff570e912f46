"""`evenfleet report`: all that is known of a fleet on one page."""

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from shlex import quote
from typing import Annotated, Any

from spark import InputError
from spark.audit import levels_and_goals
from spark.report import (
    Material,
    Results,
    check_drawing,
    html_of,
    markdown_of,
    material_of,
)
from spark.store import replace_text
from spark.terminal import (
    FleetOptions,
    GoalOptions,
    Thresholds,
    busy,
    option,
    say,
    say_answer,
    say_clusters,
)

MADE_BY = {
    "the groups' table": "plan {} --out PLAN",
    "strategies": "compare {} --out COMPARISON",
    "findings": "audit {} --out AUDIT",
    "trend": "history {} --out HISTORY",
    "sizes over time": "scale {} --out SCALE",
    "brokers": "reassign {} --all --out MOVES",
}
"""Commands that make the tables behind the parts of the page."""

SAY_MORE = {
    "eager-rebalances": "rollout",
    **dict.fromkeys(("single-replica", "under-replicated"), "reassign"),
}
"""Commands that say more about a kind of finding; else `explain`, or `audit` for a cluster."""


class Paper(StrEnum):
    """The form in which a report is written."""

    HTML = "html"
    MARKDOWN = "markdown"


def report(
    source: FleetOptions,
    goals: GoalOptions,
    out: Annotated[Path, option("File of the report.")],
    plan: Annotated[str | None, option("Folder of a plan of it.")] = None,
    audit: Annotated[str | None, option("Folder of an audit of it.")] = None,
    history: Annotated[str | None, option("Folder of a history up to it.")] = None,
    compare: Annotated[str | None, option("Folder of a comparison of it.")] = None,
    by_weight: Annotated[str | None, option("Folder of a comparison by weight.")] = None,
    scale: Annotated[str | None, option("Folder that `scale` wrote for it.")] = None,
    title: Annotated[str, option("Its title.")] = "Consumer groups of the fleet",
    form: Annotated[Paper, option("What it is written as.", "--format")] = Paper.HTML,
    static: Annotated[bool, option("Without scripts, for mail.")] = False,
    thresholds: Thresholds = None,
) -> None:
    """Write one HTML page: what to do first, key figures, strategies, findings, worst groups."""
    levels, settings = levels_and_goals(thresholds, goals.apply_to(source.settings))
    if out.is_dir() or not out.absolute().parent.is_dir():
        raise InputError(f"--out {out} must be a file in a folder that exists")
    check_drawing()
    with source.session(source.snapshot) as spark:
        fleet = source.read(spark)
        written = Results(plan, audit, history, compare, by_weight, scale)
        before = fleet.before()
        of = (fleet, written, settings, levels, title, str(source.where), before)
        material = material_of(spark, *of, doing=busy)
        write_report(material, out, form, static)
    say_answer(f"{material.verdict} The report is in {out}.")
    say(material.sources)
    say_clusters(fleet)


def write_report(material: Material, out: Path, form: Paper, static: bool = False) -> None:
    """The file of a report, with its commands, as one step."""
    page = with_commands(material)
    with busy("drawing"):
        text = markdown_of(page) if form is Paper.MARKDOWN else html_of(page, static)
        replace_text(out, text)


def with_commands(material: Material) -> Material:
    """The page's material with the command behind each part of the page, and of each finding."""
    return replace(
        material,
        made_by={
            part: f"evenfleet {text.format(quote(material.store))}"
            for part, text in MADE_BY.items()
        },
        findings=[with_command(row, material.store) for row in material.findings],
    )


def with_command(finding: Mapping[str, Any], store: str) -> dict[str, Any]:
    """The finding with the `command` that says more about it."""
    group = finding["group"]
    verb = SAY_MORE.get(finding["finding"], "audit" if group is None else "explain")
    command = f"evenfleet {verb} {quote(store)} --cluster {quote(finding['cluster'])}"
    if group is not None:
        command += f" --group {quote(group)}"
    return {**finding, "command": command}
