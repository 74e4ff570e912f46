"""Plans the consumer groups of a whole Kafka fleet on Spark.

Write `from evenfleet import …` or `from spark import …`: a plain `import spark` would hide a
notebook's session of that name.
"""

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
    from spark.fleet import FleetFiles, FleetSnapshot, snapshots
    from spark.frontier import GroupFrontier, frontier_of_group
    from spark.graph import FleetGraph, competitors, components, coupled_groups, fleet_graph, reach
    from spark.history import FleetHistory, FleetRates
    from spark.members import members_fleet
    from spark.plan import FleetPlan, cross_rack_traffic, plan_fleet
    from spark.replay import FleetReplay, best_replayed, replay_fleet
    from spark.rollout import rollout_fleet, rollout_report
    from spark.scale import FleetScale, ScaleSettings, fleet_of_scale, scale_fleet
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
    from spark.store import CatalogSchema, files_of
    from spark.verify import verify_plan
    from spark.whatif import fleet_of_whatif, what_if, whatif_advice

ROOMS = {
    "spark.audit": (
        *("AuditSettings", "FleetAudit", "audit_fleet", "metrics_of", "read_audit_settings"),
        "verdict",
    ),
    "spark.compare": ("FleetComparison", "best_of", "compare_fleet", "fleet_of"),
    "spark.enforce": ("group_plan",),
    "spark.errors": ("InputError",),
    "spark.explain": ("GroupExplanation", "explain_group"),
    "spark.store": ("CatalogSchema", "files_of"),
    "spark.fleet": ("FleetFiles", "FleetSnapshot", "snapshots"),
    "spark.frontier": ("GroupFrontier", "frontier_of_group"),
    "spark.graph": (
        *("FleetGraph", "competitors", "components", "coupled_groups", "fleet_graph", "reach"),
    ),
    "spark.history": ("FleetHistory", "FleetRates"),
    "spark.members": ("members_fleet",),
    "spark.plan": ("FleetPlan", "cross_rack_traffic", "plan_fleet"),
    "spark.replay": ("FleetReplay", "best_replayed", "replay_fleet"),
    "spark.rollout": ("rollout_fleet", "rollout_report"),
    "spark.scale": ("FleetScale", "ScaleSettings", "fleet_of_scale", "scale_fleet"),
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

__all__ = list(_ROOM_OF)


def __getattr__(name: str) -> Any:
    """A public name, whose room is loaded when it is first used."""
    if name not in _ROOM_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_ROOM_OF[name]), name)
