"""What a partition can cost a member beside a move, 0 or 1, by the bare facts: an entry a level."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from optimizer.checker.racks import RackFacts, rack_facts_of
from optimizer.model import Goals, Problem


class Cost(NamedTuple):
    """The level's facts, None where a group has none, and how a sentence calls less of it.

    The flags of the level's own name in the facts tell what costs; others only go along.
    """

    rack_facts: Callable[[Problem, Goals], RackFacts | None]
    better: str
    doubt: str


COSTS: dict[str, Cost] = {
    "racks": Cost(
        lambda problem, goals: rack_facts_of(problem, goals.rack),
        better="fewer reads across racks",
        doubt="that it needs this many reads across racks",
    ),
}


def rack_facts(problem: Problem, goals: Goals) -> list[RackFacts]:
    """The facts of all levels that the goals and the group have."""
    result = [COSTS[level].rack_facts(problem, goals) for level in goals.order if level in COSTS]
    return [facts for facts in result if facts is not None]
