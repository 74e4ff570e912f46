"""By which strategy a group goes on that uses its own."""

from optimizer.strategies import STRATEGIES, by_kafka_name
from spark.fleet import CONNECT, CONSUMER
from spark.groups.encoded_row import EncodedRow

SERVER_ASSIGNORS = by_kafka_name(CONSUMER)
CONNECT_PROTOCOLS = by_kafka_name(CONNECT)

DEFAULT_STRATEGY = "range"
"""What consumers use that say nothing of it (partition.assignment.strategy)."""


def own_strategy(row: EncodedRow) -> str:
    """The strategy that a group's row states; where it states none, what consumers use then."""
    return strategy_of(row.type, row.group_strategy)


def strategy_of(group_type: str | None, kafkas_name: str | None) -> str:
    """The same of a group of this type, by what Kafka calls its strategy."""
    name = kafkas_name or ""
    if group_type == CONSUMER:
        return SERVER_ASSIGNORS.get(name, "uniform")
    if group_type == CONNECT:
        return CONNECT_PROTOCOLS.get(name, "connect-cooperative")
    return name if name in STRATEGIES else DEFAULT_STRATEGY
