"""What changed in a group from one snapshot to the next, and how often it rebalanced."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession, functions as F

from spark import FleetHistory
from tests.spark.replay.plain_loop import carried, changes_of
from tests.spark.replay.random_histories import History, random_histories
from tests.support.fleets import Fleet
from tests.support.histories import HOURS

COLUMNS = (
    *("came", "left", "returned", "topics_grew", "topics_came", "topics_went"),
    *("subscriptions_changed", "changed_hands", "moves", "takeovers"),
    *("fewest_moves", "avoidable_moves"),
)


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
    return each_member(fleet, "instance_id", instances or {})


def each_member(fleet: Fleet, column: str, values: Mapping[str, Any]) -> Fleet:
    """The same, with a column of members by their ids."""
    for row in fleet.rows["members"]:
        row[column] = values.get(row["member_id"])
    return fleet


def one_history(
    spark: SparkSession, store: Path, cases: Mapping[str, Sequence[Fleet]]
) -> FleetHistory:
    """A history in which each case is a cluster, with as many snapshots as it has fleets."""
    for at, hour in enumerate(HOURS[: max(map(len, cases.values()))]):
        fleet = Fleet()
        for cluster, fleets in cases.items():
            for table, rows in fleets[at].rows.items() if at < len(fleets) else ():
                fleet.rows[table] += [row | {"cluster": cluster} for row in rows]
        fleet.store(store, hour)
    return FleetHistory.read(spark, str(store))


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
    "once": [group("ab", generation=3)],
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

AGAIN = {"topics_came": ["t"], "topics_went": ["t"]}

CHANGES: dict[str, list[dict[str, Any]]] = {
    "once": [],
    "stays": [],
    "come and go": [
        {"came": ["c"], "changed_hands": 1, "moves": 1, "fewest_moves": 1},
        {"left": ["b"], "changed_hands": 1, "takeovers": 1},
    ],
    # nothing asked for these moves, or they lead to a worse balance
    "needless": [{"changed_hands": 2, "moves": 2, "avoidable_moves": 2}],
    "worse": [{"changed_hands": 1, "moves": 1, "avoidable_moves": 1}],
    # by its instance id a member keeps what it had
    "returned": [{"came": ["c"], "left": ["b"], "returned": ["c"]}],
    "returned to less": [
        {
            **{"came": ["c"], "left": ["b"], "returned": ["c"]},
            **{"changed_hands": 2, "moves": 2, "avoidable_moves": 2},
        }
    ],
    # one that shrinks was made anew
    "topics": [{"topics_grew": ["t"], "topics_came": ["v", "w"], "topics_went": ["u", "v"]}],
    # whatever its size, under another id; nothing is told where an id isn't known before or after
    "made again": [AGAIN, AGAIN],
    # with all of its partitions a would have one more than anybody has, and had to lose it
    "claims cancel out": [{"left": ["d"], "changed_hands": 1, "takeovers": 1}],
    # of those who stay or return
    "subscriptions": [
        {
            **{"came": ["c"], "left": ["b"], "returned": ["c"], "topics_came": ["u"]},
            "subscriptions_changed": 2,
        }
    ],
}
"""What a change has that isn't empty or 0."""

CELLS: dict[str, tuple[tuple[str, ...], list[tuple[Any, ...]]]] = {
    "gone and back": (
        ("from_snapshot", "snapshot", "status_before", "status", "left", "came"),
        [
            (HOURS[0], HOURS[1], "ok", "gone", ["a", "b"], []),
            (HOURS[2], HOURS[3], None, "ok", [], ["a", "b"]),
        ],
    ),
    "empty": (("status", "moves", "takeovers"), [("empty", 0, 0), ("ok", 0, 0)]),
    "type": (("type_before", "type"), [("classic", "consumer")]),
    # what isn't known before or after is null
    "rebalancing": (
        ("status_before", "status", "moves"),
        [("ok", "rebalancing", None), ("rebalancing", "ok", None)],
    ),
}
"""Single columns of changes."""

TWO = {"t": 2, "u": 1}
HOSTS = each_member(group("abc"), "host", {"b": "x", "c": "x"})
OTHER_HOSTS = each_member(group("abc"), "host", {"b": "x", "c": "y"})

CAUSES = {
    "one joins": (group("aa"), group("ab"), "join"),
    "one leaves": (group("ab"), group("aa"), "crash"),
    "a host leaves": (HOSTS, group("aaa"), "crash"),
    "two hosts leave": (OTHER_HOSTS, group("aaa"), "leave"),
    "all leave": (group("ab"), Fleet().topic("t", 2).group("g", {}), "leave"),
    "one is replaced": (group("ab"), group("ac"), "restart"),
    "a topic grows": (group("ab"), group("ab-", {"t": 3}), "topic change"),
    "they read more": (group("ab", TWO), group("ab", TWO, topics=("t", "u")), "topic change"),
    "nothing": (group("ab"), group("ab"), "none seen"),
    "moves alone": (group("ab"), group("ba"), "none seen"),
}
"""Before, after, and the likeliest cause; the generation rises from 1 to 3."""

REBALANCES: dict[str, tuple[list[Fleet], list[tuple[Any, ...]]]] = {
    # a generation that falls is a recreated group
    "recreated": (
        [group("ab", generation=9), group("ab", generation=2)],
        [(None, True, "recreated", None)],
    ),
    # without generations a change is a rebalance of unknown count
    "unknown": ([group("aa"), group("ab"), group("ab")], [(None, False, "join", None)]),
    # the members tell it where the group doesn't
    "by members": (
        [each_member(group("ab"), "generation", {"a": n, "b": n}) for n in (4, 5)],
        [(1, False, "none seen", 1.0)],
    ),
    "by the hour": (
        [group("ab", generation=1), group("ab", generation=4)],
        [(3, False, "none seen", 3.0)],
    ),
    # of a time that nobody saw nothing is told
    "unseen": ([group("ab", generation=1), OTHER, group("ab", generation=7)], []),
}
"""Generations, whether the group was remade, the cause, and generations an hour."""


def with_generations(before: Fleet, after: Fleet) -> list[Fleet]:
    before.rows["groups"][0]["generation"] = 1
    after.rows["groups"][0]["generation"] = 3
    return [before, after]


Found = dict[str, list[Any]]


@pytest.fixture(scope="module")
def drawn() -> tuple[dict[str, Fleet], list[History]]:
    return random_histories(range(8))


@pytest.fixture(scope="module")
def history(
    spark: SparkSession, drawn: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[FleetHistory]:
    """All cases, each a cluster, and random ones, whose clusters begin with `c0`."""
    store = tmp_path_factory.mktemp("store")
    for item, fleet in drawn[0].items():
        fleet.store(store, item)
    cases = CASES | {case: fleets for case, (fleets, _) in REBALANCES.items()}
    cases |= {case: with_generations(*fleets) for case, (*fleets, _) in CAUSES.items()}
    with one_history(spark, store, cases) as made:
        yield made


def by_case(rows: DataFrame) -> Found:
    """Those of group g."""
    found: Found = defaultdict(list)
    for row in rows.where("group = 'g'").orderBy("snapshot").collect():
        found[row.cluster].append(row)
    return found


@pytest.fixture(scope="module")
def changes(history: FleetHistory) -> Found:
    return by_case(history.changes)


@pytest.fixture(scope="module")
def rebalances(history: FleetHistory) -> Found:
    return by_case(history.rebalances)


@pytest.mark.parametrize("case", CHANGES)
def test_what_changed(changes: Found, case: str) -> None:
    rows = changes[case]
    told = [{name: row[name] for name in COLUMNS if row[name]} for row in rows]
    assert told == CHANGES[case]


@pytest.mark.parametrize("case", CELLS)
def test_columns_of_changes(changes: Found, case: str) -> None:
    columns, expected = CELLS[case]
    assert [tuple(row[name] for name in columns) for row in changes[case]] == expected


@pytest.mark.parametrize("case", CAUSES)
def test_the_likeliest_cause(rebalances: Found, case: str) -> None:
    (row,) = rebalances[case]
    assert (row.generations, row.remade, row.cause) == (2, False, CAUSES[case][2])


@pytest.mark.parametrize("case", REBALANCES)
def test_rebalances(rebalances: Found, case: str) -> None:
    rows = [(row.generations, row.remade, row.cause, row.per_hour) for row in rebalances[case]]
    assert rows == REBALANCES[case][1]


def test_random_changes_add_up_and_unchanged_facts_are_told_once(
    history: FleetHistory, drawn: Any
) -> None:
    """Nothing else than changed facts is shipped to Python: cost grows with changes."""
    result = history.changes.where("cluster like 'c0%'").agg(F.sum("moves")).collect()[0][0]
    spans = history.group_spans()
    starts = spans.rows.where("position = start").count()
    assert spans.spans.count() == starts < spans.rows.count()
    moves = sum(
        changes_of(now, carried(before, before.owners, now), now.owners)[0]
        for of in drawn[1]
        for before, now in pairwise(of.looks)
        if before and now and before.is_judged and now.is_judged
    )
    assert result == moves > 30
