"""Steps of each strategy at each change of a group's facts, inside workers."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from pyspark.sql import DataFrame

from optimizer.model import IntArray, member_loads, resolve_balance
from optimizer.strategies import OPTIMAL, strategy_named
from spark.fleet import CONSUMER
from spark.groups import (
    EncodedRow,
    Flag,
    FleetGroup,
    Int,
    Long,
    Real,
    RowOfGroup,
    Text,
    failure_of,
    in_workers,
    is_kafkas,
    own_strategy,
    read_or_failed,
)
from spark.history import RowInTime, Timeline
from spark.replay.group_state import Changes, GroupAnswer, GroupState
from spark.settings import CURRENT, FleetGoals, for_kind, kind_of
from spark.solve import TimeLimit, plan_columns
from spark.trial import Trial


@dataclass(slots=True, kw_only=True)
class StepRow(RowOfGroup):
    """A group under one strategy from `snapshot`, at position `start` of its cluster, to `end`.

    What isn't known is null. `seconds` is for how long it held (`Timeline.known_seconds`).
    `status` and `reason` are those of a comparison; without an answer the rest is null.

    `rebalanced`: the group had to be assigned again, since members, what they read or which
    partitions there are to read had changed; under `current` also where partitions changed hands
    without that. `first`: it started from the current assignment, so that what changed is the price
    of the change of strategy and none of its use.

    `excess`: how many partitions the most loaded member has more than the most loaded one of the
    optimum. `moves` and `takeovers` are counted against what the members owned by this strategy's
    answer before. `stopped`: partitions that their owner had to stop reading for a while, under the
    strategy's own protocol: all that were owned by somebody who may keep them if it is eager, else
    those that moved; null where a group's own protocol isn't known. `local_reads` and
    `remote_reads` are null where goals or facts have no racks. `max_weight`: the largest load by
    weight for a unit of capacity, and `weight_bound` one below which no assignment's can be, by
    what partitions weighed at `start`; null unless the group's goals are by weight.
    """

    strategy: Text
    kind: Text
    snapshot: Text
    start: Int
    end: Int
    seconds: Long
    status: Text
    reason: Text = None
    rebalanced: Flag = False
    first: Flag = False
    members: Int = None
    partitions: Int = None
    max_load: Long = None
    min_load: Long = None
    sum_squares: Long = None
    excess: Long = None
    moves: Long = None
    takeovers: Long = None
    stopped: Long = None
    local_reads: Long = None
    remote_reads: Long = None
    max_weight: Real = None
    weight_bound: Real = None


NONE = Changes()

EMPTY = "empty"
"""Status of a group without members."""


@dataclass(slots=True)
class Trail:
    """One strategy in one group: its last answer, and why it had none when it was asked last.

    Without an answer its members own what was found if it is the `first`, and else nothing.
    """

    first: bool
    answer: GroupAnswer | None = None
    failure: FleetGroup | None = None

    def owner(self, state: GroupState) -> IntArray:
        """The member of a group that owns each of its partitions, if any."""
        if self.answer is not None:
            return state.owner(self.answer)
        return (state.problem if self.first else state.ownerless).owner

    def settle(self, state: GroupState, owner: IntArray, target: IntArray) -> Changes:
        """Members own `target` from now on: what that changes of what they owned."""
        self.first, self.answer, self.failure = False, GroupAnswer(state, target), None
        return state.changes(owner, target)


@dataclass(frozen=True)
class Replay:
    """Scope of a replay: for how long each row counts, by which strategies, with which goals."""

    timeline: Timeline
    strategies: Sequence[str]
    goals: FleetGoals
    strategy_seconds: float


def steps_of(encoded: DataFrame, replay: Replay) -> DataFrame:
    """A `StepRow` for each row of `spark.history.encode_changes` and strategy of its kind."""

    def rows(group: Iterable[RowInTime]) -> Iterator[StepRow]:
        with TimeLimit(replay.strategy_seconds) as limit:
            yield from rows_of(group, replay, limit)

    return in_workers(encoded, StepRow, rows)


def rows_of(group: Iterable[RowInTime], replay: Replay, limit: TimeLimit) -> Iterator[StepRow]:
    """The rows of one group, from its encoded ones in order of time."""
    of_group: _GroupReplay | None = None
    for row in group:
        of_group = of_group or _GroupReplay(row, replay, limit)
        yield from of_group.rows(row)


class _GroupReplay:
    """One group under each strategy; what was last is all that is remembered."""

    def __init__(self, first: RowInTime, replay: Replay, limit: TimeLimit) -> None:
        """A group that isn't in the first snapshot of its cluster came later."""
        self._replay, self._limit = replay, limit
        self._goals = replay.goals.of(first.cluster, first.group)
        self._state: GroupState | None = None
        self._least_max: int | None = None
        self._end: int = first.start - 1
        self._trails: dict[str, Trail] = {}
        self._start(replay.strategies, first=not first.start)

    def _start(self, strategies: Sequence[str], *, first: bool = False) -> None:
        for name in strategies:
            self._trails[_same_target(name)] = Trail(first)

    def rows(self, row: RowInTime) -> Iterator[StepRow]:
        """The row of a strategy for the next row of the group; a failure becomes one too."""
        strategies = for_kind(self._replay.strategies, kind_of(row.type))
        group = read_or_failed(row, self._goals.weight_source)
        if row.start > self._end + 1 or group.status == EMPTY:  # nobody owns anything any more
            self._state = None
            self._start(self._replay.strategies)
        self._end = row.end
        if group.problem is None:
            for name in strategies:
                yield self._row(row, group, name)
            return
        self._start([name for name in self._replay.strategies if name not in strategies])
        state = GroupState.of(group.problem, resolve_balance(self._goals, group.problem))
        is_new = self._state is None or state.causes != self._state.causes
        self._state = state
        steps = {
            name: self._step(name, state, is_new)
            for name in dict.fromkeys(map(_same_target, strategies))
        }
        trial = self._trial(state, is_new)
        for name in strategies:
            key = _same_target(name)
            trail, (first, asked, changes) = self._trails[key], steps[key]
            columns: dict[str, Any] = {"first": first, "rebalanced": asked}
            if trail.failure is None:
                target = trail.owner(state)
                columns |= trial.loads(target) | state.measures(target)
                columns |= {"moves": changes.moves, "takeovers": changes.takeovers}
                columns["stopped"] = _stops(changes, is_eager(name, row)) if asked else 0
            yield self._row(row, trail.failure or group, name, **columns)
        state.ways.clear()

    def _step(self, name: str, state: GroupState, is_new: bool) -> tuple[bool, bool, Changes]:
        """Whether a strategy starts here, is asked, and what its answer changes.

        At first it is asked with all that members claim; where it has no answer everything stays.
        `current` has the assignment now, which may come of a rebalance that nothing else shows.
        """
        trail = self._trails[name]
        first, asked = trail.first, is_new or not (trail.answer or trail.failure)
        if name == CURRENT:
            target = state.classes.kept
            owner = target if first else trail.owner(state)
            asked = asked or not np.array_equal(owner, target)
            changes = trail.settle(state, owner, target)
            return first, asked, changes if asked else NONE
        if not asked:
            return first, asked, NONE
        owner = trail.owner(state)
        problem = state.problem if first else replace(state.ownerless, owner=owner)
        strategy = strategy_named(name)
        try:
            answer = self._limit.spend(lambda: strategy.assign(problem, state.goals))
        except Exception as error:
            trail.failure = failure_of(error)
            return first, asked, NONE
        return first, asked, trail.settle(state, owner, answer.target)

    def _trial(self, state: GroupState, is_new: bool) -> Trial:
        """The group without what is owned, for its bounds; the optimum has the least load."""
        trial, optimum = Trial(state.ownerless, self._limit, state.goals), self._trails.get(OPTIMAL)
        if is_new:
            by_count = not (state.goals.min_gain or state.goals.by_weight)
            if optimum and optimum.answer and not optimum.failure and by_count:
                self._least_max = int(member_loads(state.problem, optimum.owner(state)).max())
            else:
                self._least_max = trial.least_max
        trial.least_max = self._least_max
        return trial

    def _row(self, row: RowInTime, group: FleetGroup, strategy: str, **result: Any) -> StepRow:
        seconds = self._replay.timeline.known_seconds(row.cluster, row.start, row.end)
        of_time = {name: getattr(row, name) for name in ("snapshot", "start", "end")}
        columns = plan_columns(row, group, strategy) | {"kind": kind_of(row.type)} | of_time
        return StepRow(**columns, seconds=round(seconds), **result)


def _same_target(strategy: str) -> str:
    """The strategy whose target this one's always is: they share a trail."""
    return strategy if strategy == CURRENT else strategy_named(strategy).target_of or strategy


def _stops(changes: Changes, eager: bool | None) -> int | None:
    if eager is None and changes.keepable:
        return None
    return changes.keepable if eager else changes.lost


def is_eager(strategy: str, row: EncodedRow) -> bool | None:
    """Whether all that members own stops in a rebalance under this strategy.

    Under `current`, by what the row of a group says of its own protocol: the coordinator's
    (KIP-848) never does, with any assignor. None where that isn't known.
    """
    if strategy == CURRENT and row.type != CONSUMER and not is_kafkas(row):
        return None
    return strategy_named(own_strategy(row) if strategy == CURRENT else strategy).eager
