"""The strategies: one file or folder each, and one entry each here."""

from __future__ import annotations

from optimizer.strategies.connect import assign_connect_cooperative, assign_connect_eager
from optimizer.strategies.optimal import assign_optimally
from optimizer.strategies.own import installed, is_own, own_strategy
from optimizer.strategies.range import assign_ranges, assign_server_range
from optimizer.strategies.roundrobin import assign_round_robin
from optimizer.strategies.sticky import assign_cooperative_sticky, assign_sticky
from optimizer.strategies.strategy import Strategy
from optimizer.strategies.uniform import assign_uniform, assign_uniform_4_0

__all__ = [
    "CONNECT_STRATEGIES",
    "OPTIMAL",
    "STRATEGIES",
    "STRATEGY_NAMES",
    "Strategy",
    "installed",
    "is_strategy",
    "strategy_named",
]

OPTIMAL = "optimal"
"""The strategy that is proven to be the best."""

STRATEGIES: dict[str, Strategy] = {
    OPTIMAL: Strategy(assign_optimally, has_goals=True),
    "range": Strategy(assign_ranges, rack_aware=True, eager=True),
    "roundrobin": Strategy(assign_round_robin, eager=True),
    "sticky": Strategy(
        assign_sticky,
        rack_aware=True,
        eager=True,
        target_of="cooperative-sticky",
        may_give_to_strangers=True,
    ),
    "cooperative-sticky": Strategy(
        assign_cooperative_sticky, rack_aware=True, may_give_to_strangers=True
    ),
    "uniform": Strategy(assign_uniform),
    "uniform-4.0": Strategy(assign_uniform_4_0),
    "server-range": Strategy(assign_server_range),
}

"""What consumers and their coordinator can use, and the optimum."""

CONNECT_STRATEGIES: dict[str, Strategy] = {
    OPTIMAL: STRATEGIES[OPTIMAL],
    "connect-eager": Strategy(assign_connect_eager, eager=True),
    "connect-cooperative": Strategy(assign_connect_cooperative),
}
"""What groups of Kafka Connect's workers can use, and the optimum."""

_ALL = STRATEGIES | CONNECT_STRATEGIES

STRATEGY_NAMES = tuple(_ALL)


def is_strategy(name: str) -> bool:
    """Whether a strategy may have that name; a team's own is loaded when it is asked for."""
    return name in _ALL or is_own(name)


def strategy_named(name: str) -> Strategy:
    """The strategy of that name, for whatever groups; ValueError names those that exist.

    `package:function`, or the name of an entry point, is a team's own.
    """
    if name in _ALL:
        return _ALL[name]
    if is_own(name):
        return own_strategy(name)
    names = ", ".join((*STRATEGY_NAMES, *installed()))
    raise ValueError(f"unknown strategy {name!r}: choose one of {names}, or package:function")
