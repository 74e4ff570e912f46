"""`evenfleet report`: all that is known of a fleet on one page."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from spark import InputError
from spark.audit import read_audit_settings
from spark.files import replace_text
from spark.jobs.report_material import Results, fleet_before, material_of
from spark.report import Material, check_drawing, html_of, markdown_of
from spark.terminal import FleetOptions, busy, say, say_clusters


class Paper(StrEnum):
    """What a report is written as."""

    HTML = "html"
    MARKDOWN = "markdown"


def report(
    source: FleetOptions,
    out: Annotated[Path, typer.Option(help="File of the report.", show_default=False)],
    plan: Annotated[
        str | None, typer.Option(help="Folder of a plan of it.", show_default=False)
    ] = None,
    audit: Annotated[
        str | None, typer.Option(help="Folder of an audit of it.", show_default=False)
    ] = None,
    history: Annotated[
        str | None, typer.Option(help="Folder of a history up to it.", show_default=False)
    ] = None,
    compare: Annotated[
        str | None, typer.Option(help="Folder of a comparison of it.", show_default=False)
    ] = None,
    by_weight: Annotated[
        str | None, typer.Option(help="Folder of a comparison by weight.", show_default=False)
    ] = None,
    title: Annotated[str, typer.Option(help="Its title.")] = "Consumer groups of the fleet",
    form: Annotated[Paper, typer.Option("--format", help="What it is written as.")] = Paper.HTML,
    static: Annotated[bool, typer.Option("--static", help="Without scripts, for mail.")] = False,
    thresholds: Annotated[
        Path | None,
        typer.Option(
            help="Thresholds, severities, time-outs as in conf/audit.toml.", show_default=False
        ),
    ] = None,
) -> None:
    """Write one HTML page: what to do first, key figures, strategies, findings, worst groups."""
    settings, levels = source.settings, read_audit_settings(thresholds)
    if out.is_dir() or not out.absolute().parent.is_dir():
        raise InputError(f"--out {out} must be a file in a folder that exists")
    check_drawing()
    with source.session(source.snapshot) as spark:
        fleet = source.read(spark, "report")
        results = Results(plan, audit, history, compare, by_weight)
        before = fleet_before(spark, source.where, fleet, settings)
        of = (fleet, results, settings, levels, title, str(source.where), before)
        material = material_of(spark, *of)
        write_report(material, out, form, static)
    say_clusters(fleet)
    say(f"{material.verdict} The report is in {out}.")


def write_report(material: Material, out: Path, form: Paper, static: bool = False) -> None:
    """The file of a report, as one step."""
    with busy("drawing"):
        text = markdown_of(material) if form is Paper.MARKDOWN else html_of(material, static)
        replace_text(out, text)
