"""What stops in a rebalance: everything, or what changes hands."""

from __future__ import annotations

from typing import Any

from optimizer.strategies import STRATEGIES, strategy_named
from spark.fleet import CONNECT, CONSUMER
from spark.settings import CURRENT

OF_CONNECT = {"default": True, "compatible": False, "sessioned": False}
"""Connect's protocols by name (KIP-415, KIP-507), and whether they are eager."""


def is_eager(strategy: str, row: Any) -> bool | None:
    """Whether all that members own stops in a rebalance under this strategy.

    Under `current`, by what the row of a group says of its own protocol: the coordinator's
    (KIP-848) never does, whatever its assignor is called. None where that isn't known.
    """
    if strategy != CURRENT:
        return strategy_named(strategy).eager
    if row.type == CONSUMER:
        return False
    if row.type == CONNECT:
        return OF_CONNECT.get(row.group_strategy)
    known = STRATEGIES.get(row.group_strategy)
    return known.eager if known else None
