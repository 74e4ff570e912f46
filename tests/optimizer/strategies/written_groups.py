"""Short ways to write down small groups and their plans."""

from __future__ import annotations

from collections.abc import Mapping

from optimizer import Group, Member
from optimizer.plan import Assignment


def claims(text: str) -> list[tuple[str, int]]:
    """Partitions from text: "t:0,1 u:3"."""
    return [
        (topic, int(number))
        for part in text.split()
        for topic, numbers in [part.rsplit(":", 1)]
        for number in numbers.split(",")
    ]


def written(assignment: Assignment) -> dict[str, str]:
    """The same text for each member."""
    return {member: _text(partitions) for member, partitions in assignment.items()}


def _text(partitions: list[tuple[str, int]]) -> str:
    numbers: dict[str, list[str]] = {}
    for topic, number in sorted(partitions):
        numbers.setdefault(topic, []).append(str(number))
    return " ".join(f"{topic}:{','.join(items)}" for topic, items in numbers.items())


def reader(member_id: str, topics: str, owned: str = "", generation: int | None = 1) -> Member:
    """A member from texts: what it reads, and what it owns."""
    return Member(member_id, topics.split(), claims(owned), generation=generation)


def racks(text: str) -> list[list[str]]:
    """Racks of each partition's replicas: "ab b -" are two racks, one, and none."""
    return [list(part.replace("-", "")) for part in text.split()]


def loads(assignment: Mapping[str, list[tuple[str, int]]]) -> list[int]:
    return sorted(map(len, assignment.values()))


ENDLESS = Group(
    {"s": 2, "b": 21, "a": 3, "z": 4},
    [
        Member("C0", ["a", "z"]),
        Member("C3", ["s", "b"], owned=claims("s:1"), generation=0),
        Member("C4", ["b"]),
        Member("C6", ["b"]),
        Member("C7", ["s"], owned=claims("b:0,1,2,3,4,5,6,7 z:0")),
        Member("C8", ["z"]),
        Member("C9", ["s"]),
    ],
)
"""Kafka's sticky assignors never answer for this group.

z-0 went from C8 to C7, whose old claim it is. To make C7 lighter, z-0 should go to C0; but as z-0
was C8's, and C8 has z-3 from C0, Kafka moves z-3 back to C0 instead. C7 has as much as before, and
C0 gives z-3 to C8 again, as that is lighter: for ever.
"""
