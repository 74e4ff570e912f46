"""Plans put into force in many groups of a cluster, some at a time."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from optimizer.assignor.plan_file import GroupPlan
from spark.enforce.evaluate_group import Evaluation, Status, evaluate_group
from spark.enforce.rebalance import GuestConnection, RebalanceError, make_rebalance
from spark.fleet import components
from spark.sources.live.cluster import Cluster
from spark.sources.live.connection import Connection, UnreachableError
from spark.sources.live.describe_groups import GroupReader
from spark.sources.live.group import DescribedGroup
from spark.text import list_of


class _Live(NamedTuple):
    """Connections that are open while the brokers answer."""

    brokers: Connection
    reader: GroupReader
    guests: GuestConnection


class GroupWatcher:
    """A connection to a cluster that is made again when a broker has stopped to answer.

    `with GroupWatcher(cluster, plans) as watcher:`; plans are by group. To begin
    with the cluster has to be there: UnreachableError. Later it may be away.
    """

    def __init__(self, cluster: Cluster, plans: Mapping[str, GroupPlan]) -> None:
        self.groups: dict[str, DescribedGroup] = {}
        self._cluster, self._plans = cluster, plans
        self._live: _Live | None = None

    def __enter__(self) -> GroupWatcher:
        self._open()
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def look(self, names: frozenset[str]) -> dict[str, Evaluation]:
        """Verdicts on these groups now; their descriptions are then in `groups`."""
        try:
            brokers, reader, _ = self._live or self._open()
            groups = reader.read(names)
        except UnreachableError as error:
            return dict.fromkeys(names, Evaluation(Status.UNKNOWN, str(error), 0, False))
        self.groups |= groups
        counts = {topic.name: len(topic.partitions) for topic in brokers.metadata.topics}
        verdicts = {n: evaluate_group(self._plans[n], groups[n], counts) for n in names}
        if any(verdict.status is Status.UNKNOWN for verdict in verdicts.values()):
            self._close()  # who didn't answer isn't asked again over a connection
        return verdicts

    def make_rebalance(self, name: str) -> str | None:
        """Let a group that was examined assign again; returns why it couldn't be made to."""
        try:
            brokers, reader, guests = self._live or self._open()
            make_rebalance(brokers, guests, reader, self.groups[name], self._cluster.timeout)
        except (RebalanceError, UnreachableError) as error:
            return str(error)
        return None

    def _open(self) -> _Live:
        brokers = Connection(self._cluster)
        reader = GroupReader(brokers, self._cluster, self._plans)
        guests = GuestConnection(self._cluster, brokers.metadata)
        self._live = _Live(brokers, reader, guests)
        return self._live

    def _close(self) -> None:
        if self._live is not None:
            self._live.guests.close()
            self._live.brokers.__exit__()
            self._live = None


LOOK_EVERY = 0.5  # seconds
SETTLED = 5.0
"""Seconds of rest after which a group that doesn't own its plan won't come to it by itself; the
second rebalance of the cooperative protocol follows the first at once."""


@dataclass(frozen=True)
class GroupOutcome:
    """The row of a group at the end; `rebalanced` if it was made to.

    `is_final`: another run won't help.
    """

    group: str
    status: Status
    reason: str | None
    members: int
    rebalanced: bool = False
    is_final: bool = False


@dataclass(frozen=True)
class Enforced:
    """`stopped` says after what no other group was begun; None: each had its turn."""

    outcomes: list[GroupOutcome]
    stopped: str | None


@dataclass(frozen=True)
class Watched:
    """`groups` are the groups by name as they were when they were examined last."""

    outcomes: list[GroupOutcome]
    groups: Mapping[str, DescribedGroup]


def probe(cluster: Cluster, plans: Mapping[str, GroupPlan]) -> list[GroupOutcome]:
    """The outcomes of groups, by their plans, in order. Raises UnreachableError."""
    with GroupWatcher(cluster, plans) as watcher:
        return _outcomes(watcher.look(frozenset(plans)), {})


def enforce_groups(
    cluster: Cluster,
    plans: Mapping[str, GroupPlan],
    topics: Mapping[str, Collection[str]],
    at_once: int,
    timeout: float,
    announce: Callable[[str], None] = lambda sentence: None,
) -> Enforced:
    """Rebalance groups whose plans then take effect, and wait for them.

    At most `at_once` at a time, and never two that are coupled by `topics`, which are those that
    each group of the cluster reads. No more are begun when one of them isn't at rest after
    `timeout` seconds, or when none of a wave took its plan: one group alone may be at fault itself,
    unless none has taken its plan before. All are examined in the end, at rest if they come to it
    within `timeout`; those that couldn't be begun before then have a second turn. Groups whose plan
    is in force are left alone, so that another run goes on where this one ended. Raises
    UnreachableError if the cluster isn't there to begin with; later it is unknown what can't be
    asked.
    """
    everybody = frozenset(plans)
    with GroupWatcher(cluster, plans) as watcher:
        run = _Run(watcher, timeout, announce)
        verdicts = watcher.look(everybody)
        for _ in range(2):
            run.make_rebalance(waves(run.ready(verdicts), topics, at_once))
            verdicts = watcher.look(everybody)
            if any(verdict.status is Status.UNKNOWN for verdict in verdicts.values()):
                verdicts = watcher.look(everybody)  # over a new connection
            # after a broker's crash a group joins its new coordinator: let it come to rest first
            if not run.stopped and (moving := _moving(verdicts)):
                _await_rest(watcher, moving, timeout)
                verdicts |= watcher.look(moving)
            if run.stopped or not run.ready(verdicts):
                break
    return Enforced(_outcomes(verdicts, run.reasons(verdicts), run.begun), run.stopped)


class _Run:
    """Groups that were made to rebalance so far, and why others weren't."""

    def __init__(
        self, watcher: GroupWatcher, timeout: float, announce: Callable[[str], None]
    ) -> None:
        self.begun: set[str] = set()
        self.stopped: str | None = None
        self._watcher, self._timeout, self._announce = watcher, timeout, announce
        self._failed: dict[str, str] = {}
        self._kept_out: dict[str, str | None] = {}
        self._has_taken = False

    def ready(self, now: Mapping[str, Evaluation]) -> list[str]:
        """Groups that can be begun, and haven't been."""
        return [
            name for name, verdict in now.items() if verdict.is_ready and name not in self.begun
        ]

    def make_rebalance(self, in_waves: Sequence[Sequence[str]]) -> None:
        """Make groups rebalance, wave after wave, until one is a reason to stop."""
        for number, wave in enumerate(in_waves, 1):
            self._announce(f"wave {number} of {len(in_waves)}: {', '.join(wave)}")
            begun = self._begin(wave)
            if restless := _await_rest(self._watcher, frozenset(wave), self._timeout):
                self.stopped = f"{', '.join(restless)} did not come to rest in {self._timeout:g} s"
            elif begun and self._is_in_vain(begun):
                self.stopped = f"{list_of('group', begun)} did not take the plan"
            if self.stopped:
                return

    def reasons(self, verdicts: Mapping[str, Evaluation]) -> dict[str, str]:
        """Why groups aren't as planned whose plan nothing keeps out now."""
        return {name: self._reason(name) for name, verdict in verdicts.items() if verdict.is_ready}

    def _begin(self, wave: Iterable[str]) -> list[str]:
        now = self._watcher.look(frozenset(wave))
        begun = [name for name in wave if now[name].is_ready]
        self._kept_out |= {
            name: verdict.reason for name, verdict in now.items() if not verdict.is_ready
        }
        for name in begun:
            self.begun.add(name)
            if reason := self._watcher.make_rebalance(name):
                self._failed[name] = reason
        return begun

    def _is_in_vain(self, begun: Sequence[str]) -> bool:
        """Whether none of a wave took its plan, and that isn't the fault of one group or broker."""
        verdicts = self._watcher.look(frozenset(begun))
        if any(verdict.status is Status.IN_FORCE for verdict in verdicts.values()):
            self._has_taken = True
            return False
        rebalanced = [name for name in begun if name not in self._failed]
        return len(rebalanced) > 1 or not self._has_taken

    def _reason(self, name: str) -> str:
        if name in self.begun:
            return self._failed.get(name, NOT_TAKEN)
        before = self.stopped or self._kept_out.get(name) or "it could be asked only at the end"
        return f"it was not started: {before}"


def watch_groups(cluster: Cluster, plans: Mapping[str, GroupPlan], timeout: float) -> Watched:
    """Wait, for at most `timeout` seconds, until all plans are in force or waiting won't help."""
    deadline = time.monotonic() + timeout
    with GroupWatcher(cluster, plans) as watcher:
        verdicts = watcher.look(frozenset(plans))
        while not all(_is_done(verdict) for verdict in verdicts.values()):
            if time.monotonic() + LOOK_EVERY > deadline:
                break
            time.sleep(LOOK_EVERY)
            waiting = frozenset(name for name, verdict in verdicts.items() if not _is_done(verdict))
            verdicts |= watcher.look(waiting)
        return Watched(_outcomes(verdicts, {}), watcher.groups)


def _is_done(verdict: Evaluation) -> bool:
    return verdict.status is Status.IN_FORCE or verdict.is_final


def _moving(verdicts: Mapping[str, Evaluation]) -> frozenset[str]:
    return frozenset(
        name
        for name, verdict in verdicts.items()
        if not verdict.is_at_rest and verdict.status is not Status.UNKNOWN
    )


def _await_rest(watcher: GroupWatcher, names: frozenset[str], timeout: float) -> list[str]:
    """Wait until each plan is in force, or its group is at rest without it; returns the others."""
    deadline = time.monotonic() + timeout
    rests_since: dict[str, float] = {}
    while names:
        now = time.monotonic()
        verdicts = watcher.look(names)
        for name, verdict in verdicts.items():
            if not verdict.is_at_rest:
                rests_since.pop(name, None)
        settled = {
            name
            for name, verdict in verdicts.items()
            if verdict.status is Status.IN_FORCE
            or (verdict.is_at_rest and now - rests_since.setdefault(name, now) >= SETTLED)
        }
        restless = [name for name, verdict in verdicts.items() if not verdict.is_at_rest]
        names -= settled
        if now > deadline:
            return sorted(restless)
        if names:
            time.sleep(LOOK_EVERY)
    return []


NOT_TAKEN = (
    "it has rebalanced without the plan: its assignor couldn't read the plan, and the assignor's "
    "log says why"
)


def _outcomes(
    verdicts: Mapping[str, Evaluation], reasons: Mapping[str, str], begun: Collection[str] = ()
) -> list[GroupOutcome]:
    return [
        GroupOutcome(
            name,
            verdict.status,
            verdict.reason or reasons.get(name),
            verdict.members,
            rebalanced=name in begun,
            is_final=verdict.is_final,
        )
        for name, verdict in sorted(verdicts.items())
    ]


def waves(
    groups: Iterable[str], topics: Mapping[str, Collection[str]], at_once: int
) -> list[list[str]]:
    """The groups in waves of at most `at_once`, and no two of a component in one.

    `topics` are those that each group of the cluster reads, of these and of others; groups that
    share one, directly or through others, are of one component.
    """
    pairs = [(group, topic) for group, read in topics.items() for topic in {*read}]
    component = components(*zip(*pairs, strict=True)) if pairs else {}
    waiting: dict[str, list[str]] = defaultdict(list)
    for group in sorted(groups):
        waiting[component.get(group, group)].append(group)
    planned = []
    while waiting:
        # those of whom most are waiting first, or they are left for the end, one a wave
        next_ones = sorted(waiting, key=lambda name: (-len(waiting[name]), name))[:at_once]
        planned.append([waiting[name].pop(0) for name in next_ones])
        waiting = defaultdict(list, {name: names for name, names in waiting.items() if names})
    return planned
