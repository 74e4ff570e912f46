"""A group of a fleet by names, as `optimizer` takes it."""

from itertools import pairwise
from math import isnan
from typing import Any

import numpy as np

from optimizer.model import Group, IntArray, Member, Problem
from spark.groups.encoded_row import EncodedRow


def named_group(row: EncodedRow, problem: Problem, owner: IntArray) -> Group:
    """The group of an encoded row and of the problem read of it, in which `owner` owns what it has.

    `owner` has the index of a member for each partition, or a negative number. Members come in the
    order of their ids.
    """
    kafka = problem.kafka
    vanished = kafka.vanished or [()] * len(problem.subscriptions)
    topics = [
        [*(problem.topics[t] for t in subscription.tolist()), *gone]
        for subscription, gone in zip(problem.subscriptions, vanished, strict=True)
    ]
    count = len(problem.member_ids)
    owned = _owned(problem, owner)
    nothing: list[Any] = [None] * count
    instances, racks = kafka.instance_ids or nothing, problem.racks or nothing
    generations = nothing if kafka.generations is None else kafka.generations.tolist()
    capacities = nothing if problem.capacities is None else problem.capacities.tolist()
    members = [
        Member(
            member_id=problem.member_ids[at],
            topics=topics[subscription],
            owned=owned[at],
            instance_id=instances[at],
            rack=racks[at],
            generation=None if generations[at] in (None, -1) else generations[at],
            host=row.hosts[at],
            capacity=None if capacities[at] is None else _number(capacities[at]),
        )
        for at, subscription in enumerate(problem.member_subscription.tolist())
    ]
    return Group(
        topics=dict(zip(problem.topics, problem.topic_sizes.tolist(), strict=True)),
        members=members,
        leader_racks=_by_topic(problem, problem.leader_racks),
        replica_racks=_by_topic(problem, problem.replica_racks),
        topic_ids=_ids(problem),
        weights=_by_topic(problem, _weights(problem)),
    )


def _owned(problem: Problem, owner: IntArray) -> list[list[tuple[str, int]]]:
    """The partitions of each member."""
    order = np.argsort(owner, kind="stable")
    ends = np.searchsorted(owner[order], np.arange(len(problem.member_ids) + 1))
    order = order[ends[0] :]
    topic = problem.topic_of[order]
    names = [problem.topics[t] for t in topic.tolist()]
    numbers = (order - problem.topic_offsets[topic]).tolist()
    pairs = list(zip(names, numbers, strict=True))
    starts = (ends - ends[0]).tolist()
    return [pairs[a:b] for a, b in pairwise(starts)]


def _weights(problem: Problem) -> list[float | None] | None:
    return None if problem.weights is None else list(map(_number, problem.weights.tolist()))


def _number(number: float) -> float | None:
    """A weight or capacity; one that isn't known is no number."""
    return None if isnan(number) else number


def _by_topic(problem: Problem, values: Any) -> dict[str, list[Any]]:
    if not values:
        return {}
    offsets = problem.topic_offsets.tolist()
    return {
        topic: list(values[offsets[t] : offsets[t + 1]]) for t, topic in enumerate(problem.topics)
    }


def _ids(problem: Problem) -> dict[str, str]:
    ids = problem.kafka.topic_ids
    if not ids:
        return {}
    return {topic: id_ for topic, id_ in zip(problem.topics, ids, strict=True) if id_ is not None}
