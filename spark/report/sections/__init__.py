"""The sections of a page in order: one more is its function, its template, and a line here."""

from collections.abc import Callable, Mapping
from typing import Any

from spark.glossary import GLOSSARY
from spark.report.material import Material
from spark.report.sections.first import findings, first
from spark.report.sections.fleet import brokers, clusters, scaling, strategies
from spark.report.sections.groups import details, groups
from spark.report.sections.trend import trend


def provenance(material: Material) -> dict[str, Any]:
    """Facts that a reader needs to make the same figures again."""
    instants = ", ".join(f"{name} at {instant}" for name, instant in material.clusters.items())
    part = f" Only {material.part}." if material.part else ""
    return {
        "meanings": GLOSSARY,
        "commands": material.made_by,
        "made": f"Made by Evenfleet {material.version} at {material.made_at} from the store "
        f"{material.store}, snapshot {material.snapshot} ({instants}), with "
        f"{material.goals}.{part} {material.sources}",
    }


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
