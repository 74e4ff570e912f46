"""Plan all groups of a batch at once in which everybody reads everything."""

import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from optimizer.checker import Bounds, WeightVerdict, check_homogeneous, check_many_by_weight
from optimizer.model import NOBODY, Goals, IntArray, WeighedGroups, spread_is_looked_at
from optimizer.solver import solve_homogeneous, solve_many_by_weight
from spark.groups import (
    EncodedRow,
    HomogeneousRows,
    is_claimless,
    read_homogeneous,
    weighed_rows,
    with_like_members,
)
from spark.settings import goals_to_text
from spark.solve.solved_row import SolvedRow, actions
from spark.solve.weights import by_weight


def plan_homogeneous(rows: Sequence[EncodedRow], strategy: str) -> dict[tuple[str, str], SolvedRow]:
    """The planned rows of those that can be planned so, by cluster and group.

    They are what they would be one at a time, and come from a few operations on long arrays in
    place of a hundred on short ones for each group. A group whose proof doesn't hold is left out.
    The goals are the default ones, and no proof has to be kept for the closed form.
    """
    started = time.perf_counter()
    read = read_homogeneous(rows)
    if read is None:
        return {}
    target = solve_homogeneous(read.groups)
    seconds = (time.perf_counter() - started) / len(read.rows)
    return _solved_rows(read, strategy, target, seconds, _measures(read, target))


def plan_homogeneous_by_weight(
    rows: Sequence[EncodedRow], strategy: str, goals: Goals
) -> dict[tuple[str, str], SolvedRow]:
    """The same by weight, of groups that have these goals, and whose members are alike.

    Limits, a budget of moves and a least gain can't be among the goals. What has to be searched
    for any further is left out.
    """
    started = time.perf_counter()
    read = read_homogeneous(with_like_members(rows))
    if read is None:
        return {}
    weighed = weighed_rows(read, goals.weight)
    batch_result = solve_many_by_weight(weighed, goals)
    verdicts = check_many_by_weight(
        weighed,
        [row.topics.tolist() for row in read.rows],
        batch_result.target,
        Bounds(np.where(batch_result.solved, batch_result.level, 0), batch_result.shown),
        goals.tolerance,
    )
    seconds = (time.perf_counter() - started) / len(read.rows)
    measures = _measures_by_weight(read, weighed, batch_result.target, verdicts)
    return _solved_rows(
        read, strategy, batch_result.target, seconds, measures, goals_to_text(goals)
    )


def targets_by_weight(rows: Sequence[EncodedRow], goals: Goals) -> dict[tuple[str, str], IntArray]:
    """The same plans alone, the member of each partition, with nothing that judges them."""
    read = read_homogeneous(with_like_members(rows))
    if read is None:
        return {}
    groups, result = read.groups, solve_many_by_weight(weighed_rows(read, goals.weight), goals)
    target = result.target - groups.member_offsets[groups.of_partition]
    return {
        (row.cluster, row.group): target[start:end]
        for row, solved, (start, end) in zip(
            read.rows, result.solved.tolist(), pairwise(groups.partition_offsets), strict=True
        )
        if solved
    }


def _solved_rows(
    read: HomogeneousRows,
    strategy: str,
    target: IntArray,
    seconds: float,
    measures: Iterable[dict[str, Any] | None],
    goals: str | None = None,
) -> dict[tuple[str, str], SolvedRow]:
    """The rows of those groups that have measures."""
    return {
        (row.cluster, row.group): SolvedRow(
            cluster=row.cluster,
            group=row.group,
            status="inferred" if row.inferred else "ok",
            reason=None,
            strategy=strategy,
            members=len(row.member_ids),
            goals=goals,
            seconds=seconds,
            **of_group,
            **plan,
        )
        for row, of_group, plan in zip(read.rows, measures, _plans(read, target), strict=True)
        if of_group
    }


def _measures(read: HomogeneousRows, target: IntArray) -> Iterator[dict[str, Any] | None]:
    """Measures and proofs of each group; None for one whose optimum isn't proven."""
    homogeneous_measures = check_homogeneous(read.groups, target)
    columns = [column.tolist() for column in homogeneous_measures]
    spread_counts = spread_is_looked_at(read.groups).tolist()
    hosts_count = read.groups.are_on_hosts.tolist()
    for spread_counts_here, hosts_count_here, *values in zip(
        spread_counts, hosts_count, *columns, strict=True
    ):
        measures = dict(zip(homogeneous_measures._fields, values, strict=True))
        proven, spread_proven = measures.pop("proven"), measures.pop("spread_proven")
        proven &= measures.pop("hosts_proven") >= hosts_count_here
        of_proof = {
            "takeovers": 0,
            "balance_optimal": True,
            "moves_optimal": True,
            "certificate": b"",
            "hosts_optimal": True if hosts_count_here else None,
            "spread_optimal": True if spread_counts_here else None,
        }
        if not hosts_count_here:
            del measures["max_host_load"]
        yield measures | of_proof if proven and spread_proven >= spread_counts_here else None


def _measures_by_weight(
    read: HomogeneousRows,
    weighed: WeighedGroups,
    target: IntArray,
    verdicts: Iterable[WeightVerdict | None],
) -> Iterator[dict[str, Any] | None]:
    """Measures and bounds of each group; None for one that has no verdict."""
    result = check_homogeneous(read.groups, target)._asdict()
    for name in ("proven", "hosts_proven", "spread_proven"):
        del result[name]
    on_hosts = read.groups.are_on_hosts
    result["max_host_load"] = np.where(on_hosts, result["max_host_load"].astype(object), None)
    first = read.groups.member_offsets
    loads = np.bincount(read.groups.owner + 1, weighed.weight, first[-1] + 1)[1:]
    as_found = np.maximum.reduceat(loads, first[:-1]) * weighed.weight_unit / weighed.capacity
    columns = zip(*(column.tolist() for column in result.values()), strict=True)
    for values, highest, verdict in zip(columns, as_found.tolist(), verdicts, strict=True):
        if verdict is None:
            yield None
            continue
        yield dict(zip(result, values, strict=True)) | {
            "takeovers": 0,
            "balance_optimal": verdict.in_tolerance or None,
            "moves_optimal": (verdict.in_tolerance and verdict.moves <= verdict.moves_bound)
            or None,
            "certificate": verdict.certificate,
            "current_max_weight": highest,
            **by_weight(verdict),
        }


def _plans(read: HomogeneousRows, target: IntArray) -> Iterator[dict[str, Any]]:
    """How each group was found, and its plan as arrays."""
    groups = read.groups
    first_member = groups.member_offsets[groups.of_partition]
    previous = np.where(groups.owner == NOBODY, NOBODY, groups.owner - first_member)
    arrays: dict[str, IntArray] = {
        "topic": read.topic.astype(np.int32),
        "partition": read.number.astype(np.int32),
        "target": (target - first_member).astype(np.int32),
        "previous": previous.astype(np.int32),
        "action": actions(groups.owner >= 0, groups.owner, target).astype(np.int8),
    }
    loads = np.bincount(groups.owner + 1, minlength=groups.member_offsets[-1] + 1)[1:]
    first = groups.member_offsets[:-1]
    highest = np.maximum.reduceat(loads, first).tolist()
    lowest = np.minimum.reduceat(loads, first).tolist()
    on_hosts = np.maximum.reduceat(groups.host_loads(loads), first).tolist()
    are_on_hosts = groups.are_on_hosts.tolist()
    squares = np.add.reduceat(loads * loads, first).tolist()
    is_unread = (groups.owner == NOBODY).astype(np.int64)
    unread = np.add.reduceat(is_unread, groups.partition_offsets[:-1]).tolist()
    ends = groups.partition_offsets.tolist()
    for group, (row, start, end) in enumerate(zip(read.rows, ends, ends[1:], strict=False)):
        yield {
            "unread": None if is_claimless(row) else unread[group],
            "current_max_load": highest[group],
            "current_min_load": lowest[group],
            "current_sum_squares": squares[group],
            "current_max_host_load": on_hosts[group] if are_on_hosts[group] else None,
            "names": row.member_ids,
            "topics": row.topics,
            **{name: array[start:end] for name, array in arrays.items()},
        }
