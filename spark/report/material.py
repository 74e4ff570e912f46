"""The material of a report, in rows that are few for a fleet of any size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any

from optimizer.model import DEFAULT_GOALS, Goals

Rows = Sequence[Mapping[str, Any]]

Key = tuple[str, str]
"""Cluster and name of a group."""


@dataclass(frozen=True, kw_only=True)
class Material:
    """Everything that the page shows.

    `clusters` has the instant of each cluster's snapshot, `made_by` the commands behind the parts
    of the page. `counts` has a row a finding that the audit looked for, `findings` the worst ones
    with a `command` each, `not_run` a reason for each that it could not look for. `now` and
    `before` have `groups`, `members`, `uneven`, `idle` and `lag` of this snapshot and of the one
    before, and apart from that the lag of groups without members. `groups` has a row a group,
    the worst first, `details` more about the first of them (see `spark.report.groups`).
    `league` has a row a strategy, of `sampled` groups where that isn't None, `by_weight` the
    same with goals by weight. `clusters_beside` has a row a cluster, `brokers` one with what
    `reassign` would do, `trend` a row a snapshot of a history. `scaling` has a row a policy of
    `scale`, `sizes` what it comes to and a sentence for each of the groups that would save the
    most. `sources` says which results were read, and what was asked.
    """

    title: str
    version: str
    made_at: str
    store: str
    snapshot: str
    clusters: Mapping[str, str]
    part: str
    goals: str
    verdict: str
    statuses: Mapping[str, int]
    counts: Rows
    findings: Rows
    not_run: Mapping[str, str]
    now: Mapping[str, Any]
    before: Mapping[str, Any] | None = None
    groups: Rows = ()
    details: Rows = ()
    clusters_beside: Rows = ()
    league: Rows = ()
    by_weight: Rows = ()
    best: str
    sampled: int | None = None
    brokers: Rows = ()
    trend: Rows = ()
    scaling: Rows = ()
    sizes: Sequence[str] = ()
    sources: str = ""
    made_by: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def keys(self) -> set[Key]:
        """Of the groups that have a row."""
        return {(row["cluster"], row["group"]) for row in self.groups}


def anchor(cluster: str, group: str) -> str:
    """The id of a group's row: the same on every page, so that links to it last."""
    digest = sha256(f"{cluster}\0{group}".encode("utf-8", "surrogatepass")).hexdigest()
    return f"g-{digest[:8]}"


def goals_text(goals: Goals) -> str:
    """`the default goals`, or `the goals rack=any, min_gain=2`: those that aren't the default."""
    default = asdict(DEFAULT_GOALS)
    changed = [f"{key}={value}" for key, value in asdict(goals).items() if value != default[key]]
    return f"the goals {', '.join(changed)}" if changed else "the default goals"
