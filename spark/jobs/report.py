"""`evenfleet report`: all that is known of a fleet on one page."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

from spark import InputError
from spark.audit import read_audit_settings
from spark.files import replace_text
from spark.jobs.report_commands import with_commands
from spark.report import (
    Material,
    Results,
    check_drawing,
    fleet_before,
    html_of,
    markdown_of,
    material_of,
)
from spark.terminal import (
    FleetOptions,
    GoalOptions,
    Thresholds,
    busy,
    files_of,
    option,
    say,
    say_clusters,
)


class Paper(StrEnum):
    """What a report is written as."""

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
    settings = goals.applied(source.settings)
    levels = read_audit_settings(thresholds).with_settings(settings)
    if out.is_dir() or not out.absolute().parent.is_dir():
        raise InputError(f"--out {out} must be a file in a folder that exists")
    check_drawing()
    with source.session(source.snapshot) as spark:
        fleet = source.read(spark, "report")
        results = Results(plan, audit, history, compare, by_weight, scale)
        before = fleet_before(spark, source.where, fleet, settings)
        of = (fleet, results, settings, levels, title, str(source.where), before)
        material = material_of(spark, *of, doing=busy, files=files_of(source.where, fleet))
        write_report(material, out, form, static)
    say_clusters(fleet)
    say(f"{material.verdict} The report is in {out}.")


def write_report(material: Material, out: Path, form: Paper, static: bool = False) -> None:
    """The file of a report, with its commands, as one step."""
    page = with_commands(material)
    with busy("drawing"):
        text = markdown_of(page) if form is Paper.MARKDOWN else html_of(page, static)
        replace_text(out, text)
