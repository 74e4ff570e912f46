"""Kafka's RoundRobinAssignor: one partition after the other, round the members."""

from functools import cache

import numpy as np

from optimizer.model import NOBODY, Answer, Problem, at_once, classes_of
from optimizer.strategies.kafka import member_info_order, string_ranks


def assign_round_robin(problem: Problem) -> Answer:
    """Go round the members with all partitions (org.apache.kafka…RoundRobinAssignor).

    Members stand in MemberInfo order, topics in the order of their names; a member that isn't
    subscribed to the partition's topic is skipped, and the round goes on from topic to topic.
    """
    circle = member_info_order(problem)
    place = np.argsort(circle)
    classes = classes_of(problem)
    positions_of = cache(lambda c: np.sort(place[classes.members_of(c)]))
    target = np.full(problem.partition_count, NOBODY)
    at = 0
    topics = np.argsort(string_ranks(problem.topics))
    for t, c in zip(topics.tolist(), classes.of_topic[topics].tolist(), strict=True):
        if c < 0:
            continue
        positions = positions_of(c)
        start, end = problem.topic_offsets[t : t + 2]
        turns = (np.searchsorted(positions, at) + np.arange(end - start)) % len(positions)
        target[start:end] = circle[positions[turns]]
        if len(turns):
            at = (int(positions[turns[-1]]) + 1) % len(circle)
    return at_once(target)
