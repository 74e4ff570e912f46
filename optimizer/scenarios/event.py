"""What all events have in common."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from numbers import Integral
from typing import Any, ClassVar, Self

from optimizer.model import Group, Member
from optimizer.processes import Step
from optimizer.scenarios.running import Running
from optimizer.settings import DEFAULT_LIMITS, Limits


class EventError(ValueError):
    """An event that makes no sense for any group."""


class NotApplicableError(EventError):
    """An event that this group can't have: a member, topic, host or rack that isn't there."""


class Event(ABC):
    """Something that happens to a group; a frozen object that its constructor has checked.

    `names` are those that it has as text, before the `=`.
    """

    names: ClassVar[tuple[str, ...]]

    @property
    def name(self) -> str:
        """What it is called as text."""
        return self.names[0]

    @property
    def value(self) -> str:
        """What follows its name and `=` as text: of an event with one field that field."""
        return str(getattr(self, fields(self)[0].name))  # type: ignore[arg-type]

    @classmethod
    def of_value(cls, name: str, value: str) -> Self:
        """The event of that name and text; EventError where it makes no sense."""
        return cls(value)  # type: ignore[call-arg]

    @abstractmethod
    def apply(self, group: Group, limits: Limits = DEFAULT_LIMITS) -> Group:
        """The group when it has happened, with all that its members still own.

        Raises NotApplicableError for a group that can't have it.
        """

    @abstractmethod
    def steps(self, at: float, running: Running, after: Group) -> Iterator[Step]:
        """What the members' processes do from then on (ms); `after` is what `apply` comes to."""

    def lasts(self, group: Group) -> float:
        """Seconds from its beginning until its last step."""
        return 0.0

    def as_stated(self, group: Group) -> Group:
        """The group with or without instance ids, where the event says which."""
        return group

    def to_text(self) -> str:
        """As `event_of` reads it: `crash-rack=eu-west-a`."""
        return f"{self.name}={self.value}"

    def to_table(self) -> dict[str, Any]:
        """As `event_of` reads it from TOML: the name under `event`, and what isn't the default."""
        table: dict[str, Any] = {"event": self.names[0]}
        for item in fields(self):  # type: ignore[arg-type]  # all events are dataclasses
            values = getattr(self, item.name)
            if values != item.default and values is not None:
                table[item.name] = list(values) if isinstance(values, tuple) else values
        return table

    def __str__(self) -> str:
        return self.to_text()


MOST_MEMBERS, MOST_PARTITIONS = 100_000, 1_000_000
"""Of a group and of a topic: what no cluster has, and what is still worked out in minutes."""


def check_count(what: str, number: object, least: int, most: int = 2**31 - 1) -> None:
    """Raise EventError unless it is a whole number from `least` to `most`."""
    if isinstance(number, bool) or not isinstance(number, Integral):
        raise EventError(f"{what} is {number!r}, which is not a whole number")
    if int(number) < least:
        why = "a negative number" if int(number) < 0 else f"less than {least}"
        raise EventError(f"{what} is {number}, {why}")
    if int(number) > most:
        raise EventError(f"{what} is {f'{number:.3g}'}, more than {most:,}")


def check_text(what: str, text: object) -> None:
    """Raise EventError unless it is a text that isn't empty."""
    if not isinstance(text, str) or not text:
        raise EventError(f"{what} is {text!r}, which is not a name")


def whole_number(what: str, text: str) -> int:
    """A whole number written out; EventError if it is none."""
    try:
        return int(text)
    except ValueError:
        raise EventError(f"{what} is {text!r:.40}, which is not a whole number") from None


def halves(name: str, value: str, form: str, example: str) -> tuple[str, str]:
    """What stands before and after the last colon; EventError with an example without one."""
    first, colon, second = value.rpartition(":")
    if not colon:
        raise EventError(f"{name}={value} is not {form}, such as {name}={example}")
    return first, second


def member_index(group: Group, name: str) -> int:
    """Where the member of that member id or instance id stands among the members of a group."""
    by_id = [place for place, member in enumerate(group.members) if member.member_id == name]
    result = by_id or [
        place for place, member in enumerate(group.members) if member.instance_id == name
    ]
    if not result:
        raise NotApplicableError(
            f"no member has the member id or instance id {name!r}{_member_names(group.members)}"
        )
    return result[0]


def _member_names(members: Sequence[Member]) -> str:
    items = ", ".join(member.instance_id or member.member_id for member in members[:3])
    return f" (there are {items}{' and others' if len(members) > 3 else ''})" if items else ""


def without(group: Group, member_indexes: Sequence[int]) -> Group:
    """The group without the members who stand there."""
    gone = set(member_indexes)
    stay = [member for place, member in enumerate(group.members) if place not in gone]
    return replace(group, members=stay)
