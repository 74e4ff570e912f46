"""Pieces of Kubernetes' objects as text."""

import re

LONGEST_NAME = 63
"""Characters of a name in Kubernetes (RFC 1123 label)."""


def head(version: str, kind: str, group: str) -> list[str]:
    """The lines of an object that scales a group's Deployment, down to what it scales."""
    return [
        f"apiVersion: {version}",
        f"kind: {kind}",
        "metadata:",
        f"  name: {name_of(group)}",
        "spec:",
        "  scaleTargetRef:",
        f"    name: {name_of(group)}",
    ]


def name_of(group: str) -> str:
    """A name for Kubernetes that the group's name comes to."""
    plain = re.sub(r"[^a-z0-9-]+", "-", group.lower()).strip("-")
    return plain[:LONGEST_NAME].strip("-") or "consumers"


def quoted(text: str) -> str:
    """A text in double quotes, for YAML and PromQL alike."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
