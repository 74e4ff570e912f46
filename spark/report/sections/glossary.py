"""The words of a report, and how its figures were made."""

from __future__ import annotations

from spark.report.blocks import Section, Terms, Words
from spark.report.material import Material

MEANINGS = {
    "assignment": "which member of a group reads which partition",
    "excess": "how many partitions the most loaded member of a group has above the most loaded "
    "one of the best assignment; summed over groups",
    "uneven": "two members of a group have loads that differ by two partitions or more; where "
    "members subscribe to different topics this may be the best there is",
    "unbalanced": "loads of a group could be evened out further, by proof",
    "move": "a partition goes from a member that is there to another one",
    "takeover": "a partition gets a new owner because its old one is gone",
    "stopped": "partitions that nobody reads while a rebalance goes on: all of a group if its "
    "protocol is eager, those that change hands if it is cooperative. Strategies of "
    "the broker (KIP-848) never stop all",
    "without answer": "groups that a strategy can't be asked for: they are empty, in a "
    "rebalance, or what is known of them is at odds",
    "lag": "records that a group hasn't read yet",
    "avoidable moves": "partitions that moved beyond the fewest that as good a balance takes",
}


def glossary(material: Material) -> Section:
    """What words mean."""
    return Section("glossary", "Words", [Terms(MEANINGS)])


def provenance(material: Material) -> Section:
    """What a reader needs to make the same figures again."""
    instants = ", ".join(f"{name} at {instant}" for name, instant in material.clusters.items())
    part = f" Looked at are {material.part} alone." if material.part else ""
    plan = f" The plan is that in {material.plan}." if material.plan else ""
    said = (
        f"Made by Evenfleet {material.version} at {material.made_at} of the store "
        f"{material.store}, snapshot {material.snapshot} ({instants}), with the goals "
        f"{material.goals}.{part}{plan}"
    )
    return Section("provenance", "How the figures were made", [Words(said)])
