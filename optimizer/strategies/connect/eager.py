"""Kafka Connect's eager assignment (protocol `default`)."""

import numpy as np

from optimizer.model import NOBODY, Answer, Problem, settled
from optimizer.strategies.connect.tasks import configured_connectors, configured_tasks
from optimizer.strategies.kafka import string_ranks


def assign_connect_eager(problem: Problem) -> Answer:
    """The answer of org.apache.kafka.connect.runtime.distributed.EagerAssignor.

    Workers stand in a circle by their ids. First each connector's own instance goes round, one a
    topic, and where that ends the tasks go on, whoever ran them before.
    """
    target = np.full(problem.partition_count, NOBODY)
    tasks = configured_tasks(problem)
    if len(tasks):
        circle = np.argsort(string_ranks(problem.member_ids))
        turns = configured_connectors(problem) + np.arange(len(tasks))
        target[tasks] = circle[turns % len(circle)]
    return settled(target)
