"""Fleets for findings about who owns what, by finding."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tests.spark.audit.findings.cases_of_balance import TWO
from tests.spark.audit.findings.place import Build, Cases, Claim, TableStore, Told, owning

GENERATIONS = {"a": 3, "b": 3}


def claimed(
    *claims: Claim,
    partitions: int = 3,
    members: Mapping[str, Sequence[str]] = TWO,
    generations: Mapping[str, int] | None = None,
) -> Build:
    """Topics t, of which there are these claims, and u, of one partition."""

    def build(place: TableStore) -> None:
        place.topic("t", partitions)
        place.topic("u", 1)
        place.group(members, claims, generations=generations)

    return build


def changed(
    before: Mapping[str, Iterable[int]],
    now: Mapping[str, Iterable[int]],
    static: bool = False,
) -> Build:
    """A topic of four partitions, and the members who own them, before and now."""

    def build(place: TableStore) -> None:
        place.topic("t", 4)
        place.was(before, static=static)
        place.group({member: ["t"] for member in now}, owning("t", **now))
        if static:
            place.make_static(place.fleets.now)

    return build


CASES = {
    "unread-partitions": Cases(
        Told(
            *("warning", "topic t", 2, 1),
            "No member of group g reads 2 partitions of topic t, to which it subscribes (the first "
            "is t-1).",
        ),
        fires=claimed(("t", 0, "a")),
        # two read it, and one is gone a moment ago; nobody wants to read u
        nearly=claimed(("t", 0, "a"), ("t", 1, "a"), ("t", 1, "b"), ("t", 2, "gone")),
        never=claimed(("t", 0, "a"), ("t", 1, "b"), ("t", 2, "b")),
    ),
    "owner-gone": Cases(
        Told(
            *("warning", "member gone", 2, 1),
            "Member gone owns 2 partitions of group g and isn't there any more.",
        ),
        fires=claimed(("t", 0, "a"), ("t", 1, "gone"), ("t", 2, "gone")),
        # somebody has taken over since
        nearly=claimed(("t", 0, "gone", 2), ("t", 0, "a", 3)),
        never=claimed(("t", 0, "a"), ("t", 1, "b")),
    ),
    "owner-not-subscribed": Cases(
        Told(
            *("warning", "member b", 2, 1),
            "Member b owns 2 partitions of topics to which it doesn't subscribe, in group g.",
        ),
        fires=claimed(
            *(("t", 0, "a"), ("t", 1, "b"), ("t", 2, "b"), ("u", 0, "b")),
            members={"a": ["t"], "b": ["u"]},
        ),
        # the claim of who has left off the topic is older
        nearly=claimed(("t", 0, "b", 2), ("t", 0, "a", 3), members={"a": ["t"], "b": ["u"]}),
        never=claimed(("t", 0, "a"), ("u", 0, "b"), members={"a": ["t"], "b": ["u"]}),
    ),
    "claimed-twice": Cases(
        Told(
            *("critical", "topic t", 1, 1),
            "1 partition of topic t is claimed by two members of one generation in group g: "
            "t-1 by a and b.",
        ),
        fires=claimed(("t", 0, "a"), ("t", 1, "a"), ("t", 1, "b"), generations=GENERATIONS),
        nearly=claimed(("t", 1, "a", 3), ("t", 1, "b", 2), generations=GENERATIONS),
        # a row that is there twice is one claim
        never=claimed(("t", 0, "a"), ("t", 1, "b"), ("t", 1, "b"), generations=GENERATIONS),
    ),
    "stale-claims": Cases(
        Told(
            *("warning", "member b", 2, 1),
            "Member b claims 2 partitions by generation 2 while group g is at generation 3.",
        ),
        # one claim states its generation, the other has its member's
        fires=claimed(
            *(("t", 0, "a"), ("t", 1, "b", 2), ("t", 2, "b")), generations={"a": 3, "b": 2}
        ),
        # who is gone will not rejoin
        nearly=claimed(("t", 0, "a", 3), ("t", 1, "gone", 2), generations=GENERATIONS),
        never=claimed(("t", 0, "a", 3), ("t", 1, "b", 3), generations=GENERATIONS),
    ),
    "avoidable-moves": Cases(
        Told(
            *("info", "group g", 4, 1),
            "4 partitions of group g changed hands since the snapshot before although their "
            "owners stayed; the best balance would have taken none of these moves.",
        ),
        fires=changed({"a": (0, 1), "b": (2, 3)}, {"a": (2, 3), "b": (0, 1)}),
        # as many moves as balance takes
        nearly=changed({"a": range(4), "b": ()}, {"a": (0, 1), "b": (2, 3)}),
        never=changed({"a": (0, 1), "b": (2, 3)}, {"a": (0, 1), "b": (2, 3)}),
    ),
    "restarting-members": Cases(
        Told(
            *("info", "group g", 1, 1),
            "1 member of group g left since the snapshot before and 2 came, all without "
            "a static id: 2 partitions were handed on for it.",
        ),
        fires=changed({"a": (0, 1), "b": (2, 3)}, {"a": (0, 1), "c": (2,), "d": (3,)}),
        # who left had nothing
        nearly=changed({"a": range(4), "b": ()}, {"a": (0, 1), "c": (2, 3)}),
        never=changed({"a": (0, 1), "b": (2, 3)}, {"a": (0, 1), "c": (2, 3)}, static=True),
    ),
}
