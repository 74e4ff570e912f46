"""A member that closes for good."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from optimizer.model import Group
from optimizer.processes import Close, Step
from optimizer.scenarios.event import Event, check_text, member_index, without
from optimizer.scenarios.running import Running
from optimizer.settings import DEFAULT_LIMITS, Limits


@dataclass(frozen=True)
class Leave(Event):
    """A member closes, and doesn't come back.

    A dynamic one tells its group; a static one is missed when its session ends (KIP-345).
    """

    member: str

    names: ClassVar = ("leave",)

    def __post_init__(self) -> None:
        check_text("the member that leaves", self.member)

    def apply(self, group: Group, limits: Limits = DEFAULT_LIMITS) -> Group:
        return without(group, [member_index(group, self.member)])

    def steps(self, at: float, running: Running, after: Group) -> Iterator[Step]:
        yield Close(at, running.name(self.member))
