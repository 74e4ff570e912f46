"""Plans put into force in many groups of a cluster, some at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from optimizer.assignor.plan_file import GroupPlan
from spark.enforce.judge import Status, Verdict
from spark.enforce.lookout import Lookout
from spark.enforce.waves import waves
from spark.sources.live.cluster import Cluster
from spark.sources.live.group import DescribedGroup

LOOK_EVERY = 0.5  # seconds
SETTLED = 5.0
"""Seconds of rest after which a group that doesn't own its plan won't come to it by itself; the
second rebalance of the cooperative protocol follows the first at once."""


@dataclass(frozen=True)
class Outcome:
    """What is to be said of a group at the end; `rebalanced` if it was made to."""

    group: str
    status: Status
    reason: str | None
    members: int
    rebalanced: bool = False


@dataclass(frozen=True)
class Enforced:
    """`stopped_at` has those groups that didn't come to rest, after which no other was begun."""

    outcomes: list[Outcome]
    stopped_at: list[str]


@dataclass(frozen=True)
class Watched:
    """`groups` are the groups by name as they were when they were looked at last."""

    outcomes: list[Outcome]
    groups: Mapping[str, DescribedGroup]


def look_at(cluster: Cluster, plans: Mapping[str, GroupPlan]) -> list[Outcome]:
    """What is to be said of groups, by their plans, in order. Raises UnreachableError."""
    with Lookout(cluster, plans) as lookout:
        return _outcomes(lookout.look(frozenset(plans)), {})


def enforce_groups(
    cluster: Cluster,
    plans: Mapping[str, GroupPlan],
    topics: Mapping[str, Collection[str]],
    at_once: int,
    timeout: float,
    tell: Callable[[str], None] = lambda sentence: None,
) -> Enforced:
    """Make groups rebalance whose plans would come into force then, and wait for them.

    At most `at_once` at a time, and never two that are coupled by `topics`, which are those that
    each group of the cluster reads. When one of them isn't at rest after `timeout` seconds, no
    more are begun. Whatever comes of it, all are looked at in the end. Groups whose plan is in
    force are left alone, so that another run goes on where this one ended. Raises UnreachableError
    if the cluster isn't there to begin with; later it is unknown what can't be asked.
    """
    everybody = frozenset(plans)
    failed: dict[str, str] = {}
    begun: set[str] = set()
    stopped: list[str] = []
    with Lookout(cluster, plans) as lookout:
        first = lookout.look(everybody)
        ready = [name for name, verdict in first.items() if verdict.is_ready]
        in_waves = waves(ready, topics, at_once)
        for number, wave in enumerate(in_waves, 1):
            tell(f"wave {number} of {len(in_waves)}: {', '.join(wave)}")
            now = lookout.look(frozenset(wave))
            for name in (name for name in wave if now[name].is_ready):
                begun.add(name)
                if reason := lookout.make_rebalance(name):
                    failed[name] = reason
            stopped = _await_rest(lookout, frozenset(wave), timeout)
            if stopped:
                break
        last = lookout.look(everybody)
        if any(verdict.status is Status.UNKNOWN for verdict in last.values()):
            last = lookout.look(everybody)  # over a new connection
    return Enforced(_outcomes(last, failed, begun), stopped)


def watch_groups(cluster: Cluster, plans: Mapping[str, GroupPlan], timeout: float) -> Watched:
    """Look at groups until all plans are in force, or waiting won't help, for so many seconds."""
    deadline = time.monotonic() + timeout
    with Lookout(cluster, plans) as lookout:
        found = lookout.look(frozenset(plans))
        while not all(_is_done(one) for one in found.values()):
            if time.monotonic() + LOOK_EVERY > deadline:
                break
            time.sleep(LOOK_EVERY)
            waiting = frozenset(name for name, one in found.items() if not _is_done(one))
            found |= lookout.look(waiting)
        return Watched(_outcomes(found, {}), lookout.groups)


def _is_done(verdict: Verdict) -> bool:
    return verdict.status is Status.IN_FORCE or verdict.is_final


def _await_rest(lookout: Lookout, names: frozenset[str], timeout: float) -> list[str]:
    """Wait until each plan is in force, or its group is at rest without it; returns the others."""
    deadline = time.monotonic() + timeout
    rests_since: dict[str, float] = {}
    while names:
        now = time.monotonic()
        found = lookout.look(names)
        for name, verdict in found.items():
            if not verdict.is_at_rest:
                rests_since.pop(name, None)
        settled = {
            name
            for name, verdict in found.items()
            if verdict.status is Status.IN_FORCE
            or (verdict.is_at_rest and now - rests_since.setdefault(name, now) >= SETTLED)
        }
        restless = [name for name, verdict in found.items() if not verdict.is_at_rest]
        names -= settled
        if now > deadline:
            return sorted(restless)
        if names:
            time.sleep(LOOK_EVERY)
    return []


NOT_TAKEN = (
    "it has assigned anew without it: whoever assigns there couldn't read this plan, and its log "
    "says why"
)


def _outcomes(
    verdicts: Mapping[str, Verdict], failed: Mapping[str, str], begun: Collection[str] = ()
) -> list[Outcome]:
    found = []
    for name, verdict in sorted(verdicts.items()):
        reason = verdict.reason
        if verdict.is_ready:
            reason = failed.get(name) or (NOT_TAKEN if name in begun else None)
        found.append(Outcome(name, verdict.status, reason, verdict.members, name in begun))
    return found
