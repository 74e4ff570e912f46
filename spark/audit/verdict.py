"""A fleet's state in a word and in a sentence: never better than what could be judged."""

from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import Any

from optimizer.figures import plural
from spark.audit.finding import SEVERITIES, WORST_FIRST
from spark.audit.findings.lag import lag_on_few_partitions
from spark.audit.findings.replicas import leaderless, under_replicated
from spark.fleet import PLANNED, STATUSES, UNSUPPORTED

NOT_KNOWN = ("rebalancing", "invalid", "failed")
"""Statuses of groups that have members, or may have, and of which nothing is known."""

CHECKS = {
    "brokers": under_replicated.name,
    "leaders of topics": leaderless.name,
    "lag": lag_on_few_partitions.name,
}
"""Without which a fleet can't be said to be well, and a finding that runs where it can be seen."""

Counts = Sequence[Mapping[str, Any]]
"""`FleetAudit.counts`."""

Groups = Mapping[str, int]
"""Groups of each status: `FleetAudit.groups`."""


class State(StrEnum):
    """State of a fleet, from one to leave alone to one of which nothing is known.

    A fleet is `partly judged` if all that could be judged is well, and some groups couldn't be.
    """

    WELL = "well"
    PARTLY = "partly judged"
    CARE = "in need of care"
    TROUBLE = "in trouble"
    UNJUDGED = "not judged"


def state_of(counts: Counts, groups: Groups) -> State:
    """The state of a fleet; without groups, or if none of them could be judged, it has none.

    Unsupported groups need no judgement: where there are no others, nothing is left unjudged.
    """
    if not _count_judged(groups) and (_not_judged(groups) or not any(groups.values())):
        return State.UNJUDGED
    total = _total(counts)
    if total["critical"]:
        return State.TROUBLE
    if total["warning"]:
        return State.CARE
    return State.PARTLY if any(map(groups.get, NOT_KNOWN)) else State.WELL


def fails(counts: Counts, groups: Groups, severity: str) -> bool:
    """Whether an audit isn't passed that may have no finding of this severity or a worse one.

    Where nothing could be judged, none could be found either: that is never passed.
    """
    total = _total(counts)
    worse = SEVERITIES[SEVERITIES.index(severity) :]
    return state_of(counts, groups) is State.UNJUDGED or any(total[name] for name in worse)


def verdict(
    counts: Counts,
    groups: Groups,
    worst: Sequence[Mapping[str, Any]],
    not_run: Collection[str] = (),
) -> str:
    """The findings of a fleet, its state and where to start; arguments as of `FleetAudit`."""
    state, total = state_of(counts, groups), _total(counts)
    findings = f"{plural(total['critical'], 'critical finding')} and " + plural(
        total["warning"], "warning"
    )
    if muted := sum(row.get("muted", 0) for row in counts):
        findings += f" (and {muted:,} muted)"
    start = f" Start with {worst[0]['finding']}." if worst else ""
    if state is State.UNJUDGED:
        trouble = f" {findings}.{start}" if total["critical"] or total["warning"] else ""
        return f"0 groups could be judged: {_why_not(groups)}.{trouble}"
    judged = f"{findings} in {plural(_count_judged(groups), 'group')}"
    if state in (State.WELL, State.PARTLY):
        what = "the fleet" if state is State.WELL else "what could be judged"
        start = f" {plural(total['info'], 'finding')} for information." if total["info"] else ""
        return f"{judged}: {what} is well{_as_far_as(not_run)}.{start}{_left_out(groups)}"
    return f"{judged}: the fleet is {state}.{start}{_left_out(groups)}"


def _as_far_as(not_run: Collection[str]) -> str:
    """Faults that a fleet that is well may still have, for want of facts."""
    unseen = [what for what, check in CHECKS.items() if check in not_run]
    return f", as far as members go; {' and '.join(unseen)} not checked" if unseen else ""


def _why_not(groups: Groups) -> str:
    if not any(groups.values()):
        return (
            "the snapshot has no groups. Check that what fills the store still reaches the clusters"
        )
    return _others(groups)


def _left_out(groups: Groups) -> str:
    """Groups that weren't judged, and why."""
    others = _others(groups)
    return f" Not evaluated: {others}." if others else ""


def _others(groups: Groups) -> str:
    return ", ".join([*_not_judged(groups), *_other_kinds(groups)])


def _count_judged(groups: Groups) -> int:
    return sum(groups.get(status, 0) for status in PLANNED)


def _not_judged(groups: Groups) -> list[str]:
    """`2 empty`, `1 invalid`: a phrase a status."""
    others = [status for status in STATUSES if status not in (*PLANNED, UNSUPPORTED)]
    return [f"{groups[status]:,} {status}" for status in others if groups.get(status)]


def _other_kinds(groups: Groups) -> list[str]:
    return [f"{groups[UNSUPPORTED]:,} {UNSUPPORTED}"] if groups.get(UNSUPPORTED) else []


def _total(counts: Counts) -> dict[str, int]:
    return {severity: sum(row[severity] for row in counts) for severity in WORST_FIRST}
