"""What stops in a rebalance: everything, or what changes hands."""

from __future__ import annotations

from typing import Any

from optimizer.strategies import STRATEGIES, by_kafka_name, strategy_named
from spark.fleet import CONNECT, CONSUMER
from spark.settings import CURRENT

CONNECT_PROTOCOLS = by_kafka_name(CONNECT)


def is_eager(strategy: str, row: Any) -> bool | None:
    """Whether all that members own stops in a rebalance under this strategy.

    Under `current`, by what the row of a group says of its own protocol: the coordinator's
    (KIP-848) never does, whatever its assignor is called. None where that isn't known.
    """
    if strategy != CURRENT:
        return strategy_named(strategy).eager
    if row.type == CONSUMER:
        return False
    name = row.group_strategy
    if row.type == CONNECT:
        name = CONNECT_PROTOCOLS.get(name)
        return strategy_named(name).eager if name else None
    known = STRATEGIES.get(name)
    return known.eager if known else None
