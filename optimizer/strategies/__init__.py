"""The strategies: one file or folder each, and one entry each here."""

from collections.abc import Sequence

from optimizer.figures import did_you_mean
from optimizer.strategies.connect import assign_connect_cooperative, assign_connect_eager
from optimizer.strategies.defects import (
    DEFECTS,
    DIFFERENT,
    EQUAL,
    LARGE,
    RACKS,
    TOPICS,
    Defect,
    defects_of,
)
from optimizer.strategies.kafka import string_hash
from optimizer.strategies.optimal import assign_optimally
from optimizer.strategies.own import installed_strategies, is_own, own_strategy
from optimizer.strategies.range import assign_ranges, assign_server_range
from optimizer.strategies.roundrobin import assign_round_robin
from optimizer.strategies.sticky import assign_cooperative_sticky, assign_sticky
from optimizer.strategies.strategy import CLASSIC, CONNECT, CONSUMER, Strategy
from optimizer.strategies.uniform import assign_uniform, assign_uniform_4_0

OPTIMAL = "optimal"
"""The strategy that is proven to be the best."""

STRATEGIES: dict[str, Strategy] = {
    OPTIMAL: Strategy(assign_optimally, has_goals=True),
    "range": Strategy(
        assign_ranges,
        protocol=CLASSIC,
        kafka_names=("range",),
        java_class="RangeAssignor",
        rack_aware=True,
        eager=True,
    ),
    "roundrobin": Strategy(
        assign_round_robin,
        protocol=CLASSIC,
        kafka_names=("roundrobin",),
        java_class="RoundRobinAssignor",
        eager=True,
    ),
    "sticky": Strategy(
        assign_sticky,
        protocol=CLASSIC,
        kafka_names=("sticky",),
        java_class="StickyAssignor",
        rack_aware=True,
        eager=True,
        target_of="cooperative-sticky",
        may_give_to_strangers=True,
    ),
    "cooperative-sticky": Strategy(
        assign_cooperative_sticky,
        protocol=CLASSIC,
        kafka_names=("cooperative-sticky",),
        java_class="CooperativeStickyAssignor",
        rack_aware=True,
        may_give_to_strangers=True,
    ),
    "uniform": Strategy(assign_uniform, protocol=CONSUMER, kafka_names=("uniform",)),
    "uniform-4.0": Strategy(assign_uniform_4_0, protocol=CONSUMER, kafka_names=("uniform",)),
    "server-range": Strategy(assign_server_range, protocol=CONSUMER, kafka_names=("range",)),
}

"""Strategies for consumers and their coordinator, and the optimum."""

CONNECT_STRATEGIES: dict[str, Strategy] = {
    OPTIMAL: STRATEGIES[OPTIMAL],
    "connect-eager": Strategy(
        assign_connect_eager, protocol=CONNECT, kafka_names=("default",), eager=True
    ),
    "connect-cooperative": Strategy(
        assign_connect_cooperative, protocol=CONNECT, kafka_names=("compatible", "sessioned")
    ),
}
"""Strategies for groups of Kafka Connect's workers, and the optimum."""

_ALL = STRATEGIES | CONNECT_STRATEGIES

STRATEGY_NAMES = tuple(_ALL)

CLASSIC_ASSIGNORS = tuple(
    name for name, strategy in STRATEGIES.items() if strategy.protocol == CLASSIC
)
"""Assignors that members of the classic protocol offer (partition.assignment.strategy)."""


def is_of_broker(name: str | None) -> bool:
    """Whether it is a strategy by which the broker assigns (KIP-848)."""
    return name in STRATEGIES and STRATEGIES[name].protocol == CONSUMER


def by_kafka_name(protocol: str) -> dict[str, str]:
    """The strategies of a protocol's groups, by what Kafka calls them there; the newest of each."""
    names: dict[str, str] = {}
    for name, strategy in _ALL.items():
        if strategy.protocol == protocol:
            names |= {kafka: name for kafka in strategy.kafka_names if kafka not in names}
    return names


def is_strategy(name: str) -> bool:
    """Whether a strategy may have that name; a team's own is loaded when it is asked for."""
    return name in _ALL or is_own(name)


def strategy_named(name: str, others: Sequence[str] = ()) -> Strategy:
    """The strategy of that name, for groups of any type; ValueError names the nearest, or all.

    `package:function`, or the name of an entry point, is a team's own. `others` may be named too.
    """
    if name in _ALL:
        return _ALL[name]
    if is_own(name):
        return own_strategy(name)
    names = (*others, *STRATEGY_NAMES, *installed_strategies())
    every = f": choose one of {', '.join(names)}, or package:function"
    raise ValueError(f"unknown strategy {name!r}{did_you_mean(name, names) or every}")
