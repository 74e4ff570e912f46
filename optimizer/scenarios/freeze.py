"""A process that stands still and goes on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from optimizer.model import Group
from optimizer.processes import Freeze as FreezeStep, Step
from optimizer.scenarios.event import member_index
from optimizer.scenarios.returning import restarted
from optimizer.scenarios.running import Running
from optimizer.scenarios.timed_member import TimedMember
from optimizer.settings import DEFAULT_LIMITS, Limits


@dataclass(frozen=True)
class Freeze(TimedMember):
    """A member's process stands still for so many seconds and goes on: a full GC, a cgroup's limit.

    Its heartbeats stop too. If its session ends meanwhile, it comes back as a new member.
    """

    names: ClassVar = ("freeze",)
    whose: ClassVar = "the member that stands still"
    length: ClassVar = "a freeze"

    def apply(self, group: Group, limits: Limits = DEFAULT_LIMITS) -> Group:
        place = member_index(group, self.member)
        if self.seconds <= limits.session:
            return group
        is_static = group.members[place].instance_id is not None
        return restarted(group, [place], self.seconds, is_static, limits)

    def steps(self, at: float, running: Running, after: Group) -> Iterator[Step]:
        yield FreezeStep(at, running.name(self.member), self.seconds * 1000)
