"""How notes name many things shortly."""

from __future__ import annotations

from collections.abc import Iterable


def named(noun: str, names: Iterable[str]) -> str:
    """`3 groups (a, b, c)`, `1 group (a)`, `9 groups (a, b, c, d, e, …)`, in sorted order."""
    ordered = sorted(set(names))
    shown = ", ".join(ordered[:5]) + (", …" if len(ordered) > 5 else "")
    return f"{len(ordered)} {noun}{'' if len(ordered) == 1 else 's'} ({shown})"
