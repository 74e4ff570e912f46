"""One group under any strategy: each is asked once, in its time; a failure becomes a row."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from pyspark.sql import DataFrame

from optimizer.coordinator import EventCost, EventsTimeline, Parameters, simulate_events
from optimizer.model import (
    NOTHING,
    Answer,
    Goals,
    Group,
    IntArray,
    Problem,
    at_once,
    classes_of,
    fitting,
    member_loads,
    on_hosts,
    ranges,
    resolve_balance,
)
from optimizer.scenarios import Event
from optimizer.solver import min_max_load_of
from optimizer.strategies import OPTIMAL, strategy_named
from spark.fleet import FleetSnapshot
from spark.groups import (
    EncodedRow,
    FleetGroup,
    Outcome,
    Row,
    Texts,
    encode,
    failure_of,
    in_workers,
    read_or_failed,
)
from spark.history import FleetHistory, encode_changes
from spark.settings import CURRENT, FleetGoals, for_kind, kind_of
from spark.solve import TimeLimit, idle_limits_of, max_weight, shown_bound

Answered = tuple[Answer, float]
"""An answer, and how many seconds it took."""


class Trial:
    """A group, and what strategies make of it; `goals` are those of `optimal`."""

    def __init__(self, problem: Problem, limit: TimeLimit, goals: Goals) -> None:
        self.problem, self.goals = on_hosts(problem, goals.host), resolve_balance(goals, problem)
        self.limit = limit
        self._answers: dict[str, Answered | Exception] = {}

    def answer(self, strategy: str) -> Answered:
        """A strategy's answer; raises what it raises, each time if it is asked again.

        That of `current` is the current assignment.
        """
        if strategy not in self._answers:
            try:
                self._answers[strategy] = self._ask(strategy)
            except Exception as error:
                self._answers[strategy] = error
        answered = self._answers[strategy]
        if isinstance(answered, Exception):
            raise answered
        return answered

    def target(self, strategy: str) -> IntArray:
        """A strategy's answer as who gets which partition."""
        return self.answer(strategy)[0].target

    def _ask(self, strategy: str) -> Answered:
        if strategy == CURRENT:
            return at_once(classes_of(self.problem).kept), 0.0
        assignor = strategy_named(strategy)
        if assignor.target_of:  # worked out once for both (KIP-429)
            answer, seconds = self.answer(assignor.target_of)
            return at_once(answer.target), seconds
        started = time.perf_counter()
        answer = self.limit.spend(lambda: assignor.assign(self.problem, self.goals))
        return answer, time.perf_counter() - started

    @cached_property
    def least_max(self) -> int | None:
        """The highest load of the optimum, in partitions; None where it isn't found in time."""
        classes = classes_of(self.problem)
        if not len(classes):
            return 0
        members = len(self.problem.member_ids)
        if len(classes) == 1 and len(classes.members) == members:
            return -(-self.partitions // members)
        try:
            return self.limit.spend(lambda: min_max_load_of(self.problem))
        except Exception:
            return None

    def loads(self, target: IntArray) -> dict[str, float | None]:
        """The loads of an assignment, the largest by weight too, and how they are to the best."""
        return self.columns(member_loads(self.problem, target), max_weight(self.problem, target))

    def columns(self, loads: IntArray, largest: float | None) -> dict[str, float | None]:
        """The columns of such loads, one a member, and of the `largest` by weight."""
        most = int(loads.max(initial=0))
        return {
            "partitions": self.partitions,
            "max_load": most,
            "min_load": int(loads.min(initial=most)),
            "excess": None if self.least_max is None else max(0, most - self.least_max),
            "max_weight": largest,
            "weight_bound": self.weight_bound,
        }

    @property
    def partitions(self) -> int:
        """Partitions that somebody reads."""
        return int(np.count_nonzero(classes_of(self.problem).of_partition >= 0))

    @cached_property
    def weight_bound(self) -> float | None:
        """A load by weight below which no plan's largest is, as the check finds it shown.

        None where goals aren't by weight, and where none is shown in time.
        """
        if not self.goals.by_weight:
            return None
        try:
            answer, _ = self.answer(OPTIMAL)
            return self.limit.spend(lambda: shown_bound(self.problem, self.goals, answer))
        except Exception:
            return None


def same_partitions(first: Problem, second: Problem) -> tuple[Any, Any]:
    """The partitions that both have, as indexes of the one and of the other."""
    if first.topics == second.topics and np.array_equal(first.topic_offsets, second.topic_offsets):
        return slice(None), slice(None)
    at = {topic: t for t, topic in enumerate(first.topics)}
    pairs = [(at[topic], t) for t, topic in enumerate(second.topics) if topic in at]
    if not pairs:
        return NOTHING, NOTHING
    before, now = np.array(pairs).T
    sizes = np.minimum(first.topic_sizes[before], second.topic_sizes[now])
    return (ranges(first.topic_offsets[before], sizes), ranges(second.topic_offsets[now], sizes))


R = TypeVar("R")

OutcomeOf = Callable[[str], dict[str, Any]]
"""The columns that a strategy's answer comes to; raises where it has none."""


@dataclass(slots=True, kw_only=True)
class CostRow(EventCost, Outcome):
    """Cost of events to a group."""


def need_racks(strategies: Sequence[str], goals: FleetGoals) -> bool:
    """Whether racks make a difference to any of these strategies."""
    aware = (strategy_named(name).rack_aware for name in strategies if name != CURRENT)
    return goals.need_racks or any(aware)


def try_groups(
    encoded: DataFrame,
    row: type[Row],
    rows_of_group: Callable[[Any, TimeLimit], Iterable[Row]],
    strategy_seconds: float,
) -> DataFrame:
    """The rows that are made of each encoded group, with so much time for each strategy."""

    def rows_of(groups: Iterable[Any]) -> list[Row]:
        with TimeLimit(strategy_seconds) as limit:
            return [outcome for group in groups for outcome in rows_of_group(group, limit)]

    return in_workers(encoded, row, rows_of)


def rows_by_strategy(
    row: EncodedRow,
    strategies: Sequence[str],
    goals: Goals,
    outcomes: Callable[[Problem], OutcomeOf],
    row_of: Callable[..., R],
    on_error: Callable[[Exception], FleetGroup] = failure_of,
    read: FleetGroup | None = None,
) -> Iterator[R]:
    """A row for each of the strategies that are for the group's kind.

    `row_of` makes it of the group, the strategy and its outcome. A group that can't be read, and a
    strategy that has no answer, have rows that say why. `read` is what was read of the row, if any.
    """
    group = read or read_or_failed(row, goals.weight_source)
    names = for_kind(strategies, kind_of(row.type))
    if group.problem is None:
        yield from (row_of(group, name) for name in names)
        return
    outcome = outcomes(group.problem)
    for name in names:
        try:
            yield row_of(group, name, **outcome(name))
        except Exception as error:
            yield row_of(on_error(error), name)


def run_events(
    row: EncodedRow,
    group: Group,
    events: Sequence[Event],
    parameters: Parameters,
    limit: TimeLimit,
    **options: Any,
) -> EventsTimeline:
    """`simulate_events` with these `options`; random choices depend on the group's name."""
    name = f"{row.cluster}/{row.group}"
    return limit.spend(lambda: simulate_events(group, events, parameters, name, **options))


@dataclass(slots=True, kw_only=True)
class _Limits(Row):
    """Limits that a group's members and partitions fit, in words."""

    limits: Texts


def idle_limits(fleet: FleetSnapshot | FleetHistory, goals: FleetGoals) -> list[str]:
    """Limits, in words, that no member or partition of any group fits, at any time of a history.

    Without limits no job is run.
    """
    if not goals.limits_in_words():
        return []
    if isinstance(fleet, FleetHistory):
        encoded = encode_changes(fleet.tables, fleet.group_spans())
    else:
        encoded = encode(fleet.validate())

    def rows_of(groups: Iterable[EncodedRow]) -> list[_Limits]:
        return [_Limits(limits=_fit(row, goals)) for row in groups]

    return idle_limits_of(in_workers(encoded, _Limits, rows_of), goals)


def _fit(row: EncodedRow, goals: FleetGoals) -> list[str]:
    wanted, problem = goals.of(row.cluster, row.group), read_or_failed(row).problem
    return fitting(on_hosts(problem, wanted.host), wanted.limits) if problem else []
