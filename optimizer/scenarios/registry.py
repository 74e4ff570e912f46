"""All events by name, and how they are read."""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from optimizer.scenarios.event import Event, EventError, seconds_of
from optimizer.scenarios.members import Crash, Join, Leave, Members, Subscribe
from optimizer.scenarios.pauses import Freeze, Restart, SlowPoll
from optimizer.scenarios.rolling import Migrate, RollingRestart, Upgrade
from optimizer.scenarios.topics import BrokerDown, Create, Delete, Grow

KINDS: tuple[type[Event], ...] = (
    *(Join, Leave, Crash, Restart, RollingRestart, Members),
    *(Grow, Create, Delete, Subscribe, SlowPoll, Freeze, Upgrade, Migrate, BrokerDown),
)

EVENTS: dict[str, type[Event]] = {name: kind for kind in KINDS for name in kind.names}
"""Each event by the names that it has as text."""


def event_of(source: str | Mapping[str, Any]) -> Event:
    """The event that a text (`crash-rack=eu-west-a`) or a table of a TOML file states.

    A table has the event's name under `event`, and its fields by their names; lengths of time may
    be numbers of seconds or texts (`30s`). Under `event` may stand the whole text as well.

    Raises EventError, with a sentence that says what is wrong.
    """
    if isinstance(source, str):
        return _of_text(source)
    name = source.get("event")
    if not isinstance(name, str):
        raise EventError("an event needs its name under 'event', such as event = \"leave\"")
    inputs = {key: value for key, value in source.items() if key != "event"}
    if "=" in name:
        if inputs:
            raise EventError(f"event {name!r} is complete: remove the key {', '.join(inputs)}")
        return _of_text(name)
    return _of_fields(name, inputs)


def _of_text(text: str) -> Event:
    name, equals, value = text.partition("=")
    name, value = name.strip(), value.strip()
    kind = _kind(name)
    if not equals or not value:
        raise EventError(f"event {text!r} is not {name}=VALUE")
    return kind.of_value(name, value)


def _of_fields(name: str, entries: Mapping[str, Any]) -> Event:
    kind = _kind(name)
    known_values = {item.name: item for item in fields(kind)}  # type: ignore[arg-type]
    if unknown := entries.keys() - known_values.keys():
        raise EventError(f"{name} has no {min(unknown)!r} (it has {', '.join(known_values)})")
    required = [item.name for item in known_values.values() if item.default is MISSING]
    if missing := [key for key in required if key not in entries]:
        raise EventError(f"{name} needs {' and '.join(missing)}")
    settings = dict(entries)
    if isinstance(seconds := settings.get("seconds"), str):
        settings["seconds"] = seconds_of(seconds)
    return kind(**settings)


def _kind(name: str) -> type[Event]:
    if name not in EVENTS:
        raise EventError(f"unknown event {name!r}: choose one of {', '.join(EVENTS)}")
    return EVENTS[name]
