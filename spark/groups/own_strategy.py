"""By which strategy a group goes on that uses its own."""

from __future__ import annotations

from optimizer.strategies import STRATEGIES, by_kafka_name
from spark.fleet import CONNECT, CONSUMER
from spark.groups.encoded_row import EncodedRow

SERVER_ASSIGNORS = by_kafka_name(CONSUMER)
CONNECT_PROTOCOLS = by_kafka_name(CONNECT)

DEFAULT_STRATEGY = "range"
"""What consumers use that say nothing of it (partition.assignment.strategy)."""


def own_strategy(row: EncodedRow) -> str:
    """The strategy that a group's row states; where it states none, what consumers use then."""
    values = row.group_strategy or ""
    if row.type == CONSUMER:
        return SERVER_ASSIGNORS.get(values, "uniform")
    if row.type == CONNECT:
        return CONNECT_PROTOCOLS.get(values, "connect-cooperative")
    return values if values in STRATEGIES else DEFAULT_STRATEGY
