"""What is said of a fleet under policies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from optimizer.figures import figure
from optimizer.scaling import AsItWas, Prices
from spark.text import counted

UNITS = {"d": 86_400, "h": 3_600, "min": 60}


def verdict_of(rows: Sequence[Mapping[str, Any]]) -> str:
    """What to set in how many groups, and what that saves against what was recorded."""
    chosen = [row for row in rows if row["recommended"]]
    if not chosen:
        return "No group could be replayed."
    ways = Counter(row["policy"] for row in chosen).most_common()
    what = ", ".join(f"{policy} in {counted(number, 'group')}" for policy, number in ways)
    saved = _saved(rows, chosen)
    return f"Nearest the least possible cost: {what}.{saved}"


def _saved(rows: Sequence[Mapping[str, Any]], chosen: Sequence[Mapping[str, Any]]) -> str:
    recorded = {
        (row["cluster"], row["group"]): row for row in rows if row["policy"] == AsItWas.name
    }
    pairs = [
        (recorded[key], row)
        for row in chosen
        if (key := (row["cluster"], row["group"])) in recorded
    ]
    if not pairs:
        return ""
    members, late = (
        sum(now[name] - then[name] for now, then in pairs)
        for name in ("member_hours", "late_partition_hours")
    )
    return (
        f" Against what was recorded: {figure(abs(members))} member-hours "
        f"{'less' if members >= 0 else 'more'}, {figure(abs(late))} late partition-hours "
        f"{'less' if late >= 0 else 'more'}."
    )


def savings_first(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The recommended row of each group, those that save the most against the record first."""
    recorded = {
        (row["cluster"], row["group"]): row["cost"]
        for row in rows
        if row["policy"] == AsItWas.name and row["cost"] is not None
    }
    chosen = [row for row in rows if row["recommended"]]

    def saved(row: Mapping[str, Any]) -> float:
        return float(recorded.get((row["cluster"], row["group"]), row["cost"]) - row["cost"])

    return sorted(chosen, key=lambda row: (-saved(row), row["cluster"], row["group"]))


def resolution_of(rows: Sequence[Mapping[str, Any]]) -> str | None:
    """How fine rates are: what comes and goes faster isn't in the result."""
    seconds = [row["resolution_seconds"] for row in rows if row["resolution_seconds"]]
    if not seconds:
        return None
    return (
        f"Rates are means over {_time(max(seconds))}, the time between snapshots: shorter bursts "
        "aren't seen. Collect more often to see them."
    )


def prices_of(prices: Prices) -> str:
    """The prices of a cost, in a sentence."""
    return (
        f"Cost: {figure(prices.member_hour)} a member-hour, "
        f"{figure(prices.late_partition_hour)} an hour in which a partition is more than "
        f"{figure(prices.late_after)} s behind, {figure(prices.rebalance)} a rebalance."
    )


def not_replayed(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Groups that couldn't be replayed, by reason."""
    reasons = Counter(
        row["reason"] or row["status"]
        for row in {(r["cluster"], r["group"]): r for r in rows if r["status"] != "ok"}.values()
    )
    return [f"{counted(number, 'group')}: {why}" for why, number in reasons.most_common()]


def _time(seconds: float) -> str:
    for unit, length in UNITS.items():
        if seconds >= length:
            return f"{figure(seconds / length)} {unit}"
    return f"{seconds:.0f} s"
