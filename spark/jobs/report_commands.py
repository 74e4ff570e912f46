"""Commands that say more about what a page shows."""

from collections.abc import Mapping
from dataclasses import replace
from shlex import quote
from typing import Any

from spark.report import Material

MADE_BY = {
    "the groups' table": "plan {} --out PLAN",
    "strategies": "compare {} --out COMPARISON",
    "findings": "audit {} --out AUDIT",
    "trend": "history {} --out HISTORY",
    "sizes over time": "scale {} --out SCALE",
    "brokers": "reassign {} --all --out MOVES",
}
"""What makes the tables behind the parts of the page."""

SAY_MORE = {
    "eager-rebalances": "rollout",
    **dict.fromkeys(("single-replica", "under-replicated"), "reassign"),
}
"""Commands that say more about a kind of finding; else `explain`, or `audit` for a cluster."""


def with_commands(material: Material) -> Material:
    """The same with the command behind each part of the page, and of each finding."""
    return replace(
        material,
        made_by={
            part: f"evenfleet {text.format(quote(material.store))}"
            for part, text in MADE_BY.items()
        },
        findings=[with_command(row, material.store) for row in material.findings],
    )


def with_command(finding: Mapping[str, Any], store: str) -> dict[str, Any]:
    """The finding with the `command` that says more about it."""
    group = finding["group"]
    verb = SAY_MORE.get(finding["finding"], "audit" if group is None else "explain")
    command = f"evenfleet {verb} {quote(store)} --cluster {quote(finding['cluster'])}"
    if group is not None:
        command += f" --group {quote(group)}"
    return {**finding, "command": command}
