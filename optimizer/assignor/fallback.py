"""An assignment for a group that no plan fits."""

import logging
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from typing import Any

from .group import Assignment, JoiningGroup
from .kafka_python import own_sticky
from .source import run_with_timeout

try:
    from .. import Group, Member, assign  # noqa: TID252 - nobody else's `optimizer`
except ImportError:  # evenfleet_assignor, which stands alone, so that it needs no numpy
    assign = None  # type: ignore[assignment]

STICKY_WITHIN = 3.0
"""Seconds: the group waits, and Kafka's sticky strategy is quadratic in unlucky cases."""

log = logging.getLogger(__name__)


def without_plan(group: JoiningGroup) -> Assignment:
    """Kafka's sticky assignment of the group, or a plain one if that can't be had in time."""
    try:
        return run_with_timeout(STICKY_WITHIN, lambda: _sticky(group))
    except Exception as error:
        log.warning("no sticky assignment (%s): each partition goes to the least loaded", error)
        return _least_loaded(group)


def _sticky(group: JoiningGroup) -> Assignment:
    """Who reads nothing takes no part: Kafka's strategy can give partitions to such a member."""
    held: dict[str, list[tuple[str, int]]] = {member.member_id: [] for member in group.members}
    for (topic, partition), holders in group.holders.items():
        if len(holders) == 1 and partition < group.topics.get(topic, 0):
            held[next(iter(holders))].append((topic, partition))
    if assign is None:
        return own_sticky(group, held)
    members = [
        Member(member.member_id, sorted(member.topics), held[member.member_id])
        for member in group.members
        if member.topics
    ]
    return assign(Group(group.topics, members), "sticky").assignment


def _least_loaded(group: JoiningGroup) -> Assignment:
    return _dealt(
        {member.member_id: member.topics for member in group.members},
        {topic: range(count) for topic, count in group.topics.items()},
    )


def in_turns(cluster: Any, members: Iterable[Any]) -> Assignment:
    """A plain assignment of what kafka-python shows to a leader, also if other things are wrong.

    A member whose metadata can't be read, or that the cluster can't be asked for, gets nothing.
    """
    reads: dict[str, frozenset[str]] = {}
    for member in members:
        reads[member.member_id] = frozenset()
        with suppress(Exception):
            reads[member.member_id] = frozenset(member.metadata.topics)
    partitions: dict[str, Collection[int]] = {}
    for topic in sorted(frozenset[str]().union(*reads.values())):
        with suppress(Exception):
            partitions[topic] = sorted(cluster.partitions_for_topic(topic) or ())
    return _dealt(reads, partitions)


def _dealt(
    reads: Mapping[str, Collection[str]], partitions: Mapping[str, Collection[int]]
) -> Assignment:
    """Topic by topic: its readers take turns, the least loaded first."""
    taken: Assignment = {member: [] for member in reads}
    for topic, numbers in partitions.items():
        readers = [member for member, topics in reads.items() if topic in topics]
        readers.sort(key=lambda reader: (len(taken[reader]), reader))
        for at, partition in enumerate(numbers):
            taken[readers[at % len(readers)]].append((topic, partition))
    return taken
