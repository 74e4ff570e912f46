"""Short ways to write down small groups and their plans."""

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


def group_of(topics: str, members: str) -> Group:
    """A group from text: "t:4 u:1" and "A t u, t:0,1 u:0, 2, a | B t".

    Of each member what it reads, and, where that is said, what it owns, its generation, which is 1
    otherwise, and its rack.
    """
    each = []
    for text in members.split(" | "):
        reads, owned, generation, rack = [*text.split(", "), "", "", "", ""][:4]
        name, *names = reads.split()
        number = int(generation or 1)
        each.append(Member(name, names, claims(owned), rack=rack or None, generation=number))
    return Group(dict(claims(topics)), each)


def assigned(text: str) -> dict[str, str]:
    """What `written` says, from text: "A t:0,3 | B"."""
    pairs = (part.partition(" ") for part in text.split(" | ") if part)
    return {name: partitions for name, _, partitions in pairs}


def racks(text: str) -> list[list[str]]:
    """Racks of each partition's replicas: "ab b -" are two racks, one, and none."""
    return [list(part.replace("-", "")) for part in text.split()]


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
