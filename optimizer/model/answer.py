"""Answers of strategies, and the errors that stand for one."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from optimizer.model.arrays import IntArray
from optimizer.model.group import Group, Member
from optimizer.model.problem import Problem


class Answer(NamedTuple):
    """Two assignments: member index of each partition, or NOBODY.

    `first_round` is what the first rebalance hands out; it differs from `target` for strategies of
    the cooperative protocols (KIP-429, KIP-415), which leave what changes hands out of it.
    `reason` says why the optimum isn't proposed, if it isn't. `rival` is an assignment that shows
    why the largest load can't be lower within the moves that the goals allow: one with the lowest
    load below it, or if there is none the balanced one. From it the check makes its own proof.
    `certificate` shows how good a plan by weight is (`optimizer.checker.weighted`).
    """

    target: IntArray
    first_round: IntArray
    reason: str | None = None
    rival: IntArray | None = None
    certificate: bytes | None = None


class StrategyError(ValueError):
    """Kafka's own code throws on this group, or isn't for such a group; the message says why."""


class LimitsError(StrategyError):
    """A group's limits can't be met together; the message names the smallest set that clashes."""


class TimeLimitError(Exception):
    """A strategy used up its time for a group: raised inside of it, between two steps of Python.

    A solver that has a plan at hand returns that, within a second.
    """


def at_once(target: IntArray, reason: str | None = None, rival: IntArray | None = None) -> Answer:
    """The answer of a strategy that reaches its target in one rebalance."""
    return Answer(target, target, reason, rival)


class CostOverflowError(OverflowError):
    """The costs of a group don't fit 64 bits: there is no plan rather than a wrong one."""


def group_of(problem: Problem, owner: IntArray | None = None) -> Group:
    """The group that a problem is of, with all that is known of it; members as the leader has them.

    Topics of a subscription that the cluster lacks aren't in it, nor are claims on partitions that
    there aren't. Numbers that aren't known are None. With an `owner` of each partition, the index
    of a member or a negative number, members own that, and those topics are in it.
    """
    kafka, count = problem.kafka, len(problem.member_ids)
    absent: list[None] = [None] * count
    owned: list[list[tuple[str, int]]] = [[] for _ in range(count)]
    claimants, partitions = problem.claims
    if owner is not None:
        partitions = np.flatnonzero(owner >= 0)
        claimants = owner[partitions]
    topic = problem.topic_of[partitions]
    numbers = (partitions - problem.topic_offsets[topic]).tolist()
    for member, t, number in zip(claimants.tolist(), topic.tolist(), numbers, strict=True):
        owned[member].append((problem.topics[t], number))
    reads = [[problem.topics[t] for t in topics.tolist()] for topics in problem.subscriptions]
    if owner is not None and kafka.vanished:
        reads = [[*topics, *gone] for topics, gone in zip(reads, kafka.vanished, strict=True)]
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
            name: topic_id
            for name, topic_id in zip(problem.topics, ids, strict=True)
            if topic_id is not None
        },
    )


def _or_none(numbers: np.ndarray[Any, np.dtype[np.float64]]) -> list[float | None]:
    return [None if np.isnan(number) else number for number in numbers.tolist()]


def _by_topic(problem: Problem, column: Sequence[Any] | None) -> dict[str, Sequence[Any]]:
    if column is None:
        return {}
    ends = problem.topic_offsets.tolist()
    return {
        topic: column[start:end]
        for topic, start, end in zip(problem.topics, ends, ends[1:], strict=False)
    }
