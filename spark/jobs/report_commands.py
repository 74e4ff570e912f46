"""The commands that a report names: those behind its figures, and one a finding."""

from __future__ import annotations

from collections.abc import Mapping
from shlex import quote
from typing import Any

MADE_BY = {
    "the groups' table": "plan {} --out PLAN",
    "strategies": "compare {} --out COMPARISON",
    "findings": "audit {} --out AUDIT",
    "trend": "history {} --out HISTORY",
    "brokers": "reassign {} --all --out MOVES",
}
"""What makes the tables behind the parts of the page."""

SAY_MORE = {
    "eager-rebalances": "rollout",
    **dict.fromkeys(("single-replica", "under-replicated"), "reassign"),
}
"""Commands that say more about a kind of finding; else `explain`, or `audit` for a cluster."""


def commands_behind(store: str) -> dict[str, str]:
    """The command behind each part of the page."""
    return {name: f"evenfleet {text.format(quote(store))}" for name, text in MADE_BY.items()}


def with_command(finding: Mapping[str, Any], store: str) -> dict[str, Any]:
    """The finding with the `command` that says more about it."""
    group = finding["group"]
    verb = SAY_MORE.get(finding["finding"], "audit" if group is None else "explain")
    command = f"evenfleet {verb} {quote(store)} --cluster {quote(finding['cluster'])}"
    if group is not None:
        command += f" --group {quote(group)}"
    return {**finding, "command": command}
