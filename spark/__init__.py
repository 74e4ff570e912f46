"""Plans the consumer groups of a whole Kafka fleet on Spark.

Write `from evenfleet import …` or `from spark import …`: a plain `import spark` would hide a
notebook's session of that name.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from spark.audit import (
    AuditSettings,
    FleetAudit,
    audit_fleet,
    metrics_of,
    read_audit_settings,
    verdict,
)
from spark.compare import best_of, compare_fleet, fleet_of
from spark.enforce import group_plan
from spark.errors import InputError
from spark.fleet import FleetSnapshot, snapshots
from spark.plan import (
    FleetPlan,
    GroupExplanation,
    cross_rack_traffic,
    explain_group,
    plan_fleet,
)
from spark.settings import FleetGoals, GroupGoals, Settings, check_strategies, read_settings
from spark.sources.live.data_source import KafkaGroups
from spark.verify import verify_plan

if TYPE_CHECKING:
    from spark.graph import (
        FleetGraph,
        competitors,
        components,
        coupled_groups,
        fleet_graph,
        reach,
    )

__all__ = [
    "AuditSettings",
    "FleetAudit",
    "FleetGoals",
    "FleetGraph",
    "FleetPlan",
    "FleetSnapshot",
    "GroupExplanation",
    "GroupGoals",
    "InputError",
    "KafkaGroups",
    "Settings",
    "audit_fleet",
    "best_of",
    "check_strategies",
    "compare_fleet",
    "competitors",
    "components",
    "coupled_groups",
    "cross_rack_traffic",
    "explain_group",
    "fleet_graph",
    "fleet_of",
    "group_plan",
    "metrics_of",
    "plan_fleet",
    "reach",
    "read_audit_settings",
    "read_settings",
    "snapshots",
    "verdict",
    "verify_plan",
]


def __getattr__(name: str) -> Any:
    """What is asked of a graph loads GraphFrames, when it is first used."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module("spark.graph"), name)
