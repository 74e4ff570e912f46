"""What is told of a group from one snapshot to the next."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from spark import FleetHistory
from tests.spark.support.fleets import Fleet, snapshot_of
from tests.spark.support.histories import HOURS, random_history

COUNTS = ("changed_hands", "moves", "takeovers", "fewest_moves", "avoidable_moves")
NAMES = ("came", "left", "returned", "topics_grew", "topics_came", "topics_went")


def group(
    owners: str,
    sizes: dict[str, int] | None = None,
    instances: dict[str, str] | None = None,
    topics: Sequence[str] = ("t",),
    **facts: Any,
) -> Fleet:
    """A group whose members are those who own the partitions of `t`, by their letters."""
    fleet = Fleet()
    for topic, size in (sizes or {"t": len(owners)}).items():
        fleet.topic(topic, size)
    members = dict.fromkeys(sorted(set(owners) - {"-"}), topics)
    owned = [("t", number, owner) for number, owner in enumerate(owners) if owner != "-"]
    fleet.group("g", members, owned, **facts)
    for row in fleet.rows["members"]:
        row["instance_id"] = (instances or {}).get(row["member_id"])
    return fleet


def history_of(spark: SparkSession, *fleets: Fleet) -> FleetHistory:
    snapshots = zip(HOURS, fleets, strict=False)
    return FleetHistory.of([snapshot_of(spark, fleet.tables(), one) for one, fleet in snapshots])


def told(spark: SparkSession, *fleets: Fleet) -> list[dict[str, Any]]:
    """The changes of group g, without what is empty or 0."""
    with history_of(spark, *fleets) as history:
        rows = history.changes.where("group = 'g'").orderBy("snapshot").collect()
    return [
        {name: row[name] for name in (*NAMES, "subscriptions_changed", *COUNTS) if row[name]}
        for row in rows
    ]


def test_nothing_is_told_of_what_stays(spark: SparkSession) -> None:
    assert told(spark, group("aabb", generation=1), group("aabb", generation=7)) == []


def test_members_come_and_leave_and_partitions_move_and_are_taken_over(
    spark: SparkSession,
) -> None:
    assert told(spark, group("aabb"), group("aacb"), group("aacc")) == [
        {"came": ["c"], "changed_hands": 1, "moves": 1, "fewest_moves": 1},
        {"left": ["b"], "changed_hands": 1, "takeovers": 1},
    ]


def test_moves_that_nothing_asked_for_are_avoidable(spark: SparkSession) -> None:
    assert told(spark, group("aabb"), group("abab")) == [
        {"changed_hands": 2, "moves": 2, "avoidable_moves": 2}
    ]


def test_what_leads_to_a_worse_balance_could_have_stayed_as_it_was(spark: SparkSession) -> None:
    assert told(spark, group("aabb"), group("aaab"))[0]["avoidable_moves"] == 1


def test_a_member_that_returns_by_its_instance_id_keeps_what_it_has(spark: SparkSession) -> None:
    before = group("aabb", instances={"a": "one", "b": "two"})
    after = group("aacc", instances={"a": "one", "c": "two"})
    moved = group("acac", instances={"a": "one", "c": "two"})
    assert told(spark, before, after) == [{"came": ["c"], "left": ["b"], "returned": ["c"]}]
    (change,) = told(spark, before, moved)
    assert (change["moves"], change["takeovers"]) == (1, 1)


def test_topics_grow_come_and_go_and_one_that_shrinks_was_made_anew(spark: SparkSession) -> None:
    topics = ("t", "u", "v", "w")
    before = group("aa", {"t": 2, "u": 1, "v": 3}, topics=topics)
    after = group("aa", {"t": 3, "v": 2, "w": 1}, topics=topics)
    assert told(spark, before, after) == [
        {"topics_grew": ["t"], "topics_came": ["v", "w"], "topics_went": ["u", "v"]}
    ]


def test_subscriptions_of_those_who_stay_or_return_are_compared(spark: SparkSession) -> None:
    before = group("ab", {"t": 2, "u": 1}, {"b": "two"})
    after = group("ac", {"t": 2, "u": 1}, {"c": "two"}, topics=("t", "u"))
    (change,) = told(spark, before, after)
    assert change["subscriptions_changed"] == 2
    assert change["topics_came"] == ["u"]


def test_a_group_that_is_gone_and_comes_back_is_told_of_twice(spark: SparkSession) -> None:
    other = Fleet().topic("t", 4).group("other", {"x": ["t"]})
    with history_of(spark, group("aabb"), other, other, group("aabb")) as history:
        rows = history.changes.where("group = 'g'").orderBy("snapshot").collect()
        states = history.states.where("group = 'g'").collect()
    assert [(row.from_snapshot, row.snapshot) for row in rows] == [
        (HOURS[0], HOURS[1]),
        (HOURS[2], HOURS[3]),
    ]
    assert [(row.status_before, row.status) for row in rows] == [("ok", "gone"), (None, "ok")]
    assert [(row.left, row.came) for row in rows] == [(["a", "b"], []), ([], ["a", "b"])]
    assert sorted(row.snapshot for row in states) == [HOURS[0], HOURS[3]]


def test_a_group_without_members_moves_nothing(spark: SparkSession) -> None:
    empty = Fleet().topic("t", 2).group("g", {}, state="Empty")
    with history_of(spark, group("ab"), empty, group("ab")) as history:
        rows = history.changes.orderBy("snapshot").collect()
    assert [(row.status, row.moves, row.takeovers) for row in rows] == [
        ("empty", 0, 0),
        ("ok", 0, 0),
    ]


def test_a_group_that_changes_its_type_has_a_change(spark: SparkSession) -> None:
    with history_of(spark, group("ab", type="classic"), group("ab", type="consumer")) as history:
        (row,) = history.changes.collect()
    assert (row.type_before, row.type) == ("classic", "consumer")


def test_what_is_not_known_before_or_after_is_null(spark: SparkSession) -> None:
    rebalancing = group("ab", state="PreparingRebalance")
    with history_of(spark, group("ab"), rebalancing, group("ba")) as history:
        rows = history.changes.orderBy("snapshot").collect()
    assert [(row.status_before, row.status, row.moves) for row in rows] == [
        ("ok", "rebalancing", None),
        ("rebalancing", "ok", None),
    ]


@pytest.fixture(scope="module")
def random_one(spark: SparkSession) -> FleetHistory:
    fleets = random_history(seed=3, groups=15, hours=8)
    return FleetHistory.of(
        [snapshot_of(spark, fleet.tables(), one) for one, fleet in fleets.items()]
    )


def test_moves_add_up_to_those_that_a_join_of_ownership_counts(random_one: FleetHistory) -> None:
    expected = moves_by_join(random_one)
    with random_one:
        found = random_one.changes.agg(F.sum("moves")).collect()[0][0]
    assert found == expected > 30


def moves_by_join(history: FleetHistory) -> int:
    """Partitions with another owner whose owner before is there and reads the topic."""
    tables = history.tables
    moves = 0
    for cluster, ids in history.timeline.snapshots.items():
        for before, after in pairwise(ids):

            def at(table: str, snapshot: str, cluster: str = cluster) -> DataFrame:
                rows = tables[table].where(F.col("snapshot") == snapshot)
                return rows.where(F.col("cluster") == cluster)

            keys = ["cluster", "group", "topic", "partition"]
            was = at("assignments", before).select(*keys, F.col("member_id").alias("was"))
            now = at("assignments", after).select(*keys, F.col("member_id").alias("now"))
            reads = at("subscriptions", after).select(
                "cluster", "group", "topic", F.col("member_id").alias("was")
            )
            changed = was.join(now, keys).where("was != now")
            moves += changed.join(reads, ["cluster", "group", "topic", "was"]).count()
    return moves


def test_facts_that_did_not_change_are_told_once(random_one: FleetHistory) -> None:
    """Nothing else is shipped to Python: cost grows with changes."""
    with random_one:
        facts = random_one.facts()
        starts = facts.rows.where("position = start").count()
        assert facts.spans.count() == starts < facts.rows.count()
