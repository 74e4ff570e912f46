"""How often a group rebalanced, and why."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.spark.history.test_changes import group, one_history
from tests.support.fleets import Fleet


def hosts(fleet: Fleet, **of_member: str) -> Fleet:
    for row in fleet.rows["members"]:
        row["host"] = of_member.get(row["member_id"])
    return fleet


def told_by_members(generation: int) -> Fleet:
    fleet = group("ab")
    for row in fleet.rows["members"]:
        row["generation"] = generation
    return fleet


TWO = {"t": 2, "u": 1}
OTHER = Fleet().topic("t", 2).group("other", {"x": ["t"]})

CAUSES = {
    "one joins": (group("aa"), group("ab"), "join"),
    "one leaves": (group("ab"), group("aa"), "crash"),
    "a host leaves": (hosts(group("abc"), b="x", c="x"), group("aaa"), "crash"),
    "two hosts leave": (hosts(group("abc"), b="x", c="y"), group("aaa"), "leave"),
    "all leave": (group("ab"), Fleet().topic("t", 2).group("g", {}), "leave"),
    "one is replaced": (group("ab"), group("ac"), "restart"),
    "a topic grows": (group("ab"), group("ab-", {"t": 3}), "topic change"),
    "they read more": (group("ab", TWO), group("ab", TWO, topics=("t", "u")), "topic change"),
    "nothing": (group("ab"), group("ab"), "none seen"),
    "moves alone": (group("ab"), group("ba"), "none seen"),
}
"""Before, after, and the likeliest cause; the generation rises from 1 to 3."""

OTHERS = {
    "recreated": [group("ab", generation=9), group("ab", generation=2)],
    "unknown": [group("aa"), group("ab"), group("ab")],
    "by members": [told_by_members(4), told_by_members(5)],
    "by the hour": [group("ab", generation=1), group("ab", generation=4)],
    "unseen": [group("ab", generation=1), OTHER, group("ab", generation=7)],
}


@pytest.fixture(scope="module")
def found(spark: SparkSession) -> dict[str, list[Any]]:
    """The rebalances of group g, by case."""
    cases = dict(OTHERS)
    for name, (before, after, _) in CAUSES.items():
        before.rows["groups"][0]["generation"] = 1
        after.rows["groups"][0]["generation"] = 3
        cases[name] = [before, after]
    with one_history(spark, cases) as history:
        rows = history.rebalances.where("group = 'g'").orderBy("snapshot").collect()
    return {case: [row for row in rows if row.cluster == case] for case in cases}


def told(rows: list[Any]) -> list[tuple[Any, ...]]:
    return [(row.generations, row.remade, row.cause) for row in rows]


@pytest.mark.parametrize("case", CAUSES)
def test_the_likeliest_cause(found: dict[str, list[Any]], case: str) -> None:
    assert told(found[case]) == [(2, False, CAUSES[case][2])]


def test_a_generation_that_falls_is_a_recreated_group(found: dict[str, list[Any]]) -> None:
    assert told(found["recreated"]) == [(None, True, "recreated")]


def test_without_generations_a_change_is_a_rebalance_of_unknown_count(
    found: dict[str, list[Any]],
) -> None:
    assert told(found["unknown"]) == [(None, False, "join")]


def test_the_members_tell_the_generation_where_the_group_does_not(
    found: dict[str, list[Any]],
) -> None:
    assert told(found["by members"]) == [(1, False, "none seen")]


def test_generations_are_told_by_the_hour(found: dict[str, list[Any]]) -> None:
    (row,) = found["by the hour"]
    assert (row.hours, row.per_hour) == (1.0, 3.0)


def test_of_a_time_that_nobody_saw_nothing_is_told(found: dict[str, list[Any]]) -> None:
    assert found["unseen"] == []
