"""The tasks of all connectors, in Connect's order."""

import numpy as np

from optimizer.model import IntArray, Problem, StrategyError
from optimizer.strategies.kafka import all_same, partitions_of, string_ranks


def configured_tasks(problem: Problem) -> IntArray:
    """Tasks by connector, then by number (ConnectorTaskId.compareTo).

    A task that is run and whose connector nobody subscribes to is taken for deleted. Raises
    StrategyError where workers subscribe to different connectors, which Connect doesn't know.
    """
    if not all_same(problem):
        raise StrategyError(
            "the members subscribe to different topics: a Connect worker runs tasks of any "
            "connector, and its assignor serves Connect alone"
        )
    if not len(problem.member_ids):
        return np.empty(0, np.int64)
    connectors = problem.subscriptions[0]
    ranks = string_ranks(problem.topics)
    return partitions_of(problem, connectors[np.argsort(ranks[connectors])])


def configured_connectors(problem: Problem) -> int:
    """How many connectors there are, those without any task included."""
    vanished = problem.kafka.vanished or [()]
    return len(problem.subscriptions[0]) + len(set(vanished[0]))
