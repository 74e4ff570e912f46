"""What is wrong in a fleet, how bad it is, and what to do first."""

from __future__ import annotations

from spark.audit.finding import SEVERITIES
from spark.audit.fleet_audit import FleetAudit, audit_fleet, verdict
from spark.audit.prometheus import check_metrics, metrics_of, write_metrics
from spark.audit.registry import FINDINGS
from spark.audit.thresholds import AuditSettings, read_audit_settings

__all__ = [
    "FINDINGS",
    "SEVERITIES",
    "AuditSettings",
    "FleetAudit",
    "audit_fleet",
    "check_metrics",
    "metrics_of",
    "read_audit_settings",
    "verdict",
    "write_metrics",
]
