"""Loads by weight before and after events."""

from collections.abc import Mapping

from optimizer.coordinator import Timeline
from optimizer.model import Goals, Group, Problem, weights_of


def alone(goals: Goals) -> Goals:
    """The goals that a simulated leader follows: the weight of partitions, not racks or limits."""
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
