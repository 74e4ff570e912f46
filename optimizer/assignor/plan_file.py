"""The plan of one group as a file: what `evenfleet export-plan` writes and consumers read.

A JSON object: `format` ("evenfleet-plan"), `version` (1), `cluster`, `group`, `snapshot` (texts),
and `members`, an object that gives each member by its key the partitions of each topic that it
gets: `{"worker-1": {"orders": [0, 1, 2]}, "worker-2": {}}`. A member's key is its
group.instance.id, or else its client.id. Every partition of a topic is in the file once.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

FORMAT, VERSION = "evenfleet-plan", 1

Topics = dict[str, list[int]]


class PlanFileError(ValueError):
    """A text that isn't a plan, or isn't a whole one; the message says where."""


@dataclass(frozen=True)
class GroupPlan:
    """Who gets what in one group: `members` has partitions by topic, for each member's key."""

    cluster: str
    group: str
    snapshot: str
    members: dict[str, Topics]

    @property
    def topics(self) -> dict[str, int]:
        """Number of partitions of each topic that the plan hands out."""
        counts: Counter[str] = Counter()
        for topics in self.members.values():
            for topic, partitions in topics.items():
                counts[topic] += len(partitions)
        return dict(counts)

    def to_text(self) -> str:
        """The plan as text: a line a member, so that two plans can be told apart by `diff`."""
        head = {
            "format": FORMAT,
            "version": VERSION,
            "cluster": self.cluster,
            "group": self.group,
            "snapshot": self.snapshot,
        }
        lines = [f"{_json(key)}: {_json(value)}," for key, value in head.items()]
        members = [f"  {_json(key)}: {_json(self.members[key])}" for key in sorted(self.members)]
        return "\n".join(["{", *lines, '"members": {', ",\n".join(members), "}", "}", ""])

    @staticmethod
    def from_text(text: str | bytes) -> GroupPlan:
        """The plan that a text holds; PlanFileError tells the first thing that is wrong with it."""
        try:
            stated = json.loads(text, object_pairs_hook=_each_key_once)
        except RecursionError:
            raise PlanFileError("it is nested too deeply to be a plan") from None
        # not JSON, not UTF-8, a key twice, a number of too many digits
        except ValueError as error:
            raise PlanFileError(f"it isn't sound JSON: {error}") from None
        for fault in _faults(stated):
            raise PlanFileError(fault)
        return GroupPlan(
            **{name: stated[name] for name in ("cluster", "group", "snapshot", "members")}
        )


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    for key, times in Counter(key for key, _ in pairs).items():
        if times > 1:
            raise PlanFileError(f"the key {key!r} is in one object {times} times")
    return dict(pairs)


def _faults(stated: Any) -> Iterator[str]:
    if not isinstance(stated, dict) or stated.get("format") != FORMAT:
        yield f'it has no "format": "{FORMAT}"'
    elif stated.get("version") != VERSION:
        yield f"it is of version {stated.get('version')!r}, and {VERSION} can be read"
    else:
        for name in ("cluster", "group", "snapshot"):
            if not isinstance(stated.get(name), str):
                yield f"{name} is no text"
        yield from _faults_of_members(stated.get("members"))


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
            if found < wanted:
                yield f"partition {found} of {topic!r} can't be there, or not twice"
                break
            if found > wanted:
                yield f"{topic}-{wanted} is missing"
                break
