"""Known defects of Kafka's sticky assignors, by version of the clients, and which groups they hit.

The ranges are those of release tags in Kafka's repository that lack the commit of the fix.
"""

from collections.abc import Set
from typing import NamedTuple

SLOW, STOPS, TWICE = 1, 2, 3
"""Harm of a defect: time or balance; reading stops; two members read one partition."""

EQUAL = "members with equal subscriptions"
DIFFERENT = "members with different subscriptions"
TOPICS = "several topics"
RACKS = "members with racks"
LARGE = "many members and partitions"


class Defect(NamedTuple):
    """A defect of some strategies, in versions `since` ≤ v < `fixed` of each pair of `versions`.

    `hits` are the traits that a group has to have, all of them.
    """

    issue: str
    strategies: tuple[str, ...]
    versions: tuple[tuple[str, str], ...]
    cost: int
    what: str
    hits: frozenset[str] = frozenset()

    def is_in(self, version: str) -> bool:
        """Whether clients of that version have it."""
        number = _parts(version)
        return any(_parts(since) <= number < _parts(fixed) for since, fixed in self.versions)

    @property
    def source(self) -> str:
        return f"https://issues.apache.org/jira/browse/{self.issue}"


_STICKY, _COOPERATIVE = "sticky", "cooperative-sticky"
_BOTH = (_STICKY, _COOPERATIVE)

DEFECTS = (
    Defect(
        "KAFKA-7026",
        (_STICKY,),
        (("0.11.0", "2.3.0"),),
        TWICE,
        "a member that comes back with an old assignment keeps it, so that two members read the "
        "same partition",
    ),
    Defect(
        "KAFKA-8767",
        (_STICKY,),
        (("0.11.0", "2.4.0"),),
        SLOW,
        "partitions move that balance doesn't need to move (rarer since 2.4.0, not gone)",
        frozenset({DIFFERENT}),
    ),
    Defect(
        "KAFKA-9987",
        _BOTH,
        (("0.11.0", "2.5.1"),),
        SLOW,
        "an assignment takes minutes, longer than a session or poll interval may last",
        frozenset({EQUAL, LARGE}),
    ),
    Defect(
        "KAFKA-13081",
        (_COOPERATIVE,),
        (("2.4.0", "2.8.1"),),
        TWICE,
        "a member that missed a rebalance claims partitions that it has lost, and both it and "
        "their new owner keep them",
    ),
    Defect(
        "KAFKA-12675",
        _BOTH,
        (("0.11.0", "3.0.0"),),
        SLOW,
        "an assignment takes minutes, longer than a session or poll interval may last",
        frozenset({DIFFERENT, LARGE}),
    ),
    Defect(
        "KAFKA-13406",
        (_COOPERATIVE,),
        (("2.4.0", "2.8.2"), ("3.0.0", "3.0.1")),
        STOPS,
        "the leader refuses its own assignment, and the group rebalances again and again",
        frozenset({DIFFERENT}),
    ),
    Defect(
        "KAFKA-15106",
        _BOTH,
        (("0.11.0", "3.5.2"),),
        STOPS,
        "balance isn't recognized, and the search for it may outlast the rebalance's time limit",
        frozenset({DIFFERENT}),
    ),
    Defect(
        "KAFKA-15170",
        _BOTH,
        (("3.5.0", "3.7.1"),),
        STOPS,
        "with racks the assignment may fail each time, or give a partition away before its owner "
        "has stopped",
        frozenset({EQUAL, RACKS}),
    ),
    Defect(
        "KAFKA-16277",
        _BOTH,
        (("2.5.1", "3.7.1"),),
        SLOW,
        "after a member joins, one member keeps whole topics and another gets the rest",
        frozenset({EQUAL, TOPICS}),
    ),
)
"""In the order of their fixes. The first version of a pair is the first release with the code."""


def defects_of(strategy: str | None, version: str, traits: Set[str]) -> list[Defect]:
    """Defects that clients of this version have and that hit a group with these traits."""
    return [
        defect
        for defect in DEFECTS
        if strategy in defect.strategies and defect.hits <= traits and defect.is_in(version)
    ]


def _parts(version: str) -> tuple[int, ...]:
    numbers = tuple(int(part) for part in version.split("."))
    return numbers + (0,) * (3 - len(numbers))
