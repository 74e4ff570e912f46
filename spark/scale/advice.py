"""What to set: the cheapest policy within the SLO, in a sentence and as text to copy."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from optimizer.figures import counted, duration, figure
from optimizer.scaling import AsItWas, Fixed, Policy, Prices, Totals
from spark.scale.group_process import GroupProcess
from spark.scale.manifests import manifest_of
from spark.scale.policies_file import ScaleSettings
from spark.scale.text import against_recorded

AS_GOOD = 1.02
"""A fixed number does as well where it costs at most so much more than the cheapest policy."""


class Advice(NamedTuple):
    """The number of the recommended policy, why, and what to copy."""

    recommended: int
    sentence: str
    setting: str


def advice_of(
    group: str, process: GroupProcess, settings: ScaleSettings, totals: Sequence[Totals]
) -> Advice:
    """The cheapest policy that meets the SLO, or a fixed number that does as well."""
    policies = settings.policies
    at = _recommended(policies, totals)
    best, pairs = totals[at], zip(policies, totals, strict=True)
    recorded = next((item for policy, item in pairs if isinstance(policy, AsItWas)), None)
    sentences = [_best(policies[at], best, int(process.process.recorded[-1]))]
    if recorded is not None and recorded is not best:
        late = recorded.late_partition_hours - best.late_partition_hours
        sentences.append(against_recorded(recorded.member_hours - best.member_hours, late))
        if not recorded.meets_slo:
            sentences.append("As recorded it misses the SLO.")
    if not best.meets_slo:
        sentences.append(_missed(best, settings.prices))
    sentences += _warnings(process)
    setting = manifest_of(group, process.process, policies[at], best)
    return Advice(at, " ".join(filter(None, sentences)), setting)


def _recommended(policies: Sequence[Policy], totals: Sequence[Totals]) -> int:
    """Of all policies, where none meets the SLO."""
    meets_any = any(item.meets_slo for item in totals)
    numbers = [at for at, item in enumerate(totals) if item.meets_slo or not meets_any]
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
        return f"Leave it as it is ({counted(now, 'member')} now): {late}, no policy costs less."
    if isinstance(policy, Fixed):
        return f"Fix it at {counted(best.most_members, 'member')} (now {now:,}): {late}."
    costs = f"{figure(best.member_hours)} member-hours, {counted(best.rebalances, 'rebalance')}"
    return f"Set {policy.name}: {late}, {costs}."


def _missed(best: Totals, prices: Prices) -> str:
    return (
        f"No policy meets the SLO (at most {duration(prices.late_after)} behind in "
        f"{figure(100 * prices.on_time)} % of the time): this one does in "
        f"{figure(100 * best.on_time)} %."
    )


def _warnings(group: GroupProcess) -> Iterator[str]:
    process, hot = group.process, group.process.hot
    if len(hot):
        first = int(hot[0])
        most = figure(float(process.arrivals[:, first].max()))
        others = f" and {counted(len(hot) - 1, 'other partition')}" if len(hot) > 1 else ""
        yield (
            f"Partition {process.assignments.partition_name(first)}{others} gets up to {most} "
            f"records/s, one member reads {figure(process.peak_rate)}: spread its keys, members "
            "can't help."
        )
