"""Faults of a fleet, how bad it is, and what to do first."""

from spark.audit.finding import SEVERITIES, WORST_FIRST, Finding
from spark.audit.fleet_audit import MISSING_FACT, FleetAudit, audit_fleet, read_audit
from spark.audit.group_evaluator import findings_of
from spark.audit.of_store import AuditedStore
from spark.audit.prometheus import metrics_of
from spark.audit.registry import FINDINGS, check_finding
from spark.audit.summary import WORST, AuditSummary, write_audit
from spark.audit.thresholds import AuditSettings, levels_and_goals, read_audit_settings
from spark.audit.verdict import fails, verdict
