"""Topic ids: the coordinator's assignors know topics by them (KIP-516)."""

import numpy as np

from optimizer.model import IntArray, Problem, StrategyError
from optimizer.strategies.kafka import (
    Uuid,
    capacity_of_copy,
    derived_uuid,
    in_hash_order,
    parse_uuid,
    string_hash,
    utf16,
)


def topic_ids(problem: Problem) -> list[Uuid]:
    """The id of each topic; one that isn't given is derived from the name.

    Raises StrategyError for a text that is no id.
    """
    inputs = problem.kafka.topic_ids or [None] * len(problem.topics)
    return [_id_of(*pair) for pair in zip(problem.topics, inputs, strict=True)]


def _id_of(name: str, text: str | None) -> Uuid:
    if text is None:
        return derived_uuid(name)
    try:
        return parse_uuid(text)
    except ValueError as error:
        raise StrategyError(f"topic {name!r}: {error}") from error


def subscribed_order(problem: Problem, ids: list[Uuid], subscription: int) -> IntArray:
    """Topics of a subscription as the coordinator's HashSet of topic ids iterates them.

    It is a copy of a view on a HashSet of the names (TopicIds), in whose order they come in.
    `ids` are those of all topics.
    """
    topics = problem.subscriptions[subscription].tolist()
    lacking = problem.kafka.vanished[subscription] if problem.kafka.vanished else ()
    capacity = capacity_of_copy(len(topics) + len(lacking))
    by_name = in_hash_order(
        topics,
        lambda t: string_hash(problem.topics[t]),
        lambda t: utf16(problem.topics[t]),
        capacity,
    )
    by_id = in_hash_order(by_name, lambda t: ids[t].hash_code(), ids.__getitem__, capacity)
    return np.array(by_id, np.int64)
