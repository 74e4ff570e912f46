"""Plans the consumer groups of a whole Kafka fleet on Spark.

Write `from evenfleet import …` or `from spark import …`: a plain `import spark` would hide a
notebook's session of that name.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spark.audit import (
        AuditSettings,
        FleetAudit,
        audit_fleet,
        metrics_of,
        read_audit_settings,
        verdict,
    )
    from spark.compare import FleetComparison, best_of, compare_fleet, fleet_of
    from spark.enforce import group_plan
    from spark.errors import InputError
    from spark.explain import GroupExplanation, explain_group
    from spark.files import CatalogSchema
    from spark.fleet import FleetFiles, FleetSnapshot, snapshots
    from spark.frontier import GroupFrontier, frontier_of_group
    from spark.graph import (
        FleetGraph,
        competitors,
        components,
        coupled_groups,
        fleet_graph,
        reach,
    )
    from spark.history import FleetHistory, FleetRates
    from spark.members import members_fleet
    from spark.plan import FleetPlan, cross_rack_traffic, plan_fleet
    from spark.replay import FleetReplay, best_replayed, replay_fleet
    from spark.rollout import rollout_fleet, rollout_told
    from spark.settings import (
        FleetConsumers,
        FleetGoals,
        GroupConsumers,
        GroupGoals,
        Settings,
        check_strategies,
        read_settings,
    )
    from spark.simulate import GroupSimulation, simulate_group
    from spark.sources.live.data_source import KafkaGroups
    from spark.verify import verify_plan
    from spark.whatif import fleet_of_whatif, what_if, whatif_advice

__all__ = [
    "AuditSettings",
    "CatalogSchema",
    "FleetAudit",
    "FleetComparison",
    "FleetConsumers",
    "FleetFiles",
    "FleetGoals",
    "FleetGraph",
    "FleetHistory",
    "FleetPlan",
    "FleetRates",
    "FleetReplay",
    "FleetSnapshot",
    "GroupConsumers",
    "GroupExplanation",
    "GroupFrontier",
    "GroupGoals",
    "GroupSimulation",
    "InputError",
    "KafkaGroups",
    "Settings",
    "audit_fleet",
    "best_of",
    "best_replayed",
    "check_strategies",
    "compare_fleet",
    "competitors",
    "components",
    "coupled_groups",
    "cross_rack_traffic",
    "explain_group",
    "fleet_graph",
    "fleet_of",
    "fleet_of_whatif",
    "frontier_of_group",
    "group_plan",
    "members_fleet",
    "metrics_of",
    "plan_fleet",
    "reach",
    "read_audit_settings",
    "read_settings",
    "replay_fleet",
    "rollout_fleet",
    "rollout_told",
    "simulate_group",
    "snapshots",
    "verdict",
    "verify_plan",
    "what_if",
    "whatif_advice",
]


ROOMS = {
    "spark.audit": (
        *("AuditSettings", "FleetAudit", "audit_fleet", "metrics_of", "read_audit_settings"),
        "verdict",
    ),
    "spark.compare": ("FleetComparison", "best_of", "compare_fleet", "fleet_of"),
    "spark.enforce": ("group_plan",),
    "spark.errors": ("InputError",),
    "spark.explain": ("GroupExplanation", "explain_group"),
    "spark.files": ("CatalogSchema",),
    "spark.fleet": ("FleetFiles", "FleetSnapshot", "snapshots"),
    "spark.frontier": ("GroupFrontier", "frontier_of_group"),
    "spark.graph": (
        *("FleetGraph", "competitors", "components", "coupled_groups", "fleet_graph", "reach"),
    ),
    "spark.history": ("FleetHistory", "FleetRates"),
    "spark.members": ("members_fleet",),
    "spark.plan": ("FleetPlan", "cross_rack_traffic", "plan_fleet"),
    "spark.replay": ("FleetReplay", "best_replayed", "replay_fleet"),
    "spark.rollout": ("rollout_fleet", "rollout_told"),
    "spark.settings": (
        *("FleetConsumers", "FleetGoals", "GroupConsumers", "GroupGoals", "Settings"),
        *("check_strategies", "read_settings"),
    ),
    "spark.simulate": ("GroupSimulation", "simulate_group"),
    "spark.sources.live.data_source": ("KafkaGroups",),
    "spark.verify": ("verify_plan",),
    "spark.whatif": ("fleet_of_whatif", "what_if", "whatif_advice"),
}
"""Where each public name is from: what loads pandas or GraphFrames is loaded by who uses it."""

_ROOM_OF = {name: room for room, names in ROOMS.items() for name in names}


def __getattr__(name: str) -> Any:
    """A public name, whose room is loaded when it is first used."""
    if name not in _ROOM_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_ROOM_OF[name]), name)
