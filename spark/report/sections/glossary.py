"""The words of a report, and how its figures were made."""

from __future__ import annotations

from spark.meanings import MEANINGS
from spark.report.blocks import Section, Terms, Words
from spark.report.material import Material


def glossary(material: Material) -> Section:
    """What words mean."""
    return Section("glossary", "Words", [Terms(MEANINGS)])


def provenance(material: Material) -> Section:
    """What a reader needs to make the same figures again."""
    instants = ", ".join(f"{name} at {instant}" for name, instant in material.clusters.items())
    part = f" Only {material.part} alone." if material.part else ""
    plan = f" The plan is that in {material.plan}." if material.plan else ""
    said = (
        f"Made by Evenfleet {material.version} at {material.made_at} of the store "
        f"{material.store}, snapshot {material.snapshot} ({instants}), with the goals "
        f"{material.goals}.{part}{plan}"
    )
    return Section("provenance", "How the figures were made", [Words(said)])
