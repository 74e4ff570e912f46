"""What a strategy's answer means for the group: by names, and in numbers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from optimizer.measures import Measures
from optimizer.problem import NOBODY, IntArray, Problem
from optimizer.strategies.answer import Answer

Assignment = dict[str, list[tuple[str, int]]]


@dataclass(frozen=True)
class Plan:
    """A group's assignment by names; every member has a key, partitions are sorted.

    `first_round` is what the first rebalance hands out (only `cooperative-sticky` makes it differ
    from `assignment`); `notes` tell what was ignored or settled in the input.
    A `Group` can't say who left: in a group that owns something, a partition that no member owns
    counts as left behind, so as taken over; in one that owns nothing all is new.
    """

    strategy: str
    assignment: Assignment
    first_round: Assignment
    loads: dict[str, int]
    sum_squares: int
    moves: int
    takeovers: int
    notes: list[str]


def measure(problem: Problem, target: IntArray) -> Measures:
    """Count what an assignment does; `target` has a member index or NOBODY for each partition."""
    assigned = target != NOBODY
    loads = member_loads(problem, target)
    changed = assigned & (target != problem.owner)
    moves = int(np.count_nonzero(changed & problem.keepable))
    owned_before = int(np.count_nonzero(changed & (problem.owner != NOBODY)))
    return Measures(
        partitions=int(np.count_nonzero(problem.class_of >= 0)),
        max_load=int(loads.max(initial=0)),
        min_load=int(loads.min()) if len(loads) else 0,
        sum_squares=int(loads @ loads),
        moves=moves,
        takeovers=owned_before - moves,
    )


def member_loads(problem: Problem, target: IntArray) -> IntArray:
    """Number of partitions of each member."""
    return np.bincount(target[target != NOBODY], minlength=len(problem.member_ids))


def plan_of(strategy: str, problem: Problem, answer: Answer, notes: Sequence[str]) -> Plan:
    """Turn an answer's indexes into names."""
    measures = measure(problem, answer.target)
    unowned = np.count_nonzero((problem.owner == NOBODY) & (answer.target != NOBODY))
    left_behind = int(unowned) if np.any(problem.owner != NOBODY) else 0
    assignment = _by_member(problem, answer.target)
    return Plan(
        strategy=strategy,
        assignment=assignment,
        first_round=(
            assignment
            if answer.first_round is answer.target
            else _by_member(problem, answer.first_round)
        ),
        loads={member: len(partitions) for member, partitions in assignment.items()},
        sum_squares=measures.sum_squares,
        moves=measures.moves,
        takeovers=measures.takeovers + left_behind,
        notes=list(notes),
    )


def _by_member(problem: Problem, target: IntArray) -> Assignment:
    order = np.argsort(target, kind="stable")
    order = order[np.searchsorted(target[order], 0) :]
    topic = problem.topic_of[order]
    names = np.array(problem.topics, object)[topic].tolist()
    numbers = (order - problem.topic_offsets[topic]).tolist()
    pairs = list(zip(names, numbers, strict=True))
    ends = np.cumsum(member_loads(problem, target)).tolist()
    return {
        member: pairs[start:end]
        for member, start, end in zip(problem.member_ids, [0, *ends], ends, strict=False)
    }
