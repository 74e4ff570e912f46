"""What can be wrong with a plan file that is JSON.

The Java assignor says the same of the same files, word for word; tests/data/plan_cases.jsonl.gz
holds both to it.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

FORMAT, VERSION, VERSIONS = "evenfleet-plan", 2, (1, 2)
"""What is written, and what can be read."""

CLASSIC, CONSUMER = "classic", "consumer"
"""Types of groups: their leader assigns, or the broker (KIP-848)."""

Topics = dict[str, list[int]]

TOO_DEEP = "it is nested too deeply to be a plan"

_DEEPEST = 100
"""Levels in what a reader doesn't know and passes over: readers differ in what they can take."""

_TOPIC_ID = re.compile(r"[A-Za-z0-9_-]{21}[AQgw]")
"""16 bytes in base64, as Kafka prints an id."""


class PlanFileError(ValueError):
    """A text that isn't a plan, or isn't a whole one; the message says where."""


def fault_of(plan_file: Any) -> str | None:
    """The first thing that is wrong with what a plan file states, if anything is."""
    return next(_faults(plan_file), None)


def _faults(settings: Any) -> Iterator[str]:
    if _too_deep(settings):
        yield TOO_DEEP
    elif not isinstance(settings, dict) or settings.get("format") != FORMAT:
        yield f'it has no "format": "{FORMAT}"'
    elif type(settings.get("version")) is not int:
        yield "its version is no whole number"
    elif settings["version"] not in VERSIONS:
        yield f"it is of version {settings['version']}, and 1 and 2 can be read"
    else:
        for name in ("cluster", "group", "snapshot"):
            if not isinstance(settings.get(name), str):
                yield f"{name} is no text"
        yield from _faults_of_members(settings.get("members"))
        if settings["version"] > 1:
            yield from _faults_of_version_2(settings)


def _too_deep(settings: Any) -> bool:
    level = [settings]
    for _ in range(_DEEPEST):
        inner: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                inner += [item for item in value.values() if isinstance(item, dict | list)]
            elif isinstance(value, list):
                inner += [item for item in value if isinstance(item, dict | list)]
        if not inner:
            return False
        level = inner
    return True


def _faults_of_members(members: Any) -> Iterator[str]:
    if not isinstance(members, dict):
        yield "members is no object"
        return
    for key, topics in members.items():
        if not isinstance(topics, dict):
            yield f"what member {key!r} gets is no object"
            return
        for topic, partitions in topics.items():
            if not isinstance(partitions, list) or not all(type(p) is int for p in partitions):
                yield f"partitions of {topic!r} for member {key!r} are no list of whole numbers"
                return
    yield from _faults_of_coverage(members)


def _faults_of_coverage(members: dict[str, Topics]) -> Iterator[str]:
    """Partitions of each topic have to be 0, 1, …, each once."""
    parts: dict[str, list[list[int]]] = {}
    for topics in members.values():
        for topic, partitions in topics.items():
            parts.setdefault(topic, []).append(partitions)
    for topic, lists in parts.items():
        for wanted, result in enumerate(sorted(chain.from_iterable(lists))):
            if result < 0:
                yield f"a partition of {topic!r} is negative"
                break
            if result < wanted:
                yield f"partition {result} of {topic!r} is there twice"
                break
            if result > wanted:
                yield f"{topic}-{wanted} is missing"
                break


def _faults_of_version_2(settings: Mapping[str, Any]) -> Iterator[str]:
    if settings.get("protocol") not in (CLASSIC, CONSUMER):
        yield f"protocol is neither '{CLASSIC}' nor '{CONSUMER}'"
    yield from _faults_of_names("topic_ids", settings.get("topic_ids"))
    for topic, topic_id in settings["topic_ids"].items():
        if not _TOPIC_ID.fullmatch(topic_id):
            yield f"the topic_ids entry of {topic!r} is no id as Kafka writes it"
    if "member_ids" in settings:
        yield from _faults_of_names("member_ids", settings["member_ids"])
        for key in settings["member_ids"]:
            if key not in settings["members"]:
                yield f"member_ids has {key!r}, which isn't among the members"


def _faults_of_names(name: str, ids: Any) -> Iterator[str]:
    if not isinstance(ids, dict):
        yield f"{name} is no object"
        return
    for key, item in ids.items():
        if not isinstance(item, str):
            yield f"the {name} entry of {key!r} is no text"
            return
    for item, times in Counter(ids.values()).items():
        if times > 1:
            yield f"{name} has {item!r} {times} times"
