"""The strategies: one file each, and one line each here."""

from optimizer.strategies.answer import Strategy
from optimizer.strategies.optimal import assign_optimally
from optimizer.strategies.range import assign_ranges
from optimizer.strategies.roundrobin import assign_round_robin
from optimizer.strategies.server_range import assign_server_range
from optimizer.strategies.sticky import assign_cooperative_sticky, assign_sticky
from optimizer.strategies.uniform import assign_uniform, assign_uniform_4_0

STRATEGIES: dict[str, Strategy] = {
    "optimal": assign_optimally,
    "range": assign_ranges,
    "roundrobin": assign_round_robin,
    "sticky": assign_sticky,
    "cooperative-sticky": assign_cooperative_sticky,
    "uniform": assign_uniform,
    "uniform-4.0": assign_uniform_4_0,
    "server-range": assign_server_range,
}

RACK_AWARE = frozenset({"range", "sticky", "cooperative-sticky"})
"""Kafka's strategies that look at racks of members and replicas (KIP-881)."""


def strategy(name: str) -> Strategy:
    """The strategy of that name; ValueError names those that exist."""
    if name not in STRATEGIES:
        raise ValueError(f"unknown strategy {name!r}: choose one of {', '.join(STRATEGIES)}")
    return STRATEGIES[name]
