"""A group at one instant, as a worker sees it, and what changed from one to another."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from optimizer.model import GONE, NOBODY, IntArray, Problem, classes_of, member_loads
from optimizer.solver import fewest_moves
from spark.groups import FleetGroup, read_or_failed
from spark.history.group_spans import RowInTime

NO_HANDS = {"changed_hands": 0, "moves": 0, "takeovers": 0}
"""Without a member before, or after, nothing changes hands."""


def changes_between(before: Moment, after: Moment) -> dict[str, Any]:
    """Columns of a `ChangeRow`; those of partitions are null unless both assignments are known."""
    members = _of_members(before, after)
    changes: dict[str, Any] = {
        **members,
        **_of_topics(before, after),
        "status_before": before.group.status,
        "type_before": before.row.type,
        "members_before": len(before.instances),
        "subscriptions_changed": _subscriptions_changed(before, after, members["returned"]),
    }
    if not (before.instances and after.instances):
        changes |= NO_HANDS
    elif before.problem is not None and after.problem is not None:
        changes |= _of_hands(before, after, after.problem)
    return changes | {"changed": _is_change(changes, before, after)}


def first_seen(after: Moment) -> dict[str, Any]:
    """Changes of a group that wasn't there before."""
    return _nothing() | {"changed": True, "came": [*after.instances]}


def last_seen(before: Moment) -> dict[str, Any]:
    """Changes of a group that isn't there any more."""
    return _nothing() | {
        "changed": True,
        "status_before": before.group.status,
        "type_before": before.row.type,
        "members_before": len(before.instances),
        "left": [*before.instances],
    }


def _nothing() -> dict[str, Any]:
    lists = ("came", "left", "returned", "topics_grew", "topics_came", "topics_went")
    counts = dict.fromkeys(("members_before", "subscriptions_changed"), 0)
    return {name: [] for name in lists} | counts | NO_HANDS


def _is_change(changes: Mapping[str, Any], before: Moment, after: Moment) -> bool:
    lists = ("came", "left", "topics_grew", "topics_came", "topics_went")
    counts = ("subscriptions_changed", "changed_hands")
    return (
        any(changes.get(name) for name in (*lists, *counts))
        or before.group.status != after.group.status
        or before.row.type != after.row.type
    )


def _of_members(before: Moment, after: Moment) -> dict[str, Any]:
    was, now = before.instances, after.instances
    earlier = set(filter(None, was.values()))
    came = sorted(now.keys() - was.keys())
    left = was.keys() - now.keys()
    return {
        "came": came,
        "left": sorted(left),
        "left_hosts": len(before.hosts_of(left)),
        "returned": [member for member in came if now[member] in earlier],
    }


def _of_topics(before: Moment, after: Moment) -> dict[str, list[str]]:
    """Where somebody is there before and after, what they read.

    A topic that has another id, or fewer partitions than before, was deleted and created again.
    """
    if not (before.instances and after.instances):
        return {"topics_grew": [], "topics_came": [], "topics_went": []}
    was, now = before.sizes, after.sizes
    both = was.keys() & now.keys()
    old_ids, new_ids = before.topic_ids, after.topic_ids
    mask = both & old_ids.keys() & new_ids.keys()
    remade = {topic for topic in both if now[topic] < was[topic]}
    remade |= {topic for topic in mask if old_ids[topic] != new_ids[topic]}
    return {
        "topics_grew": sorted(topic for topic in both - remade if now[topic] > was[topic]),
        "topics_came": sorted((now.keys() - was.keys()) | remade),
        "topics_went": sorted((was.keys() - now.keys()) | remade),
    }


def _subscriptions_changed(before: Moment, after: Moment, returned: list[str]) -> int:
    """Members that stayed, or returned, and read other topics."""
    was, now = before.topics_of, after.topics_of
    by_instance = {instance: member for member, instance in before.instances.items() if instance}
    same = {member: member for member in before.instances.keys() & after.instances.keys()}
    same |= {member: by_instance[after.instances[member] or ""] for member in returned}
    return sum(was.get(old) != now.get(new) for new, old in same.items())


def _of_hands(before: Moment, after: Moment, problem: Problem) -> dict[str, int | None]:
    """Counts of partitions that had an owner before, by what became of them."""
    old, new = _previous_owners(before, problem), after.group.previous
    number: dict[str, int] = {}
    was, now = _numbers_of(before, old, number), _numbers_of(after, new, number)
    changed = (was != NOBODY) & (now != NOBODY) & (was != now)
    members = after.who(problem.member_ids)
    then = replace(problem, owner=_among(members, before.who(before.group.names), old))
    hands, moves = np.count_nonzero(changed), np.count_nonzero(changed & classes_of(then).keepable)
    fewest = _fewest_moves(then, classes_of(problem).kept)
    return {
        "changed_hands": int(hands),
        "moves": int(moves),
        "takeovers": int(hands - moves),
        "fewest_moves": fewest,
        "avoidable_moves": None if fewest is None else int(moves) - fewest,
    }


def _fewest_moves(then: Problem, target: IntArray) -> int | None:
    """The fewest moves to an assignment of what `target` assigns, its loads within those of it.

    What `target` leaves unassigned, such as partitions whose claims cancel out, isn't assigned by
    the other either: an assignment of more would need moves that nobody could have avoided.
    """
    loads, is_assigned = member_loads(then, target), target != NOBODY
    if not is_assigned.any():
        return 0
    topic = np.arange(len(then.topics)).repeat(then.topic_sizes)[is_assigned]
    sizes = np.bincount(topic, minlength=len(then.topics))
    assigned = replace(
        then,
        topic_offsets=np.concatenate([[0], sizes.cumsum()]),
        owner=then.owner[is_assigned],
    )
    return fewest_moves(assigned, int(loads.min()), int(loads.max()))


def _previous_owners(before: Moment, problem: Problem) -> IntArray:
    """For each partition that there is now, the index of its owner's name before, or NOBODY."""
    assert before.problem is not None
    owner = np.full(problem.partition_count, NOBODY)
    topic_numbers = {topic: t for t, topic in enumerate(before.problem.topics)}
    starts, sizes = before.problem.topic_offsets, before.problem.topic_sizes
    for topic, start, size in zip(
        problem.topics, problem.topic_offsets.tolist(), problem.topic_sizes.tolist(), strict=False
    ):
        if (t := topic_numbers.get(topic)) is not None:
            same = min(size, int(sizes[t]))
            owner[start : start + same] = before.group.previous[starts[t] : starts[t] + same]
    return owner


def _numbers_of(moment: Moment, owner: IntArray, number: dict[str, int]) -> IntArray:
    """Owners by numbers that are the same for a member who returned by its instance id.

    `number` has those that are given, and takes in new ones.
    """
    numbers = [number.setdefault(who, len(number)) for who in moment.who(moment.group.names)]
    return np.array([*numbers, NOBODY])[owner]


def _among(members: Sequence[str], owners: Sequence[str], owner: IntArray) -> IntArray:
    """Owners, indexes into `owners`, as those of `members`; GONE where they aren't there."""
    index = {who: m for m, who in enumerate(members)}
    return np.array([*(index.get(who, GONE) for who in owners), NOBODY])[owner]


@dataclass(frozen=True)
class Moment:
    """A row of `spark.history.group_spans` that has been read."""

    row: RowInTime
    group: FleetGroup

    @staticmethod
    def of(row: RowInTime) -> Moment:
        return Moment(row, read_or_failed(row))

    @property
    def problem(self) -> Problem | None:
        """None where no assignment can be told: see the group's status."""
        return self.group.problem

    @cached_property
    def instances(self) -> dict[str, str | None]:
        """The members, and the instance id of each that has one."""
        return dict(zip(self.row.member_ids.tolist(), self.row.instance_ids.tolist(), strict=True))

    def hosts_of(self, members: Collection[str]) -> set[str]:
        """Where these members ran; one whose host isn't known, on a host of its own name."""
        hosts = zip(self.row.member_ids.tolist(), self.row.hosts.tolist(), strict=True)
        return {member if host is None else host for member, host in hosts if member in members}

    @cached_property
    def sizes(self) -> dict[str, int]:
        """The topics that somebody reads and that are there, and how many partitions each has."""
        sizes = zip(self.row.topics.tolist(), self.row.topic_sizes.tolist(), strict=True)
        return {topic: size for topic, size in sizes if size > 0}

    @cached_property
    def topic_ids(self) -> dict[str, str]:
        """The ids of these topics, as far as they are known."""
        ids = zip(self.row.topics.tolist(), self.row.topic_ids.tolist(), strict=True)
        return {topic: topic_id for topic, topic_id in ids if topic_id}

    def who(self, names: Sequence[str]) -> list[str]:
        """Identities of members and owners of these names from one instant to another.

        That is their instance id if they have one (KIP-345), and else their member id.
        """
        instances = map(self.instances.get, names)
        return [f"i{i}" if i else f"m{name}" for i, name in zip(instances, names, strict=True)]

    @cached_property
    def topics_of(self) -> dict[str, frozenset[str]]:
        """The topics that each member reads."""
        row, of_member = self.row, {member: set[str]() for member in self.instances}
        members = row.all_members[row.subscription_members].tolist()
        for member, topic in zip(members, row.topics[row.subscription_topics], strict=True):
            if member in of_member:
                of_member[member].add(topic)
        return {member: frozenset(topics) for member, topics in of_member.items()}

    def current_loads(self, least_max: int) -> dict[str, int]:
        """Figures of the current assignment; `least_max` is the optimum's highest load."""
        assert self.problem is not None
        loads = member_loads(self.problem, classes_of(self.problem).kept)
        return {
            "partitions": int(np.count_nonzero(classes_of(self.problem).of_partition >= 0)),
            "max_load": int(loads.max(initial=0)),
            "min_load": int(loads.min()),
            "sum_squares": int(loads @ loads),
            "excess": max(0, int(loads.max(initial=0)) - least_max),
            "idle": int(np.count_nonzero(loads == 0)),
        }
