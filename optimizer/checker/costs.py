"""What a partition can cost a member beside a move, 0 or 1, by the bare facts: an entry a level."""

from __future__ import annotations

from collections.abc import Callable

from optimizer.checker.pair_facts import PairFacts
from optimizer.checker.racks import rack_facts_of
from optimizer.model import Goals, Problem

COSTS: dict[str, Callable[[Problem, Goals], PairFacts | None]] = {
    "racks": lambda problem, goals: rack_facts_of(problem, goals.rack),
}
"""The facts of each level, None where a group has none.

The flags of the level's own name in the facts tell what costs; others only go along.
"""


def cost_facts(problem: Problem, goals: Goals) -> list[PairFacts]:
    """The facts of all levels that the goals and the group have."""
    result = [COSTS[level](problem, goals) for level in goals.order if level in COSTS]
    return [facts for facts in result if facts is not None]
