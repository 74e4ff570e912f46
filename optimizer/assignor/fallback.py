"""An assignment for a group that no plan fits."""

from __future__ import annotations

import logging

from .group import Assignment, JoiningGroup
from .kafka_python import own_sticky
from .source import within

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
        return within(STICKY_WITHIN, lambda: _sticky(group))
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
    """Topic by topic: its readers take turns, the least loaded first."""
    taken: Assignment = {member.member_id: [] for member in group.members}
    for topic, count in group.topics.items():
        readers = [member.member_id for member in group.members if topic in member.topics]
        readers.sort(key=lambda reader: (len(taken[reader]), reader))
        for partition in range(count):
            taken[readers[partition % len(readers)]].append((topic, partition))
    return taken
