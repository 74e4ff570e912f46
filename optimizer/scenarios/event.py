"""The base of all events, and a group as they go by."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, field, fields, replace
from functools import partial, reduce
from math import isfinite
from numbers import Integral
from typing import Any, ClassVar, NamedTuple, Self

from optimizer.figures import did_you_mean
from optimizer.model import Group
from optimizer.processes import Step
from optimizer.settings import DEFAULT_LIMITS, Parameters, Timeouts


class EventError(ValueError):
    """An event that makes no sense for any group."""


class NotApplicableError(EventError):
    """An event that this group can't have: a member, topic, host or rack that isn't there."""


class Kind(NamedTuple):
    """Kind of a field of an event: `what` describes it in words, which may name fields before it.

    `check` gives back what is kept of a value, `read` makes one of a text, and `text` that text.
    """

    what: str
    check: Callable[[str, Any], Any]
    read: Callable[[str, str], Any] = lambda _, text: text
    text: Callable[[Any], str] = str


def kind_of(part: Field[Any]) -> Kind:
    """The kind of an event's field."""
    kind: Kind = part.metadata["kind"]
    return kind


class Event(ABC):
    """Something that happens to a group; a frozen object that its constructor has checked.

    `names` are those that it has as text, before the `=`. There its fields without a default
    follow; where these are two, `form` says how they are written, with an example.
    """

    names: ClassVar[tuple[str, ...]]
    form: ClassVar[tuple[str, str]]

    def __post_init__(self) -> None:
        for part in _fields(self):
            value = getattr(self, part.name)
            if value is not None or part.default is MISSING:
                kind = kind_of(part)
                checked = kind.check(kind.what.format_map(vars(self)), value)
                object.__setattr__(self, part.name, checked)

    @property
    def name(self) -> str:
        """The event's name as text."""
        return self.names[0]

    @property
    def value(self) -> str:
        """The text behind the event's name and `=`."""
        written = (part for part in _fields(self) if part.default is MISSING)
        return ":".join(kind_of(part).text(getattr(self, part.name)) for part in written)

    @classmethod
    def of_value(cls, name: str, value: str) -> Self:
        """The event of that name and text; EventError where it makes no sense."""
        written = [part for part in _fields(cls) if part.default is MISSING]
        texts = [value]
        if len(written) > 1:
            first, colon, second = value.rpartition(":")
            if not colon:
                form, example = cls.form
                raise EventError(f"{name}={value} is not {form}, such as {name}={example}")
            texts = [first, second]
        read: dict[str, Any] = {}
        for part, text in zip(written, texts, strict=True):
            kind = kind_of(part)
            read[part.name] = kind.read(kind.what.format_map(read), text)
        return cls(**read)

    @abstractmethod
    def apply(self, group: Group, limits: Timeouts = DEFAULT_LIMITS) -> Group:
        """The group when it has happened, with all that its members still own.

        Raises NotApplicableError for a group that can't have it.
        """

    @abstractmethod
    def play(self, at: float, running: Running, after: Group) -> Iterator[Step]:
        """Steps of the twin from then on (ms); `after` is the group that `apply` returns."""

    def lasts(self, group: Group) -> float:
        """Seconds from its beginning until its last step."""
        return 0.0

    def as_stated(self, group: Group) -> Group:
        """The group with or without instance ids, where the event says which."""
        return group

    def to_text(self) -> str:
        """The text that `event_of` reads: `crash-rack=eu-west-a`."""
        return f"{self.name}={self.value}"

    __str__ = to_text


def event_field(what: str, check: Callable[[str, Any], Any], *how: Any, **default: Any) -> Any:
    """A field of an event, of that `Kind`."""
    return field(metadata={"kind": Kind(what, check, *how)}, **default)


def _fields(event: Event | type[Event]) -> tuple[Field[Any], ...]:
    return fields(event)  # type: ignore[arg-type]


class Running:
    """The group now, the name of each member's process, and how members are configured.

    A process keeps its name when its member comes back under another id. `down` has, for brokers
    that go down, the partitions that others lead then; None: nothing is known of leaders.
    """

    def __init__(
        self,
        group: Group,
        parameters: Parameters,
        down: Mapping[int, Sequence[tuple[str, int]]] | None = None,
    ) -> None:
        self.group, self.client, self.down = group, parameters.client, down
        self.names = [member.member_id for member in group.members]
        self._limits = parameters.limits

    def name(self, member: str) -> str:
        """The process of the member of that member id or instance id."""
        return self.names[member_index(self.group, member)]

    def play(self, events: Iterable[tuple[float, Event]]) -> list[Step]:
        """Steps of these events, each with its time in seconds; the group is `as_stated`.

        Raises NotApplicableError for an event that the group can't have.
        """
        steps: list[Step] = []
        for at, event in events:
            after = event.apply(self.group, self._limits)
            steps += event.play(at * 1000, self, after)
            self._become(after)
        return steps

    def _become(self, after: Group) -> None:
        """The group is that one from now on: who is gone isn't in it, newcomers are at its end."""
        before, members = self.group.members, after.members
        stay = {*map(id, members)}
        if len(members) < len(before):
            pairs = zip(self.names, before, strict=True)
            self.names = [name for name, member in pairs if id(member) in stay]
        else:
            self.names += [member.member_id for member in members[len(before) :]]
        self.group = after


def as_stated(group: Group, events: Iterable[Event]) -> Group:
    """The group with and without instance ids, as restarts in these events want to have it."""
    return reduce(lambda now, event: event.as_stated(now), events, group)


MOST_MEMBERS, MOST_PARTITIONS = 100_000, 1_000_000
"""Of a group and of a topic: what no cluster has, and what is still worked out in minutes."""


def a_number(what: str, least: int = 1, most: int = MOST_MEMBERS, **default: Any) -> Any:
    """A field that is a whole number from `least` to `most`."""
    return event_field(what, partial(_check_number, least, most), whole_number, **default)


def _check_number(least: int, most: int, what: str, number: Any) -> int:
    if isinstance(number, bool) or not isinstance(number, Integral):
        raise EventError(f"{what} is {number!r}, which is not a whole number")
    if int(number) < least:
        why = "a negative number" if int(number) < 0 else f"less than {least}"
        raise EventError(f"{what} is {number}, {why}")
    if int(number) > most:
        raise EventError(f"{what} is {f'{number:.3g}'}, more than {most:,}")
    return int(number)


def whole_number(what: str, text: str) -> int:
    """A whole number written out; EventError if it is none."""
    try:
        return int(text)
    except ValueError:
        raise EventError(f"{what} is {text!r:.40}, which is not a whole number") from None


def a_choice(what: str, options: Iterable[Any], needed: str, **default: Any) -> Any:
    """A field that is one of these; EventError says what is needed."""

    def check(what: str, value: Any) -> Any:
        if value not in options:
            raise EventError(f"{what} is {value!r}{needed}")
        return value

    return event_field(what, check, **default)


def a_name(what: str, **default: Any) -> Any:
    """A field that is a text that isn't empty."""
    return event_field(what, check_name, **default)


def check_name(what: str, text: Any) -> str:
    """The text; EventError for an empty one, and for what is none."""
    if not isinstance(text, str) or not text:
        raise EventError(f"{what} is {text!r}, which is not a name")
    return text


def a_duration(what: str, **default: Any) -> Any:
    """A field that is a length of time; EventError for no time at all."""

    def check(what: str, seconds: Any) -> float:
        if not (checked := check_seconds(what, seconds)):
            raise EventError(f"{what} is 0 s and must be longer, such as 30s")
        return checked

    return event_field(what, check, lambda _, text: seconds_of(text), seconds_to_text, **default)


def comma_separated(text: str) -> tuple[str, ...]:
    """The names in a list."""
    return tuple(filter(None, map(str.strip, text.split(","))))


def member_index(group: Group, name: str) -> int:
    """Where the member of that member id or instance id stands among the members of a group."""
    for of_member in ("member_id", "instance_id"):
        ids = [getattr(member, of_member) for member in group.members]
        if name in ids:
            return ids.index(name)
    names = [member.instance_id or member.member_id for member in group.members]
    first = ", ".join(names[:3])
    others = f" (there are {first}{' and others' if len(names) > 3 else ''})" if first else ""
    which = did_you_mean(name, names) or others
    raise NotApplicableError(f"no member has the member id or instance id {name!r}{which}")


def without(group: Group, member_indexes: Sequence[int]) -> Group:
    """The group without the members who stand there."""
    gone = set(member_indexes)
    stay = [member for place, member in enumerate(group.members) if place not in gone]
    return replace(group, members=stay)


UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}

MOST_SECONDS = 30 * 86_400

_PARTS = (rf"(?:(\d{{1,9}}(?:\.\d{{1,6}})?){unit})?" for unit in reversed(UNITS))
_LENGTH = re.compile("".join(_PARTS), re.ASCII)


def seconds_of(text: str) -> float:
    """The seconds of numbers and units (d, h, m, s, ms), in this order; EventError if none.

    Such as `30s`, `10m`, `1.5s`, `500ms`, `5m20s`.
    """
    parts = _LENGTH.fullmatch(text.strip())
    if not parts or not any(parts.groups()):
        raise EventError(f"{text!r} is not a duration (for example 30s or 10m)")
    pairs = zip(parts.groups("0"), reversed(UNITS), strict=True)
    return round(sum(float(number) * UNITS[unit] for number, unit in pairs), 6)


def seconds_to_text(seconds: float) -> str:
    """Text that `seconds_of` reads as that many seconds, in the largest unit that fits."""
    whole = [unit for unit in ("s", "m", "h", "d") if seconds and not seconds % UNITS[unit]]
    unit = whole[-1] if whole else "s"
    text = f"{seconds / UNITS[unit]:.6f}".rstrip("0").rstrip(".")
    return f"{text}{unit}"


def check_seconds(what: str, seconds: object) -> float:
    """A length of time in an event, as a float; EventError unless it is 0 s to 30 days."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not isfinite(seconds):
        raise EventError(f"{what} is {seconds!r}, which is not a number of seconds")
    if seconds < 0:
        raise EventError(f"{what} of {seconds:g} s is negative")
    if seconds > MOST_SECONDS:
        raise EventError(f"{what} of {seconds:g} s is longer than 30 days")
    return float(seconds)
