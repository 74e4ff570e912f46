"""What a group can be: its state, as Kafka has it, and its status, as a plan has it."""

from __future__ import annotations

REBALANCING_STATES = frozenset(
    {"PreparingRebalance", "CompletingRebalance", "AwaitingSync", "Assigning", "Reconciling"}
)
"""States in which ownership is on its way (org.apache.kafka.common.GroupState).

`AwaitingSync` is `CompletingRebalance` before Kafka 1.0; the last two are those of KIP-848.
"""

MEMBERLESS_STATES = ("Empty", "Dead")
"""States in which a group has no members (org.apache.kafka.common.GroupState)."""

UNKNOWN_STATE = "Unknown"
"""State of a group that is there and could not be read; the reason may follow, after a colon."""

PLANNED = ("ok", "inferred")
"""Statuses of groups that have a plan."""

UNSUPPORTED = "unsupported"
"""Status of a group that isn't one of consumers: nothing is the matter with it."""

UNPLANNED = ("empty", "rebalancing", UNSUPPORTED, "invalid", "failed")
"""Statuses of groups that have none, and that no strategy has an answer for."""

STATUSES = (*PLANNED, *UNPLANNED)
