"""The orders in which Kafka looks at members and partitions."""

import numpy as np

from optimizer.model import IntArray, Problem
from optimizer.strategies.kafka.hash_map import hash_order
from optimizer.strategies.kafka.java import string_hashes, utf16


def member_info_order(problem: Problem) -> IntArray:
    """Member indexes in the order of AbstractPartitionAssignor.MemberInfo.

    Static members first, by instance id; then dynamic ones, by member id. Strings compare as
    Java's do, by UTF-16 code units.
    """
    instances = problem.kafka.instance_ids or [None] * len(problem.member_ids)
    keys = [
        (0, utf16(instance)) if instance is not None else (1, utf16(member))
        for instance, member in zip(instances, problem.member_ids, strict=True)
    ]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)


def hash_map_order(problem: Problem) -> IntArray:
    """Member indexes as a HashMap of member ids iterates them.

    The leader (ConsumerCoordinator) and the coordinator (TargetAssignmentBuilder) put the members
    into a `new HashMap<>()` one after the other; where hashes collide, the leader's order shows.
    """
    if problem.kafka.leader_order is None:
        return filled(problem, np.arange(len(problem.member_ids)))
    return filled(problem, problem.kafka.leader_order)


def filled(problem: Problem, put: IntArray) -> IntArray:
    """The same for a HashMap that was filled with the members in the order `put`."""
    ids = [problem.member_ids[member] for member in put.tolist()]
    return put[hash_order(string_hashes(ids), lambda at: utf16(ids[at]))]


def partitions_of(problem: Problem, topics: IntArray) -> IntArray:
    """Partitions of the topics, topic after topic."""
    starts, ends = problem.topic_offsets[topics], problem.topic_offsets[topics + 1]
    counts = ends - starts
    shift: IntArray = np.repeat(starts - np.cumsum(counts) + counts, counts)
    return shift + np.arange(len(shift))
