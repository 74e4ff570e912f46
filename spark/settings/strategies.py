"""Which strategies can be named, and for which kinds of groups they are."""

from __future__ import annotations

from collections.abc import Sequence

from optimizer import CONNECT_STRATEGIES, STRATEGIES, STRATEGY_NAMES
from spark.errors import InputError
from spark.fleet import CONNECT, CONSUMER

CURRENT = "current"
"""In a comparison: the assignment as found."""

STRATEGY_SECONDS = 60.0
"""Seconds of processor time that a strategy has for one group, where nothing else is said."""

COMPARED = (CURRENT, *STRATEGY_NAMES)
"""All that a comparison can have."""

_OF_KIND = {CONSUMER: (CURRENT, *STRATEGIES), CONNECT: (CURRENT, *CONNECT_STRATEGIES)}


def kind_of(group_type: str | None) -> str:
    """CONNECT for groups of Connect workers, by the column `type` of groups; else CONSUMER."""
    return CONNECT if group_type == CONNECT else CONSUMER


def of_kind(strategies: Sequence[str], kind: str) -> list[str]:
    """Those that groups of that kind can use, Connect's workers others than consumers."""
    return [name for name in strategies if name in _OF_KIND[kind]]


def check_strategies(strategies: Sequence[str]) -> list[str]:
    """The strategies to compare, each once, all if none is named; InputError for an unknown one."""
    chosen = list(dict.fromkeys(name.strip() for name in strategies)) or list(COMPARED)
    unknown = [name for name in chosen if name not in COMPARED]
    if unknown:
        raise InputError(f"unknown strategy {unknown[0]!r}: choose from {', '.join(COMPARED)}")
    return chosen
