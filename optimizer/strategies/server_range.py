"""Kafka's RangeAssignor of the coordinator (KIP-848)."""

from optimizer.problem import Problem
from optimizer.strategies.answer import Answer, settled
from optimizer.strategies.range import contiguous_ranges


def assign_server_range(problem: Problem) -> Answer:
    """Contiguous ranges, topic by topic; neither racks nor owners are looked at (KAFKA-16944)."""
    return settled(contiguous_ranges(problem))
