"""Partitions that nobody reads: how many, and who gets them, alike in all rows of a group."""

from typing import Any

import pytest

from spark.explain import explain_rows
from spark.groups import read_or_failed
from spark.settings import Copartitioned, FleetGoals
from spark.solve.homogeneous import plan_homogeneous
from tests.support.fleets import Fleet
from tests.support.rows import rows_of, solved

BESIDE = (("other", 0, "z"),)
"""A claim in another group of the cluster."""


@pytest.mark.parametrize(
    ("state", "claims", "beside", "unread", "given"),
    [
        ("Stable", [("t", 0, "a"), ("t", 1, "b"), ("t", 2, "b")], (), 0, 0),
        ("Stable", [("t", 1, "b")], (), 2, 2),
        (None, [("t", 1, "b")], (), 2, 2),
        # whom somebody claims, though in vain, is another trouble
        ("Stable", [("t", 0, "gone"), ("t", 1, "a"), ("t", 1, "b")], (), 1, 3),
        # nothing tells who owns what
        ("Stable", [], (), None, 3),
        *((state, [], BESIDE, None, 3) for state in (None, "Empty")),
        ("Stable", [], BESIDE, 3, 3),
    ],
)
def test_partitions_that_nobody_reads(
    state: str | None, claims: Any, beside: Any, unread: int | None, given: int
) -> None:
    fleet = Fleet().topic("t", 3).topic("nobody reads it", 2).topic("other", 1)
    fleet.group("g", {"a": ["t"], "b": ["t"]}, claims, state=state)
    fleet.group("h", {"z": ["other"]}, beside, state="Stable")
    row = rows_of(fleet, "g")
    assert (read_or_failed(row).unread, solved(row).unread) == (unread, unread)
    at_once = plan_homogeneous({0: (row, read_or_failed(row))}, "optimal")
    assert [item.unread for item in at_once.values()] in ([unread], [])
    (explained,) = explain_rows([row])
    assert explained.unread == unread
    taken = [row for row in explained.changes if not row["from"].startswith(("a (", "b ("))]
    assert len(taken) == given


def test_copartitioned_topics_stay_together() -> None:
    """In the plan that a group is advised, whose topics an assignor would part."""
    topics = {"a": ["t", "u"], "b": ["t", "u"], "c": ["t", "u"]}
    fleet = Fleet().topic("t", 3).topic("u", 3)
    fleet.group("g", topics, [("t", p, "a") for p in range(3)] + [("u", p, "b") for p in range(3)])
    goals = FleetGoals(joined=(Copartitioned(("t", "u", "no other")),))
    (apart,), (joined,) = (explain_rows([rows_of(fleet)], of) for of in (FleetGoals(), goals))
    assert apart.advised.advice_strategy == "cooperative-sticky"
    assert str(joined.advised.advice).startswith("It breaks a limit")
    counts = {(member, topic): planned for member, topic, _, planned in joined.by_topic}
    assert {counts.get((m, "t"), 0) - counts.get((m, "u"), 0) for m in topics} == {0}


def test_who_gets_them_is_said() -> None:
    fleet = Fleet().topic("t", 3).group("g", {"a": ["t"], "b": ["t"]}, [("t", 0, "a")])
    (explained,) = explain_rows([rows_of(fleet)])
    assert [tuple(row.values()) for row in explained.changes] == [
        ("t-1", "nobody", "a (1 → 2)"),
        ("t-2", "nobody", "b (0 → 1)"),
    ]
