"""What is wrong in a fleet, how bad it is, and what to do first."""

from __future__ import annotations

from spark.audit.finding import SEVERITIES as SEVERITIES
from spark.audit.fleet_audit import (
    FleetAudit as FleetAudit,
    audit_fleet as audit_fleet,
    read_audit as read_audit,
)
from spark.audit.prometheus import check_metrics as check_metrics, metrics_of as metrics_of
from spark.audit.registry import FINDINGS as FINDINGS
from spark.audit.thresholds import (
    AuditSettings as AuditSettings,
    read_audit_settings as read_audit_settings,
)
from spark.audit.verdict import fails as fails, state_of as state_of, verdict as verdict
