"""Plan all groups of a batch at once in which everybody reads everything."""

import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from optimizer.checker import check_homogeneous
from optimizer.model import NOBODY, IntArray, spread_is_looked_at
from optimizer.solver import solve_homogeneous
from spark.groups import EncodedRow, HomogeneousRows, is_claimless, read_homogeneous
from spark.solve.solved_row import SolvedRow, actions


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
    return {
        (row.cluster, row.group): SolvedRow(
            cluster=row.cluster,
            group=row.group,
            status="inferred" if row.inferred else "ok",
            reason=None,
            strategy=strategy,
            members=len(row.member_ids),
            seconds=seconds,
            **of_group,
            **plan,
        )
        for row, of_group, plan in zip(
            read.rows, _measures(read, target), _plans(read, target), strict=True
        )
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
