"""Levels of the goals: what each counts, where it is examined, and what people read of it.

The solver finds what is best at a level, and the checker proves it, each by its own arithmetic
(`optimizer.solver.network` and `kinds`, `optimizer.checker.levels` and `facts`).
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from optimizer.model.arrays import IntArray
from optimizer.model.hosts import hosts_of, max_host_load
from optimizer.model.measures import may_spread, member_loads, rack_table_of, spread_of
from optimizer.model.problem import Problem

HOSTS, CELLS = "hosts", "cells"
"""Nodes that count their partitions; a cell is a topic at a member."""


class TwoPlans(NamedTuple):
    """Two assignments of a group, one as it is `now` and one as it is `planned`.

    `rack`, `levels` and `ranking` are those of its `Goals`.
    """

    problem: Problem
    rack: str | None
    levels: Sequence[str]
    ranking: Sequence[str]
    now: IntArray
    planned: IntArray


class Level(NamedTuple):
    """A level of the goals below balance, at which as little as possible is to be paid.

    A partition costs a member 0 or 1. Or each partition more costs more: then it is Σ (number of
    partitions)² `over` all nodes of a sort, as balance is over members.

    `better` is how a sentence calls what is better at it, and `doubt` what a certificate may not
    prove. `column` of verdicts tells whether nothing is better; None: certificates alone do.
    `fitting` is what fits better if more moves are allowed. It is sought where the goals have a
    value for `setting`, or always, if that is None; and examined in groups for which it
    `is_examined`, which hears whether the goals name it. `suits_weights` tells whether plans by
    weight have it. `gain` counts partitions that a plan puts right (`Goals.min_gain`).
    `improvement` is a sentence on how a plan is better, where the goals name the level.
    """

    better: str
    doubt: str
    column: str | None = None
    fitting: str | None = None
    setting: str | None = None
    over: str | None = None
    suits_weights: bool = True
    is_examined: Callable[[Problem, bool], bool] = lambda problem, is_named: True
    gain: Callable[[TwoPlans], float] = lambda plans: 0.0
    improvement: Callable[[TwoPlans], str | None] = lambda plans: None


def _remote_reads(plans: TwoPlans) -> list[int]:
    table = rack_table_of(plans.problem, plans.rack)
    return [table.reads(target).remote if table else 0 for target in (plans.now, plans.planned)]


def _fewer_reads(plans: TwoPlans) -> float:
    before, after = _remote_reads(plans)
    return max(before - after, 0)


def _of_reads(plans: TwoPlans) -> str | None:
    before, after = _remote_reads(plans)
    return f"Reads across racks go from {before:,} to {after:,}" if after < before else None


def _right_on_hosts(plans: TwoPlans) -> float:
    if (hosts := hosts_of(plans.problem)) is None:
        return 0.0
    return put_right(hosts.of_target(plans.now), hosts.of_target(plans.planned), hosts.total)


def _of_hosts(plans: TwoPlans) -> str | None:
    loads = (member_loads(plans.problem, target) for target in (plans.now, plans.planned))
    before, after = (max_host_load(plans.problem, of_members) or 0 for of_members in loads)
    if "hosts" not in plans.levels or after >= before:
        return None
    return f"The fullest host goes from {before:,} to {after:,} partitions"


def _right_in_topics(plans: TwoPlans) -> float:
    ends, members = plans.problem.topic_offsets.tolist(), len(plans.problem.member_ids)
    topics = map(slice, ends, ends[1:])
    return sum(put_right(plans.now[topic], plans.planned[topic], members) for topic in topics)


def _of_topics(plans: TwoPlans) -> str | None:
    problem, ranking = plans.problem, plans.ranking
    if ranking.index("spread") > ranking.index("moves"):
        return None
    is_better = spread_of(problem, plans.planned) < spread_of(problem, plans.now)
    return "Topics are spread over more members" if is_better else None


BALANCE = Level("more balanced", "that nothing is more balanced", "balance_optimal")

LEVELS = {
    "racks": Level(
        "fewer reads across racks",
        "that it needs this many reads across racks",
        "racks_optimal",
        "racks",
        setting="rack",
        gain=_fewer_reads,
        improvement=_of_reads,
    ),
    "moves": Level("fewer moves", "that it needs this many moves", "moves_optimal"),
    "hosts": Level(
        "partitions spread more evenly over hosts",
        "that partitions can't be spread more evenly over hosts",
        "hosts_optimal",
        "hosts",
        over=HOSTS,
        suits_weights=False,
        is_examined=lambda problem, _: hosts_of(problem) is not None,
        gain=_right_on_hosts,
        improvement=_of_hosts,
    ),
    "spread": Level(
        "topics spread more evenly",
        "that topics can't be spread more evenly",
        "spread_optimal",
        "topics",
        over=CELLS,
        suits_weights=False,
        is_examined=may_spread,
        gain=_right_in_topics,
        improvement=_of_topics,
    ),
}
"""The levels below coverage and balance, in the order that is usual."""

PROVEN = tuple(level.column for level in (BALANCE, *LEVELS.values()) if level.column)
"""The columns of verdicts, plans and their checks that tell of each level whether it is optimal."""


def host_level(levels: Iterable[str]) -> str | None:
    """The level among some that counts partitions of hosts, if there is one."""
    return _level_over(HOSTS, levels)


def cell_level(levels: Iterable[str]) -> str | None:
    """The level among some that counts partitions of cells, if there is one."""
    return _level_over(CELLS, levels)


def _level_over(nodes: str, levels: Iterable[str]) -> str | None:
    return next((name for name in levels if name in LEVELS and LEVELS[name].over == nodes), None)


def put_right(now: IntArray, planned: IntArray, nodes: int) -> float:
    """Half of the differences of what nodes have when both are sorted by it."""
    before, after = (
        np.sort(np.bincount(target[target >= 0], minlength=nodes)) for target in (now, planned)
    )
    return float(np.abs(before - after).sum()) / 2
