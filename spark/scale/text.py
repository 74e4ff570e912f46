"""The sentences on a fleet under policies."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from optimizer.figures import counted, duration, figure
from optimizer.scaling import AsItWas, Prices

NOTES = "; "
"""Between the notes on a group."""


DAY = 24
"""Hours from which on there is advice: loads differ between day and night."""


def is_too_short(hours: float) -> bool:
    """Whether nothing should be set by what was seen in that time."""
    return round(hours) < DAY


def verdict_of(rows: Sequence[Mapping[str, Any]]) -> str:
    """Over which time what is cheapest in how many groups, and what that saves.

    Of less than a day there is no advice.
    """
    recommended = [row for row in rows if row["recommended"]]
    if not recommended:
        return "No group could be replayed."
    hours = max(row["hours"] for row in recommended)
    looked = f"{duration(hours * 3600)} of {counted(len(recommended), 'group')}"
    if is_too_short(hours):
        return (
            f"Looked at only {looked}: too short for advice, which takes a day. Collect every "
            "hour, then scale again."
        )
    policies = Counter(row["policy"] for row in recommended).most_common()
    best = ", ".join(f"{policy} in {number:,}" for policy, number in policies)
    return (
        f"Looked at {looked}. Cheapest within the SLO: {best}. {_saved(rows, recommended)}".strip()
    )


def _saved(rows: Sequence[Mapping[str, Any]], recommended: Sequence[Mapping[str, Any]]) -> str:
    recorded = _recorded(rows)
    pairs = [(recorded[_key(row)], row) for row in recommended if _key(row) in recorded]
    members, late = (
        sum(now[name] - then[name] for now, then in pairs)
        for name in ("member_hours", "late_partition_hours")
    )
    return against_recorded(members, late)


def against_recorded(members: float, late: float) -> str:
    """How many hours of members, and late ones, are saved, or spent; empty where neither."""
    parts = [
        f"{figure(abs(hours))} {what} {'less' if hours > 0 else 'more'}"
        for what, hours in (("member-hours", members), ("late partition-hours", late))
        if hours
    ]
    return f"{' and '.join(parts)} than recorded." if parts else ""


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
    """A line a group, those that save the most first."""
    return [f"{row['group']} of {row['cluster']}: {row['sentence']}" for row in savings_first(rows)]


def sentences_of(rows: Sequence[Mapping[str, Any]], prices: Prices) -> list[str]:
    """How fine rates are (what comes and goes faster isn't in the result), the SLO, the prices."""
    seconds = max((row["resolution_seconds"] or 0 for row in rows), default=0)
    resolution = f"Rates are means over {duration(seconds)}: shorter bursts aren't seen."
    slo = (
        f"SLO: no partition is over {duration(prices.late_after)} behind in "
        f"{figure(100 * prices.on_time)} % of the time. Cost: {figure(prices.member_hour)} per "
        f"member-hour, {figure(prices.late_partition_hour)} per late partition-hour, "
        f"{figure(prices.rebalance)} per rebalance."
    )
    return [resolution, slo] if seconds else [slo]


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
