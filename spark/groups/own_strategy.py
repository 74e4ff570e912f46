"""By which strategy a group goes on that uses its own."""

from dataclasses import replace

import numpy as np

from optimizer.model import NOBODY, IntArray, Problem, StrategyError, classes_of
from optimizer.strategies import STRATEGIES, by_kafka_name
from spark.fleet import CLASSIC, CONNECT, CONSUMER
from spark.groups.rows import EncodedRow

SERVER_ASSIGNORS = by_kafka_name(CONSUMER)
CONNECT_PROTOCOLS = by_kafka_name(CONNECT)

OF_TYPE = {
    CONSUMER: (SERVER_ASSIGNORS, "uniform"),
    CONNECT: (CONNECT_PROTOCOLS, "connect-cooperative"),
}
"""Strategies by Kafka's names for them, and what a group of the type uses that states none."""

OF_CONSUMERS = dict(zip(STRATEGIES, STRATEGIES, strict=True)), "range"
"""Strategies of classic groups (partition.assignment.strategy), and what they use by default."""


def own_strategy(row: EncodedRow) -> str:
    """The strategy that a group's row states; where it states none, what consumers use then."""
    return strategy_of(row.type, row.group_strategy)


def strategy_of(group_type: str | None, kafkas_name: str | None) -> str:
    """The strategy of a group of this type by Kafka's name for it, or else the usual one."""
    names, usual = OF_TYPE.get(group_type or "", OF_CONSUMERS)
    return names.get(kafkas_name or "", usual)


def is_kafkas(row: EncodedRow) -> bool:
    """Whether a group's row names a strategy of Kafka's."""
    return row.group_strategy in OF_TYPE.get(row.type or "", OF_CONSUMERS)[0]


BY_NAME = ("range", "roundrobin")
"""Kafka's assignors that look at members and topics alone: each has but one answer."""


def has_single_answer(row: EncodedRow) -> bool:
    """Whether Kafka's assignor of its strategy's name has one answer, which a Stable group shows.

    Racks of members are left to Range, which looks at more then.
    """
    is_classic = row.type in (None, CLASSIC) and row.group_strategy in BY_NAME
    return is_classic and row.state == "Stable" and not any(row.racks)


def is_another_clients(row: EncodedRow, problem: Problem) -> bool:
    """Whether a Stable group's assignment isn't what Kafka's assignor of its strategy's name gives.

    sarama, kafka-go and ruby-kafka have assignors of the same names that deal in other ways. Where
    a partition has no owner nothing is told: its topic has just grown. Of subscriptions that are
    inferred those count too that members show by what they own.
    """
    if not has_single_answer(row):
        return False
    kept = classes_of(problem).kept
    if (kept[classes_of(problem).of_partition >= 0] == NOBODY).any():
        return False
    possible = [problem, *([_as_owned(problem, kept)] if row.inferred else [])]
    answers = (STRATEGIES[str(row.group_strategy)].assign(each).target for each in possible)
    return not any(np.array_equal(target, kept) for target in answers)


def check_assignor(row: EncodedRow, problem: Problem) -> None:
    """Raise StrategyError where a group's own assignor isn't known, so that nothing is foretold."""
    if is_another_clients(row, problem):
        name = row.group_strategy
        raise StrategyError(
            f"its assignment isn't what Kafka's {name} gives: another client's assignor has that "
            "name, and what it would do isn't known"
        )


def _as_owned(problem: Problem, kept: IntArray) -> Problem:
    """A group whose members subscribe to just the topics that they own partitions of."""
    topics = [np.unique(problem.topic_of[kept == m]) for m in range(len(problem.member_ids))]
    return replace(problem, member_subscription=np.arange(len(topics)), subscriptions=topics)
