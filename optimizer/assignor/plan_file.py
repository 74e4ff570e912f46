"""The plan of one group as a file: what `evenfleet export-plan` writes and consumers read.

A JSON object in UTF-8, described by docs/plan_file.schema.json: `format` ("evenfleet-plan"),
`version` (2), `cluster`, `group`, `snapshot` (texts), `protocol` ("classic" or "consumer", the
group's type when the plan was made), `members`, an object that gives each member by its key the
partitions of each topic that it gets: `{"worker-1": {"orders": [0, 1, 2]}, "worker-2": {}}`, and
`topic_ids`, Kafka's id of each topic as far as it is known. A member's key is its
group.instance.id, or else its client.id. Every partition of a topic is in the file once. A broker's
assignor isn't told client ids: `member_ids`, which may be absent, has the member id of a key.

Version 1 lacks `protocol`, `topic_ids` and `member_ids`, and is read as well.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

FORMAT, VERSION, VERSIONS = "evenfleet-plan", 2, (1, 2)
"""The format, the version that is written, and those that can be read."""

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


def _faults(plan: Any) -> Iterator[str]:
    if _too_deep(plan):
        yield TOO_DEEP
    elif not isinstance(plan, dict) or plan.get("format") != FORMAT:
        yield f'it has no "format": "{FORMAT}"'
    elif type(plan.get("version")) is not int:
        yield "its version is no whole number"
    elif plan["version"] not in VERSIONS:
        yield f"it is of version {plan['version']}, and 1 and 2 can be read"
    else:
        for name in ("cluster", "group", "snapshot"):
            if not isinstance(plan.get(name), str):
                yield f"{name} is no text"
        yield from _faults_of_members(plan.get("members"))
        if plan["version"] > 1:
            yield from _faults_of_version_2(plan)


def _too_deep(plan: Any) -> bool:
    level = [plan]
    for _ in range(_DEEPEST):
        inner: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                inner += [nested for nested in value.values() if isinstance(nested, dict | list)]
            elif isinstance(value, list):
                inner += [nested for nested in value if isinstance(nested, dict | list)]
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
        for wanted, partition in enumerate(sorted(chain.from_iterable(lists))):
            if partition < 0:
                yield f"a partition of {topic!r} is negative"
                break
            if partition < wanted:
                yield f"partition {partition} of {topic!r} is there twice"
                break
            if partition > wanted:
                yield f"{topic}-{wanted} is missing"
                break


def _faults_of_version_2(plan: Mapping[str, Any]) -> Iterator[str]:
    if plan.get("protocol") not in (CLASSIC, CONSUMER):
        yield f"protocol is neither '{CLASSIC}' nor '{CONSUMER}'"
    yield from _faults_of_names("topic_ids", plan.get("topic_ids"))
    for topic, topic_id in plan["topic_ids"].items():
        if not _TOPIC_ID.fullmatch(topic_id):
            yield f"the topic_ids entry of {topic!r} is no id as Kafka writes it"
    if "member_ids" in plan:
        yield from _faults_of_names("member_ids", plan["member_ids"])
        for key in plan["member_ids"]:
            if key not in plan["members"]:
                yield f"member_ids has {key!r}, which isn't among the members"


def _faults_of_names(name: str, ids: Any) -> Iterator[str]:
    if not isinstance(ids, dict):
        yield f"{name} is no object"
        return
    for key, identifier in ids.items():
        if not isinstance(identifier, str):
            yield f"the {name} entry of {key!r} is no text"
            return
    for identifier, times in Counter(ids.values()).items():
        if times > 1:
            yield f"{name} has {identifier!r} {times} times"


__all__ = ["GroupPlan", "PlanFileError", "Topics"]


EAGER, COOPERATIVE = "evenfleet-plan", "cooperative-evenfleet-plan"
"""Names of the assignors that follow a plan: EAGER in leaders and brokers, COOPERATIVE in leaders.

Consumers of two protocols can't be in one group.
"""


Names = Sequence[str | None]

NOT_UTF8 = re.compile(r"\\x[0-9a-f]{2}")
"""How rows spell a byte that is no character's: no client is called as they spell it."""


def why_not_follow(type_: str | None, instances: Names, clients: Names) -> str | None:
    """Why members of a group can't follow a plan; None if they can.

    A member's key is its group.instance.id, or else its client.id (docs/plan_in_force.md), and has
    to be its own.
    """
    if type_ not in (None, CLASSIC, CONSUMER):
        return f"groups of the type {type_} have no assignor that follows plans"
    counts = Counter(
        instance or client or "" for instance, client in zip(instances, clients, strict=True)
    )
    if odd := next(filter(NOT_UTF8.search, counts), None):
        return f"a member's client.id isn't valid UTF-8, {odd}"
    if counts[""]:
        return "members have no group.instance.id and no client.id"
    key, most = counts.most_common(1)[0] if counts else ("", 0)
    return f"{most} members share the client.id {key!r}" if most > 1 else None


def follows_plans(strategy: str | None, type_: str | None = None) -> bool:
    """Whether a group with that strategy takes its assignment from plans; brokers have one."""
    return strategy == EAGER or (strategy == COOPERATIVE and type_ != CONSUMER)


@dataclass(frozen=True)
class GroupPlan:
    """The plan of one group: `members` has partitions by topic, for each member's key."""

    cluster: str
    group: str
    snapshot: str
    members: dict[str, Topics]
    topic_ids: dict[str, str] = field(default_factory=dict)
    protocol: str = CLASSIC
    member_ids: dict[str, str] = field(default_factory=dict)

    @property
    def topics(self) -> dict[str, int]:
        """Number of partitions of each topic that the plan hands out."""
        counts: Counter[str] = Counter()
        for topics in self.members.values():
            for topic, partitions in topics.items():
                counts[topic] += len(partitions)
        return dict(counts)

    def to_text(self) -> str:
        """The plan as text: a line a member, so that diff shows how two plans differ."""
        head = {
            "format": FORMAT,
            "version": VERSION,
            "cluster": self.cluster,
            "group": self.group,
            "snapshot": self.snapshot,
            "protocol": self.protocol,
        }
        parts = [
            *(f"{_json(key)}: {_json(value)}" for key, value in head.items()),
            _lines("members", self.members),
            _lines("topic_ids", self.topic_ids),
            *([_lines("member_ids", self.member_ids)] if self.member_ids else []),
        ]
        return "{\n" + ",\n".join(parts) + "\n}\n"

    @staticmethod
    def from_text(text: str | bytes) -> GroupPlan:
        """The plan that a text holds; PlanFileError tells the first thing that is wrong with it."""
        try:
            plan = json.loads(
                text.decode("utf-8-sig") if isinstance(text, bytes) else text,
                object_pairs_hook=_each_key_once,
                parse_constant=_no_constant,
            )
        except RecursionError:
            raise PlanFileError(TOO_DEEP) from None
        # not JSON, not UTF-8, a key twice, a number of too many digits
        except ValueError as error:
            if isinstance(error, PlanFileError):
                raise
            raise PlanFileError(f"it isn't sound JSON: {error}") from None
        if fault := fault_of(plan):
            raise PlanFileError(fault)
        named = ["cluster", "group", "snapshot", "members"]
        if plan["version"] > 1:
            named += ["topic_ids", "protocol", *(["member_ids"] if "member_ids" in plan else [])]
        return GroupPlan(**{name: plan[name] for name in named})


def _lines(name: str, table: dict[str, Any]) -> str:
    lines = [f"  {_json(key)}: {_json(table[key])}" for key in sorted(table)]
    return f"{_json(name)}: {{\n" + ",\n".join(lines) + "\n}"


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    rows = dict(pairs)
    if len(rows) < len(pairs):
        times = Counter(key for key, _ in pairs)
        key = next(key for key in times if times[key] > 1)
        raise PlanFileError(f"the key {key!r} is in one object {times[key]} times")
    return rows


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")  # Python's own reader takes NaN and Infinity
