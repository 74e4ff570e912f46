"""Plan all groups of a batch at once in which everybody reads everything."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from optimizer.checker import check_homogeneous
from optimizer.model import NOBODY, IntArray
from optimizer.solver import solve_homogeneous
from spark.alike_rows import AlikeRows, read_alike
from spark.solved_row import Cells, actions

NO_RACKS = (None, None, None, None, None, None, b"")
"""Cells of spark.solved_row.PROOF_SCHEMA: no reads, the default goals, and no proof is needed."""


def plan_alike(rows: Sequence[Any], strategy: str) -> dict[tuple[str, str], Cells]:
    """The planned rows of those that can be planned so, by cluster and group.

    They are what they would be one at a time, and come from a few operations on long arrays in
    place of a hundred on short ones for each group. A group whose proof doesn't hold is left out.
    """
    started = time.perf_counter()
    read = read_alike(rows)
    if read is None:
        return {}
    target = solve_homogeneous(read.groups)
    seconds = (time.perf_counter() - started) / len(read.rows)
    return {
        (row.cluster, row.group): (*_said_of(row, strategy), *measures, seconds, *plan)
        for row, measures, plan in zip(
            read.rows, _measures(read, target), _plans(read, target), strict=True
        )
        if measures
    }


def _said_of(row: Any, strategy: str) -> Cells:
    status = "inferred" if row.inferred else "ok"
    return row.cluster, row.group, status, None, strategy, len(row.member_ids)


def _measures(read: AlikeRows, target: IntArray) -> Iterator[Cells | None]:
    """Measures and proofs of each group; None for one whose optimum isn't proven."""
    found = check_homogeneous(read.groups, target)
    proven = found.proven.tolist()
    for group, measures in enumerate(zip(*(column.tolist() for column in found[:-1]), strict=True)):
        yield (*measures, 0, True, True) if proven[group] else None


def _plans(read: AlikeRows, target: IntArray) -> Iterator[Cells]:
    """The cells of spark.solved_row.PLAN_SCHEMA of each group."""
    groups = read.groups
    first_member = groups.member_offsets[groups.of_partition]
    previous = np.where(groups.owner == NOBODY, NOBODY, groups.owner - first_member)
    columns = (read.topic, read.number, target - first_member, previous)
    arrays = [column.astype(np.int32) for column in columns]
    arrays.append(actions(groups.owner >= 0, groups.owner, target).astype(np.int8))
    loads = np.bincount(groups.owner + 1, minlength=groups.member_offsets[-1] + 1)[1:]
    first = groups.member_offsets[:-1]
    found = (
        np.maximum.reduceat(loads, first).tolist(),
        np.minimum.reduceat(loads, first).tolist(),
        np.add.reduceat(loads * loads, first).tolist(),
    )
    ends = groups.partition_offsets.tolist()
    for group, (row, start, end) in enumerate(zip(read.rows, ends, ends[1:], strict=False)):
        yield (
            *NO_RACKS,
            *(of_group[group] for of_group in found),
            *(row.member_ids, row.topics),
            *(array[start:end] for array in arrays),
        )
