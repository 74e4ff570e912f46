"""Let events happen to encoded groups, inside `mapInPandas`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optimizer.coordinator import Down, Parameters, figures_of, peak_rate_of, simulate_events
from optimizer.model import (
    NOBODY,
    Goals,
    Group,
    IntArray,
    Problem,
    changes_of,
    check_group,
    classes_of,
    member_loads,
    problem_of,
)
from optimizer.scenarios import BrokerDown, Event, EventError, NotApplicableError, as_static
from optimizer.solver import min_max_load_of
from optimizer.strategies import strategy_named
from spark.fleet import CONNECT
from spark.groups import FleetGroup, failed, named_group, own_strategy, read_or_failed
from spark.settings import CURRENT, NO_CONSUMERS, FleetConsumers, for_kind, kind_of
from spark.solve import TimeLimit
from spark.whatif import weights
from spark.whatif.parts import RowOfEvents, led_partitions, rates_of, seen_peak_rate
from spark.whatif.whatif_row import WhatIfRow

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
    """Whatever becomes of a group under a strategy is a row, and doesn't stop the others."""
    group = read_or_failed(row, goals.weight_source)
    strategies = for_kind(job.strategies, kind_of(row.type))
    if group.problem is None:
        yield from (_row(row, name, group) for name in strategies)
        return
    case = _Case(row, group.problem, job, limit, goals)
    for name in strategies:
        try:
            yield _row(row, name, group, **case.outcome(name))
        except EventError as error:
            yield _row(row, name, FleetGroup(UNAFFECTED, [str(error)]))
        except Exception as error:
            yield _row(row, name, failed(error))


def _row(row: RowOfEvents, strategy: str, group: FleetGroup, **result: Any) -> WhatIfRow:
    return WhatIfRow(
        cluster=row.cluster,
        group=row.group,
        kind=kind_of(row.type),
        strategy=strategy,
        uses=result.pop("uses", None),
        status=group.status,
        reason=group.reason,
        members_before=len(row.member_ids),
        **result,
    )


class _Case:
    """One group, before and after, under any strategy."""

    def __init__(
        self, row: RowOfEvents, problem: Problem, job: WhatIf, limit: TimeLimit, goals: Goals
    ) -> None:
        self._row, self._problem, self._job = row, problem, job
        self._limit, self._goals = limit, goals
        self._parameters = job.consumers.parameters(row.cluster, row.group)
        self._targets: dict[str, IntArray] = {}
        self._bounds: dict[str, dict[str, float | None]] = {}

    def outcome(self, strategy: str) -> dict[str, Any]:
        """Columns of a `WhatIfRow`; raises EventError where the group can't have the events."""
        uses = strategy
        if strategy == CURRENT:
            uses = own_strategy(self._row)
        self._down  # noqa: B018 - a group that can't have it isn't solved
        before = self._before(strategy)
        after = self._after(before)
        result = {
            "uses": uses,
            **_of_loads("before", self._problem, before, self._least_max),
            **weights.of_target("before", self._problem, before),
            **self._bound("before", self._problem),
            "members_after": len(after.members),
            "partitions_after": 0,
        }
        if not after.members:
            return result
        problem = problem_of(after, check_group(after)).problem
        if kind_of(self._row.type) == CONNECT:
            return result | self._assigned(uses, problem, before)
        return result | self._simulated(strategy, uses, problem, before, after)

    def _assigned(self, uses: str, problem: Problem, before: IntArray) -> dict[str, Any]:
        """What a strategy makes at once of the group as it is afterwards."""
        target = self._answer(uses, problem)
        moves, _ = changes_of(problem, target)
        owned = _still_there(self._problem, before != NOBODY, problem)
        taken_over = owned & (problem.owner == NOBODY) & (target != NOBODY)
        return {
            **_of_loads("after", problem, target, self._least_max_of(problem)),
            **weights.of_target("after", problem, target),
            **self._bound("after", problem),
            "moves": moves,
            "takeovers": int(np.count_nonzero(taken_over)),
        }

    def _simulated(
        self, strategy: str, uses: str, problem: Problem, before: IntArray, after: Group
    ) -> dict[str, Any]:
        """What the members and their coordinator come to, and what that costs."""
        parameters = self._parameters.using(uses, own=strategy == CURRENT)
        name = f"{self._row.cluster}/{self._row.group}"
        group = self._group(before)
        down, rates = self._down, rates_of(self._row)
        parameters = self._with_peak_rate(parameters, group, rates)
        goals, capacities = weights.alone(self._goals), weights.capacities_of(group, after)
        played = self._limit.spend(
            lambda: simulate_events(
                group, self._job.events, parameters, name, rates, down, goals, capacities
            )
        )
        most = int(played.loads.max(initial=0))
        least_max = self._least_max_of(problem)
        return {
            "partitions_after": int(np.count_nonzero(classes_of(problem).of_partition >= 0)),
            "max_load_after": most,
            "min_load_after": int(played.loads.min(initial=most)),
            "excess_after": None if least_max is None else max(0, most - least_max),
            **figures_of(played.timeline),
            "leaderless": sum(len(item.without) for item in down.values()),
            "max_weight_after": weights.at_end(problem, played.timeline, capacities),
            **self._bound("after", problem),
        }

    def _with_peak_rate(
        self, parameters: Parameters, group: Group, rates: Mapping[str, float]
    ) -> Parameters:
        """With what members were seen to read where nothing states what they can."""
        if parameters.peak_rate is not None:
            return parameters
        each = {topic: [rate] * group.topics[topic] for topic, rate in rates.items()}
        return replace(parameters, peak_rate=peak_rate_of(group, each, seen_peak_rate(self._row)))

    def _before(self, strategy: str) -> IntArray:
        """Who owns what, if the group has used that strategy."""
        if strategy == CURRENT:
            return classes_of(self._problem).kept
        return self._answer(strategy, self._problem)

    def _after(self, before: IntArray) -> Group:
        limits = self._parameters.limits
        group = self._group(before)
        return reduce(lambda now, event: event.apply(now, limits), self._job.events, group)

    @cached_property
    def _down(self) -> dict[int, Down]:
        """What brokers lead that go down; NotApplicableError where one of them leads nothing."""
        brokers = [event.broker for event in self._job.events if isinstance(event, BrokerDown)]
        down = {broker: Down(*led_partitions(self._row, broker)) for broker in brokers}
        for broker, led in down.items():
            if not any(led):
                raise NotApplicableError(f"broker {broker} leads nothing that the group reads")
        return down

    def _group(self, before: IntArray) -> Group:
        group = named_group(self._row, self._problem, before)
        return as_static(group) if self._job.static else group

    def _answer(self, strategy: str, problem: Problem) -> IntArray:
        """What a strategy makes of a group; of the group now it is asked once."""
        selection = strategy_named(strategy)
        name = selection.target_of or strategy
        entries = problem is self._problem and name in self._targets
        if entries:
            return self._targets[name]
        assign = strategy_named(name).assign
        target = self._limit.spend(lambda: assign(problem, self._goals)).target
        if problem is self._problem:
            self._targets[name] = target
        return target

    def _bound(self, when: str, problem: Problem) -> dict[str, float | None]:
        """The same for all strategies: it doesn't depend on who owns what."""
        if when not in self._bounds:
            self._bounds[when] = weights.bound(when, problem, self._goals, self._limit)
        return self._bounds[when]

    @cached_property
    def _least_max(self) -> int | None:
        return self._least_max_of(self._problem)

    def _least_max_of(self, problem: Problem) -> int | None:
        """The highest load of the optimum; None where it isn't found."""
        classes = classes_of(problem)
        if not len(classes):
            return 0
        if len(classes) == 1 and len(classes.members) == len(problem.member_ids):
            read = int(np.count_nonzero(classes.of_partition >= 0))
            return -(-read // len(problem.member_ids))
        try:
            return self._limit.spend(lambda: min_max_load_of(problem))
        except Exception:
            return None


def _of_loads(
    when: str, problem: Problem, target: IntArray, least_max: int | None
) -> dict[str, int | None]:
    loads = member_loads(problem, target)
    most = int(loads.max(initial=0))
    return {
        f"partitions_{when}": int(np.count_nonzero(classes_of(problem).of_partition >= 0)),
        f"max_load_{when}": most,
        f"min_load_{when}": int(loads.min(initial=most)),
        f"excess_{when}": None if least_max is None else max(0, most - least_max),
    }


def _still_there(before: Problem, selected: NDArray[np.bool_], after: Problem) -> NDArray[np.bool_]:
    """For each partition of a group whether it is one of those chosen of the group before."""
    result = np.zeros(after.partition_count, np.bool_)
    at = {topic: t for t, topic in enumerate(before.topics)}
    for t, topic in enumerate(after.topics):
        if topic in at:
            first, now = before.topic_offsets[at[topic]], after.topic_offsets[t]
            size = min(before.topic_sizes[at[topic]], after.topic_sizes[t])
            result[now : now + size] = selected[first : first + size]
    return result
