"""The sections of a page in their order: another one is its file, its template, and a line here."""

from collections.abc import Callable, Mapping
from typing import Any

from spark.report.material import Material
from spark.report.sections.details import details
from spark.report.sections.findings import findings
from spark.report.sections.first import first
from spark.report.sections.fleet import brokers, clusters
from spark.report.sections.groups import groups
from spark.report.sections.provenance import provenance
from spark.report.sections.scaling import scaling
from spark.report.sections.strategies import strategies
from spark.report.sections.trend import trend

View = Mapping[str, Any]

SECTIONS: dict[str, tuple[str, Callable[[Material], View | None]]] = {
    "first": ("Do first", first),
    "groups": ("Groups", groups),
    "strategies": ("Strategies", strategies),
    "scaling": ("Sizes over time", scaling),
    "findings": ("Findings", findings),
    "trend": ("Trend", trend),
    "clusters": ("Clusters", clusters),
    "brokers": ("Brokers", brokers),
    "details": ("The worst groups", details),
    "provenance": ("Terms and sources", provenance),
}
"""Title and view by the name of the template; a section without a view is left out."""


def sections_of(material: Material) -> list[View]:
    """The views of the sections that have something to show, with `name` and `title`."""
    made = ((name, title, view(material)) for name, (title, view) in SECTIONS.items())
    return [{"name": name, "title": title, **view} for name, title, view in made if view]
