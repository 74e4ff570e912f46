"""Do all members subscribe to the same topics? Kafka's two answers to that."""

import numpy as np
from numpy.typing import NDArray

from optimizer.model import IntArray, Problem, classes_of

_Key = tuple[bytes, frozenset[str]]

_EMPTY: _Key = (b"", frozenset())


def all_same(problem: Problem) -> bool:
    """The coordinator's answer (ModernGroup.subscriptionType): every topic has every member."""
    return len(problem.subscriptions) <= 1 or len(set(_keys(problem))) == 1


def all_same_for_sticky(problem: Problem, order: IntArray) -> bool:
    """AbstractStickyAssignor's answer, which asks the members in the HashMap `order`.

    It compares with the first subscription that isn't empty, and never asks the members before
    that one: their empty subscriptions count as equal.
    """
    if len(problem.subscriptions) <= 1:
        return True
    keys = _keys(problem)
    asked = [keys[subscription] for subscription in problem.member_subscription[order].tolist()]
    first = next((at for at, key in enumerate(asked) if key != _EMPTY), 0)
    return all(key == asked[first] for key in asked[first:])


def _keys(problem: Problem) -> list[_Key]:
    """What tells subscriptions apart: their topics, those that the cluster lacks included."""
    vanished = problem.kafka.vanished or [()] * len(problem.subscriptions)
    return [
        (np.sort(topics).tobytes(), frozenset(lacking))
        for topics, lacking in zip(problem.subscriptions, vanished, strict=True)
    ]


def subscribed(problem: Problem, members: IntArray, classes: IntArray) -> NDArray[np.bool_]:
    """Whether each member reads each class of topics."""
    pairs = classes_of(problem).keys
    return np.isin(classes * len(problem.member_ids) + members, pairs)
