"""Let events happen to encoded groups, inside workers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Any

import numpy as np

from optimizer.coordinator import Down, Timeline, figures_of
from optimizer.model import (
    NOBODY,
    Goals,
    Group,
    IntArray,
    Problem,
    changes_of,
    check_group,
    group_of,
    problem_of,
    weights_of,
)
from optimizer.scenarios import Event, EventError, NotApplicableError, as_static, brokers_down
from spark.fleet import CONNECT
from spark.groups import FleetGroup, Int, Long, Real, Text, check_assignor, failure_of, own_strategy
from spark.settings import CURRENT, NO_CONSUMERS, FleetConsumers, kind_of
from spark.solve import TimeLimit, plan_columns
from spark.trial import CostRow, OutcomeOf, Trial, rows_by_strategy, run_events, same_partitions
from spark.whatif.parts import RowOfEvents, led_partitions, of_partitions, seen_peak_rate


@dataclass(slots=True, kw_only=True)
class WhatIfRow(CostRow):
    """A group before and after events; what isn't known is null.

    `status` is that of a plan's groups, or `unaffected`: the group can't have the events, and the
    `reason` says why.
    Before, each member has what the strategy gives it if it starts from the current assignment;
    under `current` it is the current assignment. What it costs in time is simulated
    (`optimizer.coordinator`), for groups of consumers alone.
    """

    kind: Text
    """`connect` for a group of Connect workers, else `consumer`."""
    strategy: Text
    uses: Text = None
    """Under `current` the group's own strategy, with which it continues."""
    members_before: Int = None
    members_after: Int = None
    partitions_before: Int = None
    partitions_after: Int = None
    max_load_before: Long = None
    max_load_after: Long = None
    min_load_before: Long = None
    min_load_after: Long = None
    excess_before: Long = None
    excess_after: Long = None
    """Partitions by which the most loaded member is above the optimum's."""
    leaderless: Int = None
    """Partitions without a replica in sync while brokers are down; not part of `unread_seconds`."""
    max_weight_before: Real = None
    max_weight_after: Real = None
    """The largest load by weight for a unit of capacity; null unless goals are by weight."""
    weight_bound_before: Real = None
    weight_bound_after: Real = None
    """Lower bound of the largest load by weight, of any assignment."""


UNAFFECTED = "unaffected"
"""Status of a group that can't have the events."""


@dataclass(frozen=True)
class WhatIf:
    """Events, the strategies to try them under, and whether all members are taken as static."""

    events: Sequence[Event]
    strategies: Sequence[str]
    static: bool = False
    consumers: FleetConsumers = NO_CONSUMERS


def rows_of_group(
    row: RowOfEvents, job: WhatIf, limit: TimeLimit, goals: Goals
) -> Iterator[WhatIfRow]:
    """The row of a group under a strategy; a failure becomes a row, and doesn't stop others."""

    def row_of(group: FleetGroup, strategy: str, **outcome: Any) -> WhatIfRow:
        columns = plan_columns(row, group, strategy)
        columns |= {"kind": kind_of(row.type), "members_before": columns.pop("members")}
        return WhatIfRow(**columns, **outcome)

    def outcomes(problem: Problem) -> OutcomeOf:
        return _Case(row, Trial(problem, limit, goals), job).outcome

    return rows_by_strategy(row, job.strategies, goals, outcomes, row_of, _failed_to)


def _failed_to(error: Exception) -> FleetGroup:
    is_unaffected = isinstance(error, EventError)
    return FleetGroup(UNAFFECTED, [str(error)]) if is_unaffected else failure_of(error)


class _Case:
    """One group, before and after, under any strategy.

    The group after the events is tried once for what doesn't depend on who owns what: its bounds.
    """

    def __init__(self, row: RowOfEvents, now: Trial, job: WhatIf) -> None:
        self._row, self._now, self._job = row, now, job
        self._then: Trial | None = None
        self._parameters = job.consumers.parameters(row.cluster, row.group)

    def outcome(self, strategy: str) -> dict[str, Any]:
        """Columns of a `WhatIfRow`; raises EventError where the group can't have the events."""
        uses = own_strategy(self._row) if strategy == CURRENT else strategy
        self._down  # noqa: B018 - a group that can't have it isn't solved
        if strategy == CURRENT:
            check_assignor(self._row, self._now.problem)
        before = self._now.target(strategy)
        # events name hosts as Kafka does, also where goals tell them by client ids
        group = group_of(replace(self._now.problem, hosts=self._row.hosts.tolist()), before)
        group = as_static(group) if self._job.static else group
        limits = self._parameters.limits
        after = reduce(lambda now, event: event.apply(now, limits), self._job.events, group)
        columns = {"uses": uses, "members_after": len(after.members), "partitions_after": 0}
        columns |= _with_suffix("before", self._now.loads(before))
        if not after.members:
            return columns
        then = Trial(
            problem_of(after, check_group(after)).problem, self._now.limit, self._now.goals
        )
        self._then = self._then or then
        if kind_of(self._row.type) == CONNECT:
            return columns | self._by_strategy(then, uses, before)
        return columns | self._in_time(then.problem, strategy, uses, group, after)

    def _by_strategy(self, then: Trial, uses: str, before: IntArray) -> dict[str, Any]:
        """A strategy's assignment of the group as it is afterwards."""
        problem, target = then.problem, then.target(uses)
        moves, _ = changes_of(problem, target)
        was, now = same_partitions(self._now.problem, problem)
        taken_over = ((problem.owner == NOBODY) & (target != NOBODY))[now]
        takeovers = int(np.count_nonzero(taken_over & (before[was] != NOBODY)))
        loads = (self._then or then).loads(target)
        return _with_suffix("after", loads) | {"moves": moves, "takeovers": takeovers}

    def _in_time(
        self, problem: Problem, strategy: str, uses: str, group: Group, after: Group
    ) -> dict[str, Any]:
        """Figures of the members and their coordinator, simulated, and their cost."""
        members, goals, then = [*group.members, *after.members], self._now.goals, self._then
        capacities = {
            member.member_id: member.capacity for member in members if member.capacity is not None
        }
        ran = run_events(
            self._row,
            group,
            self._job.events,
            self._parameters.using(uses, own=strategy == CURRENT),
            self._now.limit,
            rates=of_partitions(self._row, group, "rated", "partition_rates"),
            seen_peak_rate=seen_peak_rate(self._row),
            lag=of_partitions(self._row, group, "behind", "behind_records", 0.0),
            down=self._down,
            goals=_by_weight_alone(goals),
            capacities=capacities,
        )
        assert then is not None
        loads = then.columns(ran.loads, _max_weight_at_end(problem, ran.timeline, capacities))
        leaderless = sum(len(member.without) for member in self._down.values())
        return _with_suffix("after", loads) | figures_of(ran.timeline) | {"leaderless": leaderless}

    @cached_property
    def _down(self) -> dict[int, Down]:
        """Partitions led by brokers that go down; NotApplicableError where one leads nothing."""
        brokers = brokers_down(self._job.events)
        down = {broker: Down(*led_partitions(self._row, broker)) for broker in brokers}
        for broker, led in down.items():
            if not any(led):
                raise NotApplicableError(f"broker {broker} leads nothing that the group reads")
        return down


def _with_suffix(when: str, loads: Mapping[str, Any]) -> dict[str, Any]:
    return {f"{name}_{when}": value for name, value in loads.items()}


def _by_weight_alone(goals: Goals) -> Goals:
    """The goals that a simulated leader follows: the weight of partitions, not racks or limits."""
    if not goals.by_weight:
        return Goals()
    return Goals(balance="weight", tolerance=goals.tolerance, effort=goals.effort)


def _max_weight_at_end(
    problem: Problem, timeline: Timeline, capacities: Mapping[str, float]
) -> float | None:
    """The largest load for a unit of capacity at the end of a run; None without weights.

    `problem` has the group as it is afterwards, `capacities` those of members by name.
    """
    if problem.weights is None:
        return None
    weights = weights_of(problem)
    each: list[float] = (weights.of_partition * weights.weight_unit).tolist()
    first: dict[str, int] = dict(zip(problem.topics, problem.topic_offsets.tolist(), strict=False))

    def load(parts: frozenset[int]) -> float:
        held = (timeline.partitions[part] for part in parts)
        return sum(each[first[topic] + number] for topic, number in sorted(held) if topic in first)

    loads = [load(parts) / capacities.get(name, 1.0) for name, parts in timeline.final.items()]
    return max(loads, default=0.0)
