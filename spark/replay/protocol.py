"""What stops in a rebalance: everything, or what changes hands."""

from __future__ import annotations

from optimizer.strategies import STRATEGIES, by_kafka_name, strategy_named
from spark.fleet import CONNECT, CONSUMER
from spark.groups import EncodedRow
from spark.settings import CURRENT

CONNECT_PROTOCOLS = by_kafka_name(CONNECT)


def is_eager(strategy: str, row: EncodedRow) -> bool | None:
    """Whether all that members own stops in a rebalance under this strategy.

    Under `current`, by what the row of a group says of its own protocol: the coordinator's
    (KIP-848) never does, whatever its assignor is called. None where that isn't known.
    """
    if strategy != CURRENT:
        return strategy_named(strategy).eager
    if row.type == CONSUMER:
        return False
    name = row.group_strategy or ""
    if row.type == CONNECT:
        of_connect = CONNECT_PROTOCOLS.get(name)
        return strategy_named(of_connect).eager if of_connect else None
    entries = STRATEGIES.get(name)
    return entries.eager if entries else None
