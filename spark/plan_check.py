"""Check one group's plan against its snapshot, in code that knows nothing of the solver."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
from optimizer.verify import check_assignment

from optimizer.plan import measure
from optimizer.problem import NOBODY, IntArray, Problem
from spark.group_row import FleetGroup, read_group
from spark.solve import ACTIONS, actions


def faults_of_group(row: Any) -> Iterator[str]:
    """Sentences on what is wrong with a group's plan; `row` has the encoded group and its plan."""
    if row.plan_count == 0:
        yield "the plan has no row for this group"
        return
    if row.plan_count > 1:
        yield f"the plan has {row.plan_count} rows for this group"
        return
    if row.topics is None:
        yield "the snapshot has no such group"
        return
    group = _read(row)
    if row.status == "failed":
        return
    if group.status != row.status:
        yield f"its status is {group.status}, the plan says {row.status}"
    elif group.problem is not None:
        yield from _faults_of_plan(row, group, group.problem)
    elif len(row.plan_topics):
        yield f"the plan assigns {len(row.plan_topics)} partitions of a group that is {row.status}"


def _read(row: Any) -> FleetGroup:
    try:
        return read_group(row)
    except Exception as error:
        return FleetGroup("failed", [f"{type(error).__name__}: {error}"])


def _faults_of_plan(row: Any, group: FleetGroup, problem: Problem) -> Iterator[str]:
    placed = list(_placed(row, problem))
    lost = [place for place, index in placed if index is None]
    if lost:
        yield f"{_place(lost[0])} is in the plan and not in the snapshot ({len(lost)} such)"
        return
    partition = np.array([index for _, index in placed], np.int64)
    twice = [index for index, times in Counter(partition.tolist()).items() if times > 1]
    if twice:
        yield f"{_named(problem, twice[0])} is in the plan {len(twice) + 1} times"
        return
    number = {name: index for index, name in enumerate(group.names)}
    target = _indexes(row.plan_members, partition, number, problem)
    previous = _indexes(row.plan_previous, partition, number, problem)
    if (target >= len(problem.member_ids)).any() or (target < NOBODY).any():
        stranger = int(np.flatnonzero((target >= len(problem.member_ids)) | (target < NOBODY))[0])
        yield f"{_named(problem, stranger)} goes to somebody who isn't a member"
        return
    yield from _faults_of_columns(row, group, problem, partition, target, previous)
    yield from _faults_of_optimality(row, problem, target)


def _faults_of_columns(
    row: Any,
    group: FleetGroup,
    problem: Problem,
    partition: IntArray,
    target: IntArray,
    previous: IntArray,
) -> Iterator[str]:
    wrong = np.flatnonzero(previous != group.previous)
    if len(wrong):
        yield f"{_named(problem, int(wrong[0]))} has another previous member in the snapshot"
        return
    right = actions(problem, group.previous, target)
    absent = np.setdiff1d(np.flatnonzero(right >= 0), partition)
    if len(absent):
        yield f"{_named(problem, int(absent[0]))} is not in the plan ({len(absent)} such)"
    stated = np.array([_action(name) for name in row.plan_actions], np.int64)
    wrong = np.flatnonzero(right[partition] != stated)
    if len(wrong):
        at = int(wrong[0])
        yield (
            f"{_named(problem, int(partition[at]))} is called {row.plan_actions[at]!r} and is "
            f"{ACTIONS[right[partition[at]]]!r}"
        )
    for name, value in measure(problem, target)._asdict().items():
        if getattr(row, name) != value:
            yield f"{name} is {value}, the plan says {getattr(row, name)}"
    if row.members != len(problem.member_ids):
        yield f"it has {len(problem.member_ids)} members, the plan says {row.members}"


def _faults_of_optimality(row: Any, problem: Problem, target: IntArray) -> Iterator[str]:
    verdict = check_assignment(problem, target)
    if row.strategy == "optimal":
        yield from verdict.faults
    if row.balance_optimal is True and not verdict.balance_optimal:
        yield f"the balance is called optimal and is not: {verdict.witness}"
    if row.moves_optimal is True and not verdict.moves_optimal:
        yield f"the moves are called the fewest and are not: {verdict.witness}"


def _placed(row: Any, problem: Problem) -> Iterator[tuple[tuple[str, int], int | None]]:
    """Each (topic, partition) of the plan with its index in the problem, None if it has none."""
    topics = {name: t for t, name in enumerate(problem.topics)}
    offsets = problem.topic_offsets.tolist()
    for topic, number in zip(row.plan_topics, row.plan_partitions.tolist(), strict=True):
        t = topics.get(topic, -1)
        exists = t >= 0 and 0 <= number < offsets[t + 1] - offsets[t]
        yield (topic, number), offsets[t] + number if exists else None


def _indexes(names: Any, partition: IntArray, number: dict[str, int], problem: Problem) -> IntArray:
    """Index of the named member for each partition of the problem; -2 for an unknown name."""
    index = np.full(problem.partition_count, NOBODY)
    index[partition] = [NOBODY if name is None else number.get(name, -2) for name in names]
    return index


def _action(name: str) -> int:
    return ACTIONS.index(name) if name in ACTIONS else -1


def _named(problem: Problem, partition: int) -> str:
    t = int(problem.topic_of[partition])
    return _place((problem.topics[t], partition - int(problem.topic_offsets[t])))


def _place(place: tuple[str, int]) -> str:
    return f"partition {place[1]} of topic {place[0]!r}"
