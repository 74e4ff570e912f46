"""Plans the consumer groups of a whole Kafka fleet on Spark.

Write `from spark import …`: a plain `import spark` would hide a notebook's session of that name.
"""

from spark.audit import FleetAudit, audit_fleet, verdict
from spark.compare import check_strategies, compare_fleet, fleet_of
from spark.errors import InputError
from spark.plan import FleetPlan, plan_fleet
from spark.snapshot import FleetSnapshot
from spark.store import snapshots
from spark.verify import verify_plan

__all__ = [
    "FleetAudit",
    "FleetPlan",
    "FleetSnapshot",
    "InputError",
    "audit_fleet",
    "check_strategies",
    "compare_fleet",
    "fleet_of",
    "plan_fleet",
    "snapshots",
    "verdict",
    "verify_plan",
]
