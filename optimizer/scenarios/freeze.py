"""A process that stands still and goes on."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from optimizer.model import Group
from optimizer.processes import Freeze as FreezeStep, Step
from optimizer.scenarios.running import Running
from optimizer.scenarios.timed_member import TimedMember
from optimizer.settings import DEFAULT_LIMITS, Limits


@dataclass(frozen=True)
class Freeze(TimedMember):
    """A member's process stands still for `seconds` and goes on: a full GC, a cgroup's limit.

    Its heartbeats stop too. If its session ends meanwhile, it comes back as a new member.
    """

    names: ClassVar = ("freeze",)
    whose: ClassVar = "the member that stands still"
    length: ClassVar = "a freeze"

    def apply(self, group: Group, limits: Limits = DEFAULT_LIMITS) -> Group:
        return self.silenced(group, self.seconds, limits.session, limits)

    def steps(self, at: float, running: Running, after: Group) -> Iterator[Step]:
        yield FreezeStep(at, running.name(self.member), self.seconds * 1000)
