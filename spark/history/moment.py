"""A group at one instant, as a worker sees it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from optimizer.model import Problem, classes_of, member_loads
from spark.groups import FleetGroup, read_or_failed
from spark.history.encode import RowInTime


@dataclass(frozen=True)
class Moment:
    """A row of `spark.history.encode` that has been read."""

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
        return {item if host is None else host for item, host in hosts if item in members}

    @cached_property
    def sizes(self) -> dict[str, int]:
        """The topics that somebody reads and that are there, and how many partitions each has."""
        sizes = zip(self.row.topics.tolist(), self.row.topic_sizes.tolist(), strict=True)
        return {topic: size for topic, size in sizes if size > 0}

    @cached_property
    def topic_ids(self) -> dict[str, str]:
        """The ids of these topics, as far as they are known."""
        ids = zip(self.row.topics.tolist(), self.row.topic_ids.tolist(), strict=True)
        return {topic: item for topic, item in ids if item}

    def who(self, names: Sequence[str]) -> list[str]:
        """What members and owners of these names are known by from one instant to another.

        That is their instance id if they have one (KIP-345), and else their member id.
        """
        instances = map(self.instances.get, names)
        return [f"i{i}" if i else f"m{name}" for i, name in zip(instances, names, strict=True)]

    @cached_property
    def topics_of(self) -> dict[str, frozenset[str]]:
        """The topics that each member reads."""
        row, result = self.row, {member: set[str]() for member in self.instances}
        named = dict(zip(row.member_hashes.tolist(), row.member_ids.tolist(), strict=True))
        topic = np.array(row.topics).repeat(row.subscriber_counts)
        for hashed, item in zip(row.subscribers.tolist(), topic.tolist(), strict=True):
            if hashed in named:
                result[named[hashed]].add(item)
        return {member: frozenset(topics) for member, topics in result.items()}

    def current_loads(self, least_max: int) -> dict[str, int]:
        """What an assignment was found to be like; `least_max` is the optimum's highest load."""
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
