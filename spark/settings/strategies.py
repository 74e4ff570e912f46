"""Which strategies can be named."""

from __future__ import annotations

from collections.abc import Sequence

from optimizer import STRATEGIES
from spark.errors import InputError

CURRENT = "current"
"""In a comparison: the assignment as found."""

STRATEGY_SECONDS = 60.0
"""Seconds of processor time that a strategy has for one group, where nothing else is said."""

COMPARED = (CURRENT, *STRATEGIES)
"""All that a comparison can have."""


def check_strategies(strategies: Sequence[str]) -> list[str]:
    """The strategies to compare, each once, all if none is named; InputError for an unknown one."""
    chosen = list(dict.fromkeys(name.strip() for name in strategies)) or list(COMPARED)
    unknown = [name for name in chosen if name not in COMPARED]
    if unknown:
        raise InputError(f"unknown strategy {unknown[0]!r}: choose from {', '.join(COMPARED)}")
    return chosen
