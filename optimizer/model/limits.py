"""Limits: who may have which partitions, and how many of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from math import ceil, isfinite
from typing import Any, NamedTuple

import numpy as np

from optimizer.figures import plural
from optimizer.model.arrays import Flags, IntArray
from optimizer.model.hosts import host_names
from optimizer.model.problem import Problem, once_a_problem
from optimizer.model.weights import weights_of


def matches(pattern: str, name: str) -> bool:
    """Whether a name fits, from its first character to its last; capitals count."""
    spelled = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")
    return re.fullmatch(spelled, name, re.DOTALL) is not None


UNLIMITED = 2**40
"""More partitions than any member gets."""


@dataclass(frozen=True, slots=True)
class Limit:
    """Of which members and of which partitions something holds; patterns have * and ?.

    `members` fits a member's id, instance id or client id; `hosts` and `racks` fit those of members
    that have one, hosts with the slash that Kafka writes before an address or without. Several
    patterns of topics that go together have commas between them.
    `partitions` are numbers, of each topic that fits; none: all of them. `most` is how many there
    may be, for limits that count, or what they may weigh.
    """

    members: str = "*"
    hosts: str = "*"
    racks: str = "*"
    topics: str = "*"
    partitions: tuple[int, ...] = ()
    most: int | float | None = None

    def who(self) -> str:
        """The members in words; empty if all are meant."""
        texts = [] if self.members == "*" else [self.members]
        texts += [] if self.hosts == "*" else [f"host {self.hosts}"]
        texts += [] if self.racks == "*" else [f"rack {self.racks}"]
        return ", ".join(texts)

    def what(self) -> str:
        """The partitions in words."""
        if self.partitions:
            return ", ".join(f"{self.topics}-{number}" for number in self.partitions)
        return "all topics" if self.topics == "*" else self.topics


def _partitions_of(limit: Limit) -> str:
    return plural(int(limit.most or 0), "partition")


PATTERNS = ("members", "hosts", "racks", "topics")

KEYS = {
    "pin": (*PATTERNS, "partitions"),
    "exclude": (*PATTERNS, "partitions"),
    "max_partitions": ("members", "hosts", "racks", "most"),
    "max_per_topic": ("topics", "most"),
    "max_per_host": ("hosts", "most"),
    "max_weight": ("members", "hosts", "racks", "most"),
    "copartition": ("topics",),
}
"""The limits, and what each may state."""


class LimitSet(NamedTuple):
    """The limits of a group's goals, by their names."""

    pin: tuple[Limit, ...] = ()
    exclude: tuple[Limit, ...] = ()
    max_partitions: tuple[Limit, ...] = ()
    max_per_topic: tuple[Limit, ...] = ()
    max_per_host: tuple[Limit, ...] = ()
    max_weight: tuple[Limit, ...] = ()
    copartition: tuple[Limit, ...] = ()

    def in_words(self) -> list[str]:
        """A text for each."""
        reports = [f"pin of {limit.what()} to {limit.who() or 'all members'}" for limit in self.pin]
        for limit in self.exclude:
            of = "" if limit.topics == "*" and not limit.partitions else f" from {limit.what()}"
            reports.append(f"exclusion of {limit.who() or 'all members'}{of}")
        for limit in self.max_partitions:
            reports.append(f"at most {_partitions_of(limit)} for {limit.who() or 'each member'}")
        for limit in self.max_per_topic:
            of = "each topic" if limit.topics == "*" else limit.topics
            reports.append(f"at most {_partitions_of(limit)} of {of} a member")
        for limit in self.max_per_host:
            of = "each host" if limit.hosts == "*" else f"host {limit.hosts}"
            reports.append(f"at most {_partitions_of(limit)} on {of}")
        for limit in self.max_weight:
            reports.append(f"at most a weight of {limit.most:g} for {limit.who() or 'each member'}")
        reports += [
            f"equal partitions of {element.topics} together" for element in self.copartition
        ]
        return reports

    def each(self) -> list[tuple[str, Limit]]:
        """All of them, in the order of `in_words`."""
        return [(name, limit) for name in self._fields for limit in getattr(self, name)]

    @staticmethod
    def of(limits: Sequence[tuple[str, Limit]]) -> LimitSet:
        return LimitSet(
            **{
                name: tuple(limit for of, limit in limits if of == name)
                for name in LimitSet._fields
            }
        )


def stated_limits(name: str, value: Any) -> tuple[tuple[Limit, ...], list[str]]:
    """The limits that a goal of that name states, and what is wrong with it.

    It is a list, or one of its entries alone: a `Limit`, a table of its keys, or short for one a
    number (`most`) or a text (a pattern of members; of topics for `copartition`).
    """
    goal_limits = value if isinstance(value, list | tuple) else [value]
    limits, faults = [], []
    for entry in goal_limits:
        if isinstance(entry, Limit):
            limits.append(entry)
            continue
        if isinstance(entry, int | float) and not isinstance(entry, bool):
            entry = {"most": entry}  # noqa: PLW2901 - what it is short for
        elif isinstance(entry, str) and KEYS[name][0] in ("members", "topics"):
            entry = {KEYS[name][0]: entry}  # noqa: PLW2901
        wrong = list(_faults(name, entry))
        faults += wrong
        if not wrong:
            inputs = {key: value for key, value in entry.items() if value is not None}
            limits.append(Limit(**inputs | {"partitions": tuple(inputs.get("partitions", ()))}))
    return tuple(limits), faults


def _faults(name: str, entry: Any) -> Iterator[str]:
    keys = KEYS[name]
    if not isinstance(entry, Mapping):
        yield f"{name} has {entry!r}, which is not a table of {', '.join(keys)}"
        return
    neutral = {field.name: field.default for field in fields(Limit)} | {"partitions": []}
    for key, value in entry.items():
        if key not in keys:
            if key not in neutral or value not in (neutral[key], ()):
                yield f"{name} has the key {key!r}: it knows {', '.join(keys)}"
        elif key in PATTERNS and not isinstance(value, str):
            yield f"{key} of {name} is {value!r} and must be a pattern"
        elif key == "partitions" and not _are_numbers(value):
            yield f"partitions of {name} is {value!r} and must be a list of whole numbers"
    if name == "max_weight":
        if not _is_weight(entry.get("most")):
            yield f"most of {name} is {entry.get('most')!r} and must be a number of 0 or more"
    elif "most" in keys and not _are_numbers([entry.get("most")]):
        yield f"most of {name} is {entry.get('most')!r} and must be a whole number of 0 or more"
    if name == "copartition" and not set(",*?") & set(str(entry.get("topics", "*"))):
        yield (
            f"copartition names the topic {entry['topics']!r} alone: name at least two, with a "
            "comma between them, or a pattern of them"
        )
    if name == "pin" and not any(entry.get(key, "*") != "*" for key in PATTERNS[:3]):
        yield "a pin needs members, hosts or racks"
    if name == "exclude" and not any(entry.get(key, "*") != "*" for key in PATTERNS[:3]):
        yield "an exclude needs members, hosts or racks"


def _are_numbers(value: Any) -> bool:
    if not isinstance(value, list | tuple):
        return False
    return all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in value)


def _is_weight(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and isfinite(value) and value >= 0


class Limits(NamedTuple):
    """A group's limits as arrays.

    Partition p may go to member m of its subscribers if `allowed[row_of[p], m]`. `most` is how many
    partitions a member may have, `most_of_topic` how many of a topic any member may have, and
    `most_weight` what its partitions may weigh together (`optimizer.model.weights`); `most_on_host`
    has for each member how many all members of its host may have. None: as many as there are.
    """

    row_of: IntArray
    allowed: Flags
    most: IntArray | None
    most_of_topic: IntArray | None
    most_weight: IntArray | None = None
    most_on_host: IntArray | None = None


@once_a_problem
def limits_of(problem: Problem, limit_set: LimitSet) -> Limits | None:
    """The limits of a group; None where it has none."""
    if not any(limit_set):
        return None
    who = [_members(problem, limit) for _, limit in limit_set.each()]
    fits = dict(zip(limit_set.each(), who, strict=True))
    bars = [(name, limit) for name, limit in limit_set.each() if name in ("pin", "exclude")]
    row_of = np.zeros(problem.partition_count, np.int64)
    allowed = np.ones((1, len(problem.member_ids)), np.bool_)
    for name, limit in bars:
        mine = _partitions(problem, limit)
        may = fits[name, limit] if name == "pin" else ~fits[name, limit]
        # Every row comes twice: as it is, and for what this limit is about.
        rows, row_of = np.unique(row_of * 2 + mine, return_inverse=True)
        allowed = allowed[rows // 2] & (may | (rows % 2 == 0)[:, None])
    most = _least(
        [_caps(fits["max_partitions", element], element) for element in limit_set.max_partitions]
    )
    of_topic = _least(
        [
            _caps(
                np.array([matches(element.topics, topic) for topic in problem.topics], np.bool_),
                element,
            )
            for element in limit_set.max_per_topic
        ]
    )
    heaviest = _least(
        [
            _weight_cap(problem, fits["max_weight", element], element)
            for element in limit_set.max_weight
        ]
    )
    on_host = _least(
        [_caps(fits["max_per_host", element], element) for element in limit_set.max_per_host]
    )
    return Limits(row_of, allowed, most, of_topic, heaviest, on_host)


def _weight_cap(problem: Problem, fits: Flags, limit: Limit) -> IntArray:
    """The cap in whole numbers; what rounding each partition may add is let pass."""
    most = ceil(min((limit.most or 0) / weights_of(problem).weight_unit, float(UNLIMITED * 4)))
    return np.where(fits, most + problem.partition_count, UNLIMITED * 4)


def _caps(fits: Flags, limit: Limit) -> IntArray:
    return np.where(fits, UNLIMITED if limit.most is None else int(limit.most), UNLIMITED)


def _least(caps: Sequence[IntArray]) -> IntArray | None:
    return np.minimum.reduce(caps).astype(np.int64) if caps else None


def _members(problem: Problem, limit: Limit) -> Flags:
    """Members that a limit is about."""
    kafka, count = problem.kafka, len(problem.member_ids)
    nothing = [None] * count
    names = zip(
        problem.member_ids, kafka.instance_ids or nothing, kafka.client_ids or nothing, strict=True
    )
    locations = zip(host_names(problem.hosts or nothing), problem.racks or nothing, strict=True)
    (host_pattern,) = host_names([limit.hosts])
    return np.array(
        [
            any(name is not None and matches(limit.members, name) for name in of_member)
            and _fits(host_pattern or "", host)
            and _fits(limit.racks, rack)
            for of_member, (host, rack) in zip(names, locations, strict=True)
        ],
        np.bool_,
    )


def fitting(problem: Problem, limit_set: LimitSet) -> list[str]:
    """Limits that some member and some partition of a group fit, in words."""
    each = zip(limit_set.in_words(), limit_set.each(), strict=True)
    return [text for text, limit in each if _is_about_any(problem, *limit)]


def idle_limits(problem: Problem, limit_set: LimitSet) -> list[str]:
    """The others, in words: no member or partition of the group has anything to do with them."""
    fit = fitting(problem, limit_set)
    return [text for text in limit_set.in_words() if text not in fit]


def _is_about_any(problem: Problem, name: str, limit: Limit) -> bool:
    if name == "copartition":
        return sum(is_about(limit.topics, topic) for topic in problem.topics) > 1
    return bool(_members(problem, limit).any() and _partitions(problem, limit).any())


def is_about(patterns: str, topic: str) -> bool:
    """Whether a topic fits one of several patterns with commas between them."""
    return any(matches(pattern.strip(), topic) for pattern in patterns.split(","))


def _fits(pattern: str, name: str | None) -> bool:
    return pattern == "*" or (name is not None and matches(pattern, name))


def _partitions(problem: Problem, limit: Limit) -> Flags:
    """Partitions that a limit is about."""
    topics = np.array([matches(limit.topics, topic) for topic in problem.topics], np.bool_)
    mine: Flags = topics.repeat(problem.topic_sizes)
    if limit.partitions:
        number = np.arange(len(mine)) - problem.topic_offsets[:-1].repeat(problem.topic_sizes)
        mine &= np.isin(number, limit.partitions)
    return mine
