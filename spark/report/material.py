"""What a report is made of, in rows that are few whatever the size of the fleet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Material:
    """All that is told.

    `clusters` has the instant of each cluster's snapshot. `counts` has a row a finding that was
    looked for, `findings` the worst of those that were found, `not_run` a reason for each that
    couldn't be looked for. `balance` has classes of groups, `clusters_beside` a row a cluster,
    `brokers` one with what `reassign` would make of it,
    `league` a row a strategy, of `sampled` groups where that isn't None. `trend` and `rebalances`
    are of a history; both are empty without one. `made_by` has the commands that make these
    tables. `now` and `before` have the `groups`, `members` and `lag` of this snapshot and of the
    one before, if there is one. `groups` are told one by one.
    """

    title: str
    version: str
    made_at: str
    store: str
    snapshot: str
    clusters: Mapping[str, str]
    part: str
    made_by: Mapping[str, str]
    goals: str
    verdict: str
    statuses: Mapping[str, int]
    counts: Rows
    findings: Rows
    not_run: Mapping[str, str]
    fleet: Rows
    balance: Rows
    clusters_beside: Rows
    league: Rows
    best: str
    sampled: int | None = None
    racks: Rows = ()
    brokers: Rows = ()
    trend: Rows = ()
    rebalances: Rows = ()
    groups: Sequence[GroupMaterial] = ()
    plan: str | None = None
    before: Mapping[str, Any] | None = None
    now: Mapping[str, Any] | None = None


@dataclass(frozen=True, kw_only=True)
class GroupMaterial:
    """One group: its state, its members × topics, and why each partition moves.

    `lag` tells how late it is. `crash` are sentences about the crash of its most loaded member,
    `crash_spans` who reads what then (see `spark.charts.timeline`); `frontier` says what moves buy,
    `frontier_points` are those of `spark.charts.frontier`. What isn't known is empty.
    """

    cluster: str
    group: str
    status: str
    reason: str | None
    by_topic: Rows
    moves: Sequence[str]
    bounds: Sequence[str]
    findings: Rows
    changes: Rows = ()
    lag: str = ""
    crash: Sequence[str] = ()
    crash_spans: Rows = ()
    frontier: str = ""
    frontier_points: Rows = ()
