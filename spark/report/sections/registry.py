"""The sections of a report in their order: another one is its function here, and its line."""

from __future__ import annotations

from collections.abc import Callable

from spark.report.blocks import Section
from spark.report.material import Material
from spark.report.sections.brokers import brokers
from spark.report.sections.clusters import clusters
from spark.report.sections.figures import figures
from spark.report.sections.findings import findings
from spark.report.sections.glossary import glossary, provenance
from spark.report.sections.groups import groups
from spark.report.sections.league import league
from spark.report.sections.trend import trend
from spark.report.sections.verdict import verdict

SECTIONS: tuple[Callable[[Material], Section | None], ...] = (
    *(verdict, figures, league, findings, trend, clusters, brokers, groups, glossary, provenance),
)


def sections_of(material: Material) -> list[Section]:
    """Those that there is something to say in."""
    return [section for make in SECTIONS if (section := make(material))]
