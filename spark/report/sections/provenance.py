"""The terms of a report, and how its figures were made."""

from typing import Any

from spark.glossary import GLOSSARY
from spark.report.material import Material


def provenance(material: Material) -> dict[str, Any]:
    """What a reader needs to make the same figures again."""
    instants = ", ".join(f"{name} at {instant}" for name, instant in material.clusters.items())
    part = f" Only {material.part}." if material.part else ""
    plan = f" The plan is that in {material.plan}." if material.plan else ""
    return {
        "meanings": GLOSSARY,
        "commands": material.made_by,
        "made": f"Made by Evenfleet {material.version} at {material.made_at} from the store "
        f"{material.store}, snapshot {material.snapshot} ({instants}), with "
        f"{material.goals}.{part}{plan}",
    }
