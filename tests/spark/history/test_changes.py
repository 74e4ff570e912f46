"""What is told of a group from one snapshot to the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession, functions as F

from spark import FleetHistory
from tests.support.fleets import Fleet, snapshot_of
from tests.support.histories import HOURS, random_history

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


def one_history(spark: SparkSession, cases: Mapping[str, Sequence[Fleet]]) -> FleetHistory:
    """A history in which each case is a cluster, with as many snapshots as it has fleets."""
    snapshots = []
    for at, hour in enumerate(HOURS[: max(map(len, cases.values()))]):
        fleet = Fleet()
        for cluster, fleets in cases.items():
            for table, rows in fleets[at].rows.items() if at < len(fleets) else ():
                fleet.rows[table] += [row | {"cluster": cluster} for row in rows]
        snapshots.append(snapshot_of(spark, fleet.tables(), hour))
    return FleetHistory.of(snapshots)


def with_id(fleet: Fleet, topic_id: str | None) -> Fleet:
    """The same, the topic `t` under this id."""
    for row in fleet.rows["partitions"]:
        row["topic_id"] = topic_id
    return fleet


def both_own(fleet: Fleet, *numbers: int) -> Fleet:
    """The same, with partitions of `t` that a and b claim in one generation."""
    for number in numbers:
        for member in ("a", "b"):
            fleet.add("assignments", group="g", topic="t", partition=number, member_id=member)
    return fleet


OLD, NEW = "0" * 31 + "1", "0" * 31 + "2"
TOPICS = ("t", "u", "v", "w")
STATIC = {"a": "one", "b": "two"}
RETURNED = {"a": "one", "c": "two"}
OTHER = Fleet().topic("t", 4).group("other", {"x": ["t"]})
EMPTY = Fleet().topic("t", 2).group("g", {}, state="Empty")

CASES = {
    "stays": [group("aabb", generation=1), group("aabb", generation=7)],
    "come and go": [group("aabb"), group("aacb"), group("aacc")],
    "needless": [group("aabb"), group("abab")],
    "worse": [group("aabb"), group("aaab")],
    "returned": [group("aabb", instances=STATIC), group("aacc", instances=RETURNED)],
    "returned to less": [group("aabb", instances=STATIC), group("acac", instances=RETURNED)],
    "topics": [
        group("aa", {"t": 2, "u": 1, "v": 3}, topics=TOPICS),
        group("aa", {"t": 3, "v": 2, "w": 1}, topics=TOPICS),
    ],
    "made again": [
        with_id(group("aa"), OLD),
        with_id(group("aa"), NEW),
        with_id(group("aaa"), OLD),
        with_id(group("aaa"), None),
        with_id(group("aaa"), NEW),
    ],
    "claims cancel out": [group("aaaabbbcd"), both_own(group("--aabbbcc"), 0, 1)],
    "subscriptions": [
        group("ab", {"t": 2, "u": 1}, {"b": "two"}),
        group("ac", {"t": 2, "u": 1}, {"c": "two"}, topics=("t", "u")),
    ],
    "gone and back": [group("aabb"), OTHER, OTHER, group("aabb")],
    "empty": [group("ab"), EMPTY, group("ab")],
    "type": [group("ab", type="classic"), group("ab", type="consumer")],
    "rebalancing": [group("ab"), group("ab", state="PreparingRebalance"), group("ba")],
}


@pytest.fixture(scope="module")
def found(spark: SparkSession) -> dict[str, list[Any]]:
    """The changes of group g, by case."""
    with one_history(spark, CASES) as history:
        rows = history.changes.where("group = 'g'").orderBy("snapshot").collect()
    return {case: [row for row in rows if row.cluster == case] for case in CASES}


Found = dict[str, list[Any]]


def told(rows: list[Any]) -> list[dict[str, Any]]:
    """Without what is empty or 0."""
    names = (*NAMES, "subscriptions_changed", *COUNTS)
    return [{name: row[name] for name in names if row[name]} for row in rows]


def test_nothing_is_told_of_what_stays(found: Found) -> None:
    assert found["stays"] == []


def test_members_come_and_leave_and_partitions_move_and_are_taken_over(found: Found) -> None:
    assert told(found["come and go"]) == [
        {"came": ["c"], "changed_hands": 1, "moves": 1, "fewest_moves": 1},
        {"left": ["b"], "changed_hands": 1, "takeovers": 1},
    ]


def test_moves_that_nothing_asked_for_are_avoidable(found: Found) -> None:
    assert told(found["needless"]) == [{"changed_hands": 2, "moves": 2, "avoidable_moves": 2}]


def test_what_leads_to_a_worse_balance_could_have_stayed_as_it_was(found: Found) -> None:
    assert told(found["worse"])[0]["avoidable_moves"] == 1


def test_a_member_that_returns_by_its_instance_id_keeps_what_it_has(found: Found) -> None:
    assert told(found["returned"]) == [{"came": ["c"], "left": ["b"], "returned": ["c"]}]
    (change,) = found["returned to less"]
    assert (change.moves, change.takeovers, change.avoidable_moves) == (2, 0, 2)


def test_topics_grow_come_and_go_and_one_that_shrinks_was_made_anew(found: Found) -> None:
    assert told(found["topics"]) == [
        {"topics_grew": ["t"], "topics_came": ["v", "w"], "topics_went": ["u", "v"]}
    ]


def test_a_topic_under_another_id_was_made_again_whatever_its_size(found: Found) -> None:
    """Nothing is told where an id isn't known before or after."""
    went_and_came = {"topics_came": ["t"], "topics_went": ["t"]}
    assert told(found["made again"]) == [went_and_came, went_and_came]


def test_what_claims_that_cancel_out_leave_unassigned_asks_for_no_move(found: Found) -> None:
    """With all of its partitions a would have one more than anybody has, and had to lose it."""
    (change,) = found["claims cancel out"]
    assert (change.takeovers, change.moves, change.fewest_moves) == (1, 0, 0)
    assert change.avoidable_moves == 0


def test_subscriptions_of_those_who_stay_or_return_are_compared(found: Found) -> None:
    (change,) = found["subscriptions"]
    assert change.subscriptions_changed == 2
    assert change.topics_came == ["u"]


def test_a_group_that_is_gone_and_comes_back_is_told_of_twice(found: Found) -> None:
    rows = found["gone and back"]
    assert [(row.from_snapshot, row.snapshot) for row in rows] == [
        (HOURS[0], HOURS[1]),
        (HOURS[2], HOURS[3]),
    ]
    assert [(row.status_before, row.status) for row in rows] == [("ok", "gone"), (None, "ok")]
    assert [(row.left, row.came) for row in rows] == [(["a", "b"], []), ([], ["a", "b"])]


def test_a_group_without_members_moves_nothing(found: Found) -> None:
    assert [(row.status, row.moves, row.takeovers) for row in found["empty"]] == [
        ("empty", 0, 0),
        ("ok", 0, 0),
    ]


def test_a_group_that_changes_its_type_has_a_change(found: Found) -> None:
    (row,) = found["type"]
    assert (row.type_before, row.type) == ("classic", "consumer")


def test_what_is_not_known_before_or_after_is_null(found: Found) -> None:
    rows = found["rebalancing"]
    assert [(row.status_before, row.status, row.moves) for row in rows] == [
        ("ok", "rebalancing", None),
        ("rebalancing", "ok", None),
    ]


@pytest.fixture(scope="module")
def random_one(spark: SparkSession) -> FleetHistory:
    fleets = random_history(seed=3, groups=15, hours=8)
    return FleetHistory.of(
        [snapshot_of(spark, fleet.tables(), item) for item, fleet in fleets.items()]
    )


def test_moves_add_up_to_those_that_a_join_of_ownership_counts(random_one: FleetHistory) -> None:
    expected = moves_by_join(random_one)
    with random_one:
        result = random_one.changes.agg(F.sum("moves")).collect()[0][0]
    assert result == expected > 30


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
        spans = random_one.group_spans()
        starts = spans.rows.where("position = start").count()
        assert spans.spans.count() == starts < spans.rows.count()
