"""What is wrong in a fleet, how bad it is, and what to do first."""

from __future__ import annotations

from spark.audit.finding import SEVERITIES
from spark.audit.fleet_audit import FleetAudit, audit_fleet, read_audit
from spark.audit.prometheus import check_metrics, metrics_of
from spark.audit.registry import FINDINGS
from spark.audit.thresholds import AuditSettings, read_audit_settings
from spark.audit.verdict import fails, state_of, verdict

__all__ = [
    "FINDINGS",
    "SEVERITIES",
    "AuditSettings",
    "FleetAudit",
    "audit_fleet",
    "check_metrics",
    "fails",
    "metrics_of",
    "read_audit",
    "read_audit_settings",
    "state_of",
    "verdict",
]
