"""How often a group rebalanced, and why."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import SparkSession

from spark import FleetHistory
from tests.spark.history.test_changes import group, history_of
from tests.spark.support.fleets import Fleet


def rebalances(history: FleetHistory) -> list[tuple[Any, ...]]:
    with history:
        rows = history.rebalances.where("group = 'g'").orderBy("snapshot").collect()
    return [(row.generations, row.remade, row.cause) for row in rows]


def hosts(fleet: Fleet, **of_member: str) -> Fleet:
    for row in fleet.rows["members"]:
        row["host"] = of_member.get(row["member_id"])
    return fleet


@pytest.mark.parametrize(
    ("before", "after", "cause"),
    [
        (group("aa"), group("ab"), "join"),
        (group("ab"), group("aa"), "crash"),
        (hosts(group("abc"), b="x", c="x"), group("aaa"), "crash"),
        (hosts(group("abc"), b="x", c="y"), group("aaa"), "leave"),
        (group("ab"), Fleet().topic("t", 2).group("g", {}, generation=2), "leave"),
        (group("ab"), group("ac"), "restart"),
        (group("ab"), group("ab-", {"t": 3}), "topic change"),
        (
            group("ab", {"t": 2, "u": 1}),
            group("ab", {"t": 2, "u": 1}, topics=("t", "u")),
            "topic change",
        ),
        (group("ab"), group("ab"), "none seen"),
        (group("ab"), group("ba"), "none seen"),
    ],
)
def test_the_likeliest_cause(spark: SparkSession, before: Fleet, after: Fleet, cause: str) -> None:
    before.rows["groups"][0]["generation"] = 1
    after.rows["groups"][0]["generation"] = 3
    assert rebalances(history_of(spark, before, after)) == [(2, False, cause)]


def test_a_generation_that_falls_is_a_group_made_anew(spark: SparkSession) -> None:
    history = history_of(spark, group("ab", generation=9), group("ab", generation=2))
    assert rebalances(history) == [(None, True, "made anew")]


def test_without_generations_a_change_is_a_rebalance_of_unknown_count(
    spark: SparkSession,
) -> None:
    assert rebalances(history_of(spark, group("aa"), group("ab"), group("ab"))) == [
        (None, False, "join")
    ]


def test_the_members_tell_the_generation_where_the_group_does_not(spark: SparkSession) -> None:
    before, after = group("ab"), group("ab")
    for fleet, generation in ((before, 4), (after, 5)):
        for row in fleet.rows["members"]:
            row["generation"] = generation
    assert rebalances(history_of(spark, before, after)) == [(1, False, "none seen")]


def test_generations_are_told_by_the_hour(spark: SparkSession) -> None:
    fleets = [group("ab", generation=1), Fleet().topic("t", 2), group("ab", generation=7)]
    fleets[1].group("other", {"x": ["t"]})
    with history_of(spark, fleets[0], group("ab", generation=4)) as history:
        (row,) = history.rebalances.collect()
    assert (row.hours, row.per_hour) == (1.0, 3.0)
    assert rebalances(history_of(spark, *fleets)) == []  # nobody saw the time between
