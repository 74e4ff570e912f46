"""The sentences on a fleet under policies."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from optimizer.figures import counted, duration, figure
from optimizer.scaling import AsItWas, Prices

NOTES = "; "
"""Between the notes on a group."""

GROUPS_SHOWN = 10
"""Groups of which people see what to set: those that save the most."""


def verdict_of(rows: Sequence[Mapping[str, Any]]) -> str:
    """What to set in how many groups, and what that saves against what was recorded."""
    recommended = [row for row in rows if row["recommended"]]
    if not recommended:
        return "No group could be replayed."
    ways = Counter(row["policy"] for row in recommended).most_common()
    what = ", ".join(f"{policy} in {counted(number, 'group')}" for policy, number in ways)
    saved = _saved(rows, recommended)
    return f"Cheapest within the SLO: {what}.{saved}"


def _saved(rows: Sequence[Mapping[str, Any]], recommended: Sequence[Mapping[str, Any]]) -> str:
    recorded = _recorded(rows)
    pairs = [(recorded[_key(row)], row) for row in recommended if _key(row) in recorded]
    if not pairs:
        return ""
    members, late = (
        sum(now[name] - then[name] for now, then in pairs)
        for name in ("member_hours", "late_partition_hours")
    )
    return f" {against_recorded(members, late)}" if members or late else ""


def against_recorded(members: float, late: float, note: str = "") -> str:
    """How many hours of members, and late ones, are saved, or spent, against the record."""
    parts = [
        f"{figure(abs(hours))} {what} {'less' if hours > 0 else 'more'}"
        for what, hours in (("member-hours", members), ("late partition-hours", late))
        if hours
    ]
    return f"Against what was recorded{note}: {', '.join(parts) or 'the same'}."


def savings_first(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The recommended row of each group, those that save the most against the record first."""
    recorded = _recorded(rows)

    def saved(row: Mapping[str, Any]) -> float:
        return float(recorded.get(_key(row), row)["cost"] - row["cost"])

    recommended = [row for row in rows if row["recommended"]]
    return sorted(recommended, key=lambda row: (-saved(row), *_key(row)))


def _recorded(rows: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], Mapping[str, Any]]:
    """The row of each group as it was, where that is among the policies."""
    return {_key(row): row for row in rows if row["policy"] == AsItWas.name}


def _key(row: Mapping[str, Any]) -> tuple[str, str]:
    return row["cluster"], row["group"]


def what_to_set(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """A line for each of the groups that save the most."""
    return [
        f"{row['group']} of {row['cluster']}: {row['sentence']}"
        for row in savings_first(rows)[:GROUPS_SHOWN]
    ]


def sentences_of(rows: Sequence[Mapping[str, Any]], prices: Prices) -> list[str]:
    """How fine rates are (what comes and goes faster isn't in the result), the prices, the SLO."""
    seconds = max((row["resolution_seconds"] or 0 for row in rows), default=0)
    resolution = (
        f"Rates are means over {duration(seconds)}, the time between snapshots: shorter bursts "
        "aren't seen. Collect more often to see them."
    )
    cost = (
        f"Cost: {figure(prices.member_hour)} a member-hour, "
        f"{figure(prices.late_partition_hour)} a late hour (a partition is more than "
        f"{figure(prices.late_after)} s behind), {figure(prices.rebalance)} a rebalance. "
        f"SLO: no partition is late in {figure(100 * prices.on_time)} % of the time."
    )
    return [resolution, cost] if seconds else [cost]


def not_replayed(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Groups that couldn't be replayed, by reason."""
    reasons = Counter(
        row["reason"] or row["status"]
        for row in {(r["cluster"], r["group"]): r for r in rows if r["status"] != "ok"}.values()
    )
    return _by_number(reasons)


def assumptions_of(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """In how many groups what isn't known, without their own numbers."""
    notes = Counter(
        re.sub(r"\b\d+ of \d+\b", "some", re.sub(r"\bup to \d+\b", "several", note))
        for row in rows
        if row["recommended"] and row["reason"]
        for note in row["reason"].split(NOTES)
    )
    return _by_number(notes)


def _by_number(sentences: Counter[str]) -> list[str]:
    return [f"{counted(number, 'group')}: {item}" for item, number in sentences.most_common()]
