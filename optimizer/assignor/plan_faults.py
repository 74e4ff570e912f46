"""What can be wrong with a plan file that is JSON.

The Java assignor says the same of the same files, word for word; tests/data/plan_cases.jsonl.gz
holds both to it.
"""

from __future__ import annotations

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


def fault_of(stated: Any) -> str | None:
    """The first thing that is wrong with what a plan file states, if anything is."""
    return next(_faults(stated), None)


def _faults(stated: Any) -> Iterator[str]:
    if _too_deep(stated):
        yield TOO_DEEP
    elif not isinstance(stated, dict) or stated.get("format") != FORMAT:
        yield f'it has no "format": "{FORMAT}"'
    elif type(stated.get("version")) is not int:
        yield "its version is no whole number"
    elif stated["version"] not in VERSIONS:
        yield f"it is of version {stated['version']}, and 1 and 2 can be read"
    else:
        for name in ("cluster", "group", "snapshot"):
            if not isinstance(stated.get(name), str):
                yield f"{name} is no text"
        yield from _faults_of_members(stated.get("members"))
        if stated["version"] > 1:
            yield from _faults_of_version_2(stated)


def _too_deep(stated: Any) -> bool:
    level = [stated]
    for _ in range(_DEEPEST):
        inner: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                inner += [one for one in value.values() if isinstance(one, dict | list)]
            elif isinstance(value, list):
                inner += [one for one in value if isinstance(one, dict | list)]
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
        for wanted, found in enumerate(sorted(chain.from_iterable(lists))):
            if found < 0:
                yield f"a partition of {topic!r} is negative"
                break
            if found < wanted:
                yield f"partition {found} of {topic!r} is there twice"
                break
            if found > wanted:
                yield f"{topic}-{wanted} is missing"
                break


def _faults_of_version_2(stated: Mapping[str, Any]) -> Iterator[str]:
    if stated.get("protocol") not in (CLASSIC, CONSUMER):
        yield f"protocol is neither '{CLASSIC}' nor '{CONSUMER}'"
    yield from _faults_of_names("topic_ids", stated.get("topic_ids"))
    for topic, topic_id in stated["topic_ids"].items():
        if not _TOPIC_ID.fullmatch(topic_id):
            yield f"the topic_ids entry of {topic!r} is no id as Kafka writes it"
    if "member_ids" in stated:
        yield from _faults_of_names("member_ids", stated["member_ids"])
        for key in stated["member_ids"]:
            if key not in stated["members"]:
                yield f"member_ids has {key!r}, who isn't among the members"


def _faults_of_names(name: str, ids: Any) -> Iterator[str]:
    if not isinstance(ids, dict):
        yield f"{name} is no object"
        return
    for key, one in ids.items():
        if not isinstance(one, str):
            yield f"the {name} entry of {key!r} is no text"
            return
    for one, times in Counter(ids.values()).items():
        if times > 1:
            yield f"{name} has {one!r} {times} times"
