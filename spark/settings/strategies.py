"""Strategies that can be named, and the kinds of groups that they are for."""

from collections.abc import Sequence

from optimizer import (
    CONNECT_STRATEGIES,
    OPTIMAL,
    STRATEGIES,
    STRATEGY_NAMES,
    strategy_named,
)
from spark.errors import InputError
from spark.fleet import CONNECT, CONSUMER

CURRENT = "current"
"""In a comparison: the current assignment."""

STRATEGY_SECONDS = 60.0
"""Seconds of processor time that a strategy has for one group by default."""


COMPARED = (CURRENT, *STRATEGY_NAMES)
"""All that a comparison can have, but a team's own."""

USUAL_STRATEGIES = (CURRENT, "range", "cooperative-sticky", "uniform", OPTIMAL)
"""Strategies that most consumers can be set to use, beside the current and the best one."""

_OF_KIND = {CONSUMER: (CURRENT, *STRATEGIES), CONNECT: (CURRENT, *CONNECT_STRATEGIES)}


def kind_of(group_type: str | None) -> str:
    """CONNECT for groups of Connect workers, by the column `type` of groups; else CONSUMER."""
    return CONNECT if group_type == CONNECT else CONSUMER


def for_kind(strategies: Sequence[str], kind: str) -> list[str]:
    """Strategies that groups of that kind can use, Connect's workers others than consumers."""
    others = {CURRENT, *STRATEGY_NAMES}.difference(_OF_KIND[kind])
    return [name for name in strategies if name not in others]


def check_strategies(strategies: Sequence[str]) -> list[str]:
    """The strategies to compare, each once, all if none is named.

    InputError for an unknown one, and for one that can't be loaded.
    """
    names = list(dict.fromkeys(name.strip() for name in strategies)) or list(COMPARED)
    for name in names:
        if name != CURRENT:
            check_strategy(name, [CURRENT])
    return names


def check_strategy(name: str, others: Sequence[str] = ()) -> None:
    """Raise InputError unless a plan can be made by it; `others` may be named where it is asked."""
    try:
        strategy_named(name, others)
    except ValueError as error:
        raise InputError(str(error)) from None
