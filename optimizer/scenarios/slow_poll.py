"""An application that polls late."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from optimizer.model import Group
from optimizer.processes import Block, Step
from optimizer.scenarios.running import Running
from optimizer.scenarios.timed_member import TimedMember
from optimizer.settings import DEFAULT_LIMITS, Limits


@dataclass(frozen=True)
class SlowPoll(TimedMember):
    """A member's application doesn't poll for a number of seconds.

    If that is longer than its max.poll.interval.ms it leaves its group and comes back as a new one.
    """

    names: ClassVar = ("slow-poll",)
    whose: ClassVar = "the member that polls late"
    length: ClassVar = "a pause between polls"
    example: ClassVar = "10m"

    def apply(self, group: Group, limits: Limits = DEFAULT_LIMITS) -> Group:
        silent = self.seconds - limits.poll  # a static member's session begins when it is too late
        return self.silenced(group, silent, limits.poll, limits)

    def steps(self, at: float, running: Running, after: Group) -> Iterator[Step]:
        yield Block(at, running.name(self.member), self.seconds * 1000)
