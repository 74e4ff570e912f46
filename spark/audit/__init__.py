"""What is wrong in a fleet, how bad it is, and what to do first."""

from __future__ import annotations

from spark.audit.finding import SEVERITIES as SEVERITIES
from spark.audit.fleet_audit import (
    FleetAudit as FleetAudit,
    audit_fleet as audit_fleet,
    read_audit as read_audit,
)
from spark.audit.of_store import AuditedStore as AuditedStore
from spark.audit.prometheus import metrics_of as metrics_of
from spark.audit.registry import FINDINGS as FINDINGS
from spark.audit.summary import (
    WORST as WORST,
    AuditSummary as AuditSummary,
    write_audit as write_audit,
)
from spark.audit.thresholds import (
    AuditSettings as AuditSettings,
    read_audit_settings as read_audit_settings,
)
from spark.audit.verdict import fails as fails, verdict as verdict
