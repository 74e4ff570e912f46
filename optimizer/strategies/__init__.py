"""The strategies: one file each, and one line each here."""

from optimizer.solve import solve
from optimizer.strategies.answer import Strategy
from optimizer.strategies.range import assign_ranges
from optimizer.strategies.roundrobin import assign_round_robin

STRATEGIES: dict[str, Strategy] = {
    "optimal": solve,
    "range": assign_ranges,
    "roundrobin": assign_round_robin,
}


def strategy(name: str) -> Strategy:
    """The strategy of that name; ValueError names those that exist."""
    if name not in STRATEGIES:
        raise ValueError(f"unknown strategy {name!r}: choose one of {', '.join(STRATEGIES)}")
    return STRATEGIES[name]
