"""From arrays back to names: a `Problem` becomes a `Group`."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from optimizer.model.group import Group, Member
from optimizer.model.problem import Problem


def group_of(problem: Problem) -> Group:
    """The group that a problem is of, with all that is known of it; members as the leader has them.

    Topics of a subscription that the cluster lacks aren't in it, nor are claims on partitions that
    there aren't. Numbers that aren't known are None.
    """
    kafka, count = problem.kafka, len(problem.member_ids)
    absent: list[None] = [None] * count
    owned: list[list[tuple[str, int]]] = [[] for _ in range(count)]
    claimants, partitions = problem.claims
    topic = problem.topic_of[partitions]
    numbers = (partitions - problem.topic_offsets[topic]).tolist()
    for member, t, number in zip(claimants.tolist(), topic.tolist(), numbers, strict=True):
        owned[member].append((problem.topics[t], number))
    reads = [[problem.topics[t] for t in topics.tolist()] for topics in problem.subscriptions]
    instances, clients = kafka.instance_ids or absent, kafka.client_ids or absent
    racks, hosts = problem.racks or absent, problem.hosts or absent
    capacities = absent if problem.capacities is None else _or_none(problem.capacities)
    generations = absent if kafka.generations is None else kafka.generations.tolist()
    order = range(count) if kafka.leader_order is None else kafka.leader_order.tolist()
    members = [
        Member(
            problem.member_ids[m],
            topics=reads[int(problem.member_subscription[m])],
            owned=owned[m],
            instance_id=instances[m],
            rack=racks[m],
            generation=None if generations[m] == -1 else generations[m],
            capacity=capacities[m],
            client_id=clients[m],
            host=hosts[m],
        )
        for m in order
    ]
    ids = kafka.topic_ids or [None] * len(problem.topics)
    return Group(
        topics=dict(zip(problem.topics, problem.topic_sizes.tolist(), strict=True)),
        members=members,
        weights=_by_topic(problem, None if problem.weights is None else _or_none(problem.weights)),
        leader_racks=_by_topic(problem, problem.leader_racks),
        replica_racks=_by_topic(problem, problem.replica_racks),
        topic_ids={
            name: item for name, item in zip(problem.topics, ids, strict=True) if item is not None
        },
    )


def _or_none(numbers: np.ndarray[Any, np.dtype[np.float64]]) -> list[float | None]:
    return [None if np.isnan(number) else number for number in numbers.tolist()]


def _by_topic(problem: Problem, values: Sequence[Any] | None) -> dict[str, Sequence[Any]]:
    if values is None:
        return {}
    ends = problem.topic_offsets.tolist()
    return {
        topic: values[start:end]
        for topic, start, end in zip(problem.topics, ends, ends[1:], strict=False)
    }
