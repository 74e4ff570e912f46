"""Policies in sentences: of each group the cheapest within the SLO, and what the fleet comes to."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from optimizer.figures import duration, figure, plural
from optimizer.scaling import AsItWas, Fixed, Policy, Prices, Totals
from spark.scale.group_process import GroupProcess
from spark.scale.manifests import manifest_of
from spark.scale.policies_file import ScaleSettings

NOTES = "; "
"""Between the notes on a group."""


DAY = 24
"""Hours from which on there is advice: loads differ between day and night."""


def is_too_short(hours: float) -> bool:
    """Whether nothing should be set by what was seen in that time."""
    return round(hours) < DAY


AS_GOOD = 1.02
"""A fixed number does as well where it costs at most so much more than the cheapest policy."""


class ScalingAdvice(NamedTuple):
    """The number of the recommended policy, why, and what to copy."""

    recommended: int
    sentence: str
    setting: str


def advice_of(
    group: str, process: GroupProcess, settings: ScaleSettings, totals: Sequence[Totals]
) -> ScalingAdvice:
    """The cheapest policy that meets the SLO, or a fixed number that does as well."""
    policies = settings.policies
    at = _cheapest(policies, totals)
    best, pairs = totals[at], zip(policies, totals, strict=True)
    recorded = next((total for policy, total in pairs if isinstance(policy, AsItWas)), None)
    sentences = [_best(policies[at], best, int(process.process.recorded[-1]))]
    if recorded is not None and recorded is not best:
        late = recorded.late_partition_hours - best.late_partition_hours
        sentences.append(against_recorded(recorded.member_hours - best.member_hours, late))
        if not recorded.meets_slo:
            sentences.append("As recorded it misses the SLO.")
    if not best.meets_slo:
        sentences.append(_why_missed(best, settings.prices))
    sentences += _warnings(process)
    setting = manifest_of(group, process.process, policies[at], best)
    return ScalingAdvice(at, " ".join(filter(None, sentences)), setting)


def _cheapest(policies: Sequence[Policy], totals: Sequence[Totals]) -> int:
    """Of all policies, where none meets the SLO."""
    meets_any = any(total.meets_slo for total in totals)
    numbers = [at for at, total in enumerate(totals) if total.meets_slo or not meets_any]
    cheapest = min(numbers, key=lambda at: totals[at].cost)
    fixed = [at for at in numbers if isinstance(policies[at], Fixed)]
    least = min(fixed, key=lambda at: totals[at].cost, default=cheapest)
    is_as_good = totals[least].cost <= totals[cheapest].cost * AS_GOOD
    is_recorded = isinstance(policies[cheapest], AsItWas)
    return least if is_as_good and not is_recorded else cheapest


def _best(policy: Policy, best: Totals, now: int) -> str:
    late = "never late"
    if best.late_partition_hours:
        late = f"late {figure(best.late_partition_hours)} partition-hours"
    if isinstance(policy, AsItWas):
        return f"Leave it as it is ({plural(now, 'member')} now): {late}, no policy costs less."
    if isinstance(policy, Fixed):
        return f"Fix it at {plural(best.most_members, 'member')} (now {now:,}): {late}."
    costs = f"{figure(best.member_hours)} member-hours, {plural(best.rebalances, 'rebalance')}"
    return f"Set {policy.name}: {late}, {costs}."


def _why_missed(best: Totals, prices: Prices) -> str:
    return (
        f"No policy meets the SLO (at most {duration(prices.late_after)} behind "
        f"{figure(100 * prices.on_time)} % of the time): this one reaches "
        f"{figure(100 * best.on_time)} %."
    )


def _warnings(group: GroupProcess) -> Iterator[str]:
    process, hot = group.process, group.process.hot
    if len(hot):
        first = int(hot[0])
        most = figure(float(process.arrivals[:, first].max()))
        others = f" and {plural(len(hot) - 1, 'other partition')}" if len(hot) > 1 else ""
        yield (
            f"Partition {process.assignments.partition_name(first)}{others} gets up to {most} "
            f"records/s, one member reads {figure(process.peak_rate)}: spread its keys, members "
            "can't help."
        )


def verdict_of(rows: Sequence[Mapping[str, Any]]) -> str:
    """Over which time what is cheapest in how many groups, and what that saves.

    Of less than a day there is no advice.
    """
    recommended = [row for row in rows if row["recommended"]]
    if not recommended:
        return "No group could be replayed."
    hours = max(row["hours"] for row in recommended)
    looked = f"{duration(hours * 3600)} of {plural(len(recommended), 'group')}"
    if is_too_short(hours):
        return (
            f"Looked at only {looked}: too short for advice, which takes a day. Collect every "
            "hour, then scale again."
        )
    policies = Counter(row["policy"] for row in recommended).most_common()
    best = ", ".join(f"{policy} in {number:,}" for policy, number in policies)
    return (
        f"Looked at {looked}. Cheapest within the SLO: {best}. {_gain(rows, recommended)}".strip()
    )


def _gain(rows: Sequence[Mapping[str, Any]], recommended: Sequence[Mapping[str, Any]]) -> str:
    recorded = _records(rows)
    pairs = [(recorded[_key(row)], row) for row in recommended if _key(row) in recorded]
    members, late = (
        sum(now[name] - then[name] for now, then in pairs)
        for name in ("member_hours", "late_partition_hours")
    )
    return against_recorded(members, late)


def against_recorded(members: float, late: float) -> str:
    """Hours of members, and late ones, that are saved, or spent; empty where neither."""
    parts = [
        f"{figure(abs(hours))} {what} {'less' if hours > 0 else 'more'}"
        for what, hours in (("member-hours", members), ("late partition-hours", late))
        if hours
    ]
    return f"{' and '.join(parts)} than recorded." if parts else ""


def savings_first(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The recommended row of each group, those that save the most against the record first."""
    recorded = _records(rows)

    def saving(row: Mapping[str, Any]) -> float:
        return float(recorded.get(_key(row), row)["cost"] - row["cost"])

    recommended = [row for row in rows if row["recommended"]]
    return sorted(recommended, key=lambda row: (-saving(row), *_key(row)))


def _records(rows: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], Mapping[str, Any]]:
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
        f"SLO: {figure(100 * prices.on_time)} % of the time no partition is over "
        f"{duration(prices.late_after)} behind. Cost: {figure(prices.member_hour)} per "
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
    return [
        f"{plural(number, 'group')}: {sentence}" for sentence, number in sentences.most_common()
    ]
