"""Plan all groups of a batch at once in which everybody reads everything."""

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from optimizer.checker import check_homogeneous
from optimizer.model import HomogeneousGroups, IntArray, Problem, every_host_of, spread_is_looked_at
from optimizer.solver import solve_homogeneous
from spark.groups import MAX_ROWS, EncodedRow, FleetGroup, size_of
from spark.solve.solved_row import SolvedRow, plan_arrays, plan_columns

Read = Mapping[int, tuple[EncodedRow, FleetGroup]]
"""Encoded rows, and what was read of them."""


def is_homogeneous(group: FleetGroup) -> bool:
    """Whether everybody reads everything, and no claim is odd, which most groups of a fleet are."""
    problem = group.problem
    return (
        problem is not None
        and not group.remarks
        and len(group.names) == len(problem.member_ids)
        and len(problem.subscriptions) == 1
        and len(problem.subscriptions[0]) == len(problem.topics) > 0
        and int(problem.topic_sizes.min()) > 0
    )


def plan_homogeneous(read: Read, strategy: str) -> dict[int, SolvedRow]:
    """The planned rows of those that can be planned so.

    They are what they would be one at a time, and come from a few operations on long arrays in
    place of a hundred on short ones for each group. A group whose proof doesn't hold is left out.
    The goals are the default ones, and no proof has to be kept for the closed form.
    """
    started = time.perf_counter()
    problems = {
        at: group.problem
        for at, (row, group) in read.items()
        if group.problem and is_homogeneous(group) and size_of(row) <= MAX_ROWS
    }
    if not problems:
        return {}
    groups = _join([*problems.values()])
    target = solve_homogeneous(groups)
    seconds = (time.perf_counter() - started) / len(problems)
    starts = groups.partition_offsets.tolist()
    of_groups = zip(problems.items(), _measures(groups, target), strict=True)
    rows = {}
    for number, ((at, problem), measures) in enumerate(of_groups):
        if measures:
            row, group = read[at]
            own = target[starts[number] : starts[number + 1]] - groups.member_offsets[number]
            plan = plan_arrays(group, problem, own)
            columns = plan_columns(row, group, strategy)
            rows[at] = SolvedRow(**columns, **measures, **plan, seconds=seconds)
    return rows


def _join(problems: Sequence[Problem]) -> HomogeneousGroups:
    """One after the other."""
    members = _starts([len(problem.member_ids) for problem in problems])
    partitions = _starts([problem.partition_count for problem in problems])
    owners = [
        np.where(problem.owner < 0, problem.owner, problem.owner + first)
        for problem, first in zip(problems, members.tolist(), strict=False)
    ]
    topics = [
        problem.topic_offsets[:-1] + first
        for problem, first in zip(problems, partitions.tolist(), strict=False)
    ]
    first_of_topic = np.concatenate([*topics, partitions[-1:]])
    return HomogeneousGroups(
        members, partitions, np.concatenate(owners), first_of_topic, _hosts(problems)
    )


def _hosts(problems: Sequence[Problem]) -> IntArray | None:
    """The number of each member's host; None where no group has two members on one."""
    if not any(any(problem.hosts or ()) for problem in problems):
        return None
    hosts = [every_host_of(problem) for problem in problems]
    first = _starts([of.total for of in hosts]).tolist()
    numbers = [of.of_member + at for of, at in zip(hosts, first, strict=False)]
    return np.concatenate(numbers) if first[-1] < sum(map(len, numbers)) else None


def _starts(counts: Sequence[int]) -> IntArray:
    return np.cumsum([0, *counts])


def _measures(groups: HomogeneousGroups, target: IntArray) -> Iterator[dict[str, Any] | None]:
    """Measures and proofs of each group; None for one whose optimum isn't proven."""
    homogeneous_measures = check_homogeneous(groups, target)
    columns = [column.tolist() for column in homogeneous_measures]
    spread_counts = spread_is_looked_at(groups).tolist()
    hosts_count = groups.are_on_hosts.tolist()
    for spread_counts_here, hosts_count_here, *numbers in zip(
        spread_counts, hosts_count, *columns, strict=True
    ):
        measures = dict(zip(homogeneous_measures._fields, numbers, strict=True))
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
