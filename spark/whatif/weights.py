"""Loads by weight before and after events."""

from __future__ import annotations

from collections.abc import Mapping

from optimizer.coordinator import Timeline
from optimizer.model import Goals, Group, IntArray, Problem, weights_of
from optimizer.strategies import OPTIMAL, strategy_named
from spark.solve import TimeLimit, max_weight, shown_bound


def alone(goals: Goals) -> Goals:
    """Of goals what a simulated leader goes by: the weight of partitions, not racks or limits."""
    if not goals.by_weight:
        return Goals()
    return Goals(balance="weight", tolerance=goals.tolerance, effort=goals.effort)


def capacities_of(*groups: Group) -> dict[str, float]:
    """The capacities that are stated, by member."""
    members = (member for group in groups for member in group.members)
    return {member.member_id: member.capacity for member in members if member.capacity is not None}


def at_end(problem: Problem, timeline: Timeline, capacities: Mapping[str, float]) -> float | None:
    """The largest load for a unit of capacity at the end of a run; None without weights.

    `problem` has the group as it is afterwards, `capacities` those of members by name.
    """
    if problem.weights is None:
        return None
    weights = weights_of(problem)
    each: list[float] = (weights.of_partition * weights.weight_unit).tolist()
    first: dict[str, int] = dict(zip(problem.topics, problem.topic_offsets.tolist(), strict=False))

    def load(parts: frozenset[int]) -> float:
        held = (timeline.partitions[part] for part in parts)
        return sum(each[first[topic] + number] for topic, number in sorted(held) if topic in first)

    loads = [load(parts) / capacities.get(name, 1.0) for name, parts in timeline.final.items()]
    return max(loads, default=0.0)


def of_target(when: str, problem: Problem, target: IntArray) -> dict[str, float | None]:
    """The largest load by weight of an assignment, under the name of its column."""
    return {f"max_weight_{when}": max_weight(problem, target)}


def bound(when: str, problem: Problem, goals: Goals, limit: TimeLimit) -> dict[str, float | None]:
    """What no assignment is below by weight, if goals ask for it and it is shown in time."""
    if not goals.by_weight:
        return {}
    optimum = strategy_named(OPTIMAL)
    try:
        shown = limit.spend(lambda: shown_bound(problem, goals, optimum.assign(problem, goals)))
    except Exception:
        return {}
    return {f"weight_bound_{when}": shown}
