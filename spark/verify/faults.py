"""Check one group's plan against its snapshot, in code that knows nothing of the solver."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
import pandas as pd

from optimizer.checker import Verdict, check_assignment, measure_assignment
from optimizer.model import (
    LEVELS,
    NOBODY,
    PROVEN,
    Goals,
    IntArray,
    Problem,
    TimeLimitError,
    classes_of,
    measure,
)
from optimizer.strategies import OPTIMAL, STRATEGIES
from spark.groups import EncodedRow, FleetGroup, Names, Numbers, read_or_failed
from spark.settings import STRATEGY_SECONDS, goals_from_text
from spark.solve import ACTIONS, actions, limited_to

MEASURES = (
    *("partitions", "max_load", "min_load", "sum_squares", "moves", "takeovers"),
    *("balance_optimal", "moves_optimal"),
)


def faults_of_group(row: RowWithPlan) -> list[str]:
    """Sentences on what is wrong with a group's plan; `row` has the encoded group and its plan."""
    try:
        return list(_faults_of_group(row))
    except Exception as error:
        return [f"its plan can't be checked: {type(error).__name__}: {error}"]


def _faults_of_group(row: RowWithPlan) -> Iterator[str]:
    if row.topics is None:
        yield "the snapshot has no such group"
        return
    if row.plan_count == 0:
        yield "the plan has no row for this group"
        return
    if row.plan_count > 1:
        yield f"the plan has {row.plan_count} rows for this group"
        return
    group = read_or_failed(row, _weight_source(row))
    may_have_failed = row.status == "failed" and group.problem is not None
    if group.status == "failed" != row.status:
        yield f"its plan can't be checked: {group.reason}"
    elif row.status != group.status and not may_have_failed:
        yield f"its status is {group.status}, the plan says {row.status}"
    elif group.problem is None or row.status == "failed":
        yield from _faults_without_plan(row)
    else:
        yield from _faults_of_plan(row, group, group.problem)


def _weight_source(row: RowWithPlan) -> str | None:
    """Where weights come from, by the plan's goals; None too where they can't be read."""
    try:
        return goals_from_text(row.goals).weight_source
    except ValueError:
        return None


def _faults_without_plan(row: RowWithPlan) -> Iterator[str]:
    if len(row.plan_topics):
        yield f"the plan assigns {len(row.plan_topics)} partitions of a group that is {row.status}"
    filled = [
        name
        for name in (*MEASURES, "spread", "spread_optimal", "max_host_load", "hosts_optimal")
        if not pd.isna(getattr(row, name))
    ]
    if filled:
        yield f"the plan states {', '.join(filled)} of a group that is {row.status}"


def _faults_of_plan(row: RowWithPlan, group: FleetGroup, problem: Problem) -> Iterator[str]:
    placed = list(_in_problem(row, problem))
    lost = [claim for claim, index in placed if index is None]
    if lost:
        name = "{}-{}".format(*lost[0])
        yield f"{name} is in the plan and not in the snapshot ({len(lost)} such)"
        return
    partition = np.array([index for _, index in placed], np.int64)
    most, times = next(iter(Counter(partition.tolist()).most_common(1)), (0, 1))
    if times > 1:
        yield f"{problem.partition_name(most)} is in the plan {times} times"
        return
    number = {name: index for index, name in enumerate(group.names)}
    target = _indexes(row.plan_members, partition, number, problem)
    previous = _indexes(row.plan_previous, partition, number, problem)
    if (target >= len(problem.member_ids)).any() or (target < NOBODY).any():
        stranger = int(np.flatnonzero((target >= len(problem.member_ids)) | (target < NOBODY))[0])
        yield f"{problem.partition_name(stranger)} goes to a member that the group doesn't have"
        return
    yield from _faults_of_columns(row, group, problem, partition, target, previous)
    try:
        goals = goals_from_text(row.goals)
    except ValueError as error:
        yield f"its goals can't be read: {error}"
        return
    certificate = None if row.certificate is None else bytes(row.certificate)
    # Hosts and spread are examined where the plan says something of them: older plans don't know
    # hosts, and what is too large for spread may change.
    silent = [
        name
        for name, level in LEVELS.items()
        if level.over and pd.isna(getattr(row, level.column or "status"))
    ]
    levels = [level for level in goals.order if level not in silent]

    def check_plan() -> Verdict:
        verdict = check_assignment(problem, target, certificate, goals, levels)
        if silent and verdict.certificate_fault:  # it may prove more than the plan says
            whole = check_assignment(problem, target, certificate, goals, goals.order)
            return verdict if whole.certificate_fault else whole
        return verdict

    try:
        verdict = limited_to(STRATEGY_SECONDS, check_plan)
    except TimeLimitError:
        if any(not pd.isna(getattr(row, name)) for name in PROVEN):
            yield (
                "its optimality can't be checked: the certificate doesn't prove it, and a "
                f"search takes longer than {STRATEGY_SECONDS:g} seconds"
            )
        measured = measure_assignment(problem, target, goals)
        yield from _faults_of_measures(row, problem, target, measured)
        return
    yield from _faults_of_measures(row, problem, target, verdict)
    yield from _faults_of_optimality(row, verdict, goals)
    yield from faults_of_weights(row, verdict)


def _faults_of_columns(
    row: RowWithPlan,
    group: FleetGroup,
    problem: Problem,
    partition: IntArray,
    target: IntArray,
    previous: IntArray,
) -> Iterator[str]:
    wrong = partition[previous[partition] != group.previous[partition]]
    if len(wrong):
        yield f"{problem.partition_name(int(wrong[0]))} has another previous member in the snapshot"
    classes = classes_of(problem)
    right = actions(classes.keepable, group.previous, target)
    absent = np.setdiff1d(np.flatnonzero((right >= 0) | (classes.of_partition >= 0)), partition)
    if len(absent):
        yield f"{problem.partition_name(int(absent[0]))} is not in the plan ({len(absent)} such)"
    planned = np.array([_action(name) for name in row.plan_actions], np.int64)
    wrong = np.flatnonzero(right[partition] != planned)
    if len(wrong):
        at = int(wrong[0])
        action = right[partition[at]]
        is_now = f"is {ACTIONS[action]!r}" if action >= 0 else "needs no action"
        named = problem.partition_name(int(partition[at]))
        yield f"{named} is called {row.plan_actions[at]!r} and {is_now}"


def _faults_of_measures(
    row: RowWithPlan, problem: Problem, target: IntArray, verdict: Verdict
) -> Iterator[str]:
    measures = verdict.measures or measure(problem, target)
    right = {"members": len(problem.member_ids), **measures._asdict()}
    if verdict.reads:
        right |= {"local_reads": verdict.reads.local, "remote_reads": verdict.reads.remote}
    for name in ("spread", "max_host_load"):  # older plans lack these columns
        if pd.isna(getattr(row, name)):
            del right[name]
    for name, value in right.items():
        if getattr(row, name) != value:
            yield f"{name} is {value}, the plan says {_number(getattr(row, name))}"


def _faults_of_optimality(row: RowWithPlan, verdict: Verdict, goals: Goals) -> Iterator[str]:
    if verdict.faults:
        strategy = STRATEGIES.get(row.strategy)
        if strategy is None or not strategy.may_give_to_strangers:
            yield from verdict.faults
        elif row.balance_optimal or row.moves_optimal:
            yield f"it is called optimal and isn't sound: {verdict.faults[0]}"
        return
    budget = goals.budget(row.partitions)
    limited = any(goals.limits)  # which may take more moves than the budget
    if row.strategy == OPTIMAL and budget is not None and row.moves > budget and not limited:
        yield f"it moves {row.moves} partitions, and its goals allow {budget}"
    stands = goals.min_gain > 0 and row.moves == 0  # what isn't worth its moves isn't proposed
    if verdict.certificate_fault and verdict.certificate is not None and not verdict.weight:
        yield f"the plan is optimal, but not by its certificate: {verdict.certificate_fault}"
    for name in PROVEN:
        claimed, proven = getattr(row, name), getattr(verdict, name)
        if not pd.isna(claimed) and claimed != (proven or False):
            yield f"{name} is {proven or False}, the plan says {claimed} ({verdict.witness})"
        elif row.strategy == OPTIMAL and proven is False and not stands:
            yield f"the plan isn't optimal: {verdict.witness}"


def _in_problem(row: RowWithPlan, problem: Problem) -> Iterator[tuple[tuple[str, int], int | None]]:
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


def _number(value: Any) -> str:
    """pandas has whole numbers as floats where some are missing."""
    return "nothing" if pd.isna(value) else f"{value:.0f}"


def _action(name: str) -> int:
    return ACTIONS.index(name) if name in ACTIONS else -1


NUMBERS = ("max_weight", "weight_bound", "weight_gap", "weights_known")

EXACT = 1e-9
"""Numbers that differ by less, as a share, are the same: all come of whole numbers."""


def faults_of_weights(row: RowWithPlan, verdict: Verdict) -> Iterator[str]:
    """Sentences; a bound that isn't shown is one of them."""
    weight = verdict.weight
    if weight is None:
        filled = [name for name in (*NUMBERS, "bound_kind", "moves_bound") if _is_there(row, name)]
        if filled and not verdict.faults:
            yield f"the plan states {', '.join(filled)} of a group that isn't balanced by weight"
        return
    if weight.fault:
        yield f"its bound of loads by weight isn't shown: {weight.fault}"
    for name in NUMBERS:
        right = getattr(weight, name)
        if not _is_there(row, name) or abs(getattr(row, name) - right) > EXACT * max(right, 1.0):
            yield f"{name} is {right:.6g}, the plan says {_text_of(row, name)}"
    if row.bound_kind != weight.bound_kind:
        yield f"bound_kind is {weight.bound_kind}, the plan says {row.bound_kind}"
    if not _is_there(row, "moves_bound") or row.moves_bound != weight.moves_bound:
        yield f"moves_bound is {weight.moves_bound}, the plan says {_text_of(row, 'moves_bound')}"


def _is_there(row: RowWithPlan, name: str) -> bool:
    return not pd.isna(getattr(row, name))


def _text_of(row: RowWithPlan, name: str) -> str:
    return f"{getattr(row, name):.6g}" if _is_there(row, name) else "nothing"


class RowWithPlan(EncodedRow, Protocol):
    """An encoded group, its row of the plan, and its partitions there.

    `topics` is None where the snapshot lacks the group. Facts and measures are those of
    `spark.solve.SolvedRow`, as the plan states them; null where it doesn't.
    """

    plan_count: int
    """Rows that the plan has for the group."""
    status: str
    strategy: str
    goals: str | None
    partitions: Any
    moves: Any
    balance_optimal: Any
    moves_optimal: Any
    certificate: bytes | None
    bound_kind: str | None
    moves_bound: Any

    # one entry for each partition of the plan
    plan_topics: Names
    plan_partitions: Numbers
    plan_members: Names
    plan_previous: Names
    plan_actions: Names
