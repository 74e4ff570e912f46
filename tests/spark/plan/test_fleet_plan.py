"""Planning a fleet of groups made by hand: every action by names, its measures and its sum."""

from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.sql import Row, SparkSession

from optimizer import Goals
from spark import FleetGoals, plan_fleet
from spark.plan.summary import sentence_of
from spark.settings import GroupGoals
from tests.support.fleets import Fleet
from tests.support.kept import kept_in

ASSIGNMENTS = (
    "struct<cluster:string,group:string,topic:string,partition:int,member_id:string,"
    "previous_member_id:string,action:string>"
)
GROUPS = (
    "struct<cluster:string,group:string,status:string,reason:string,strategy:string,members:int,"
    "partitions:int,max_load:bigint,min_load:bigint,sum_squares:bigint,moves:bigint,"
    "takeovers:bigint,balance_optimal:boolean,moves_optimal:boolean,seconds:double>"
)


def fleet() -> Fleet:
    """One group of each kind; topics are shared, as they are in a cluster."""
    made = Fleet()
    for name, partitions in {"t": 3, "u": 1, "one": 1, "old": 3}.items():
        made.topic(name, partitions)
    made.topic("t", 1, cluster="d")
    ab = {"a": ["t"], "b": ["t"]}
    a_has_all = [("t", 0, "a"), ("t", 1, "a"), ("t", 2, "a")]
    made.group("moves", ab, a_has_all)
    made.group("owner left", {"a": ["one"]}, [("one", 0, "z")])
    made.group("owner unsubscribed", {"a": ["one"], "b": ["u"]}, [("one", 0, "b"), ("u", 0, "b")])
    made.group("two generations", ab, [*a_has_all, ("t", 0, "b", 2)], generations={"a": 1, "b": 2})
    made.group("one generation", ab, [*a_has_all, ("t", 0, "z", 1)], generations={"a": 1, "b": 1})
    made.group("impossible", {"a": ["one"]}, [("one", 7, "a"), ("one", -1, "a"), ("one", 0, "a")])
    deleted = [("gone", 0, "a"), ("one", 0, "a")]
    made.group("vanished", {"a": ["one", "gone"]}, deleted, hidden_topics=[])
    made.group("unread", {"a": ["one"]}, [("old", 1, "a"), ("old", 2, "z"), ("one", 0, "a")])
    made.group("idle", {"a": ["one"], "b": ["one"], "c": []}, [("one", 0, "b")])
    made.group("bound", {"a": ["t"], "b": []}, a_has_all)
    made.group("no subscription", {"a": []})
    made.group("guessed", {"a": ["one"]}, subscriptions_inferred=True)
    made.group("naïve 'group' \"\n\\", {"a'\n": ["one"]}, [("one", 0, "ü")])
    made.group("moves", {"a": ["t"]}, cluster="d")
    made.group("empty", {}, [("one", 0, "z")], state="Empty")
    made.group("rebalancing", ab, state="PreparingRebalance")
    made.group("twins", ab).add("members", group="twins", member_id="a")
    made.group("listed twice", ab).add("groups", group="listed twice")
    made.add("members", group="unlisted", member_id="a")
    return made


EXPECTED = {
    ("c", "moves"): "t0 a a keep, t1 a a keep, t2 b a move",
    ("c", "owner left"): "one0 a z takeover",
    ("c", "owner unsubscribed"): "one0 a b takeover, u0 b b keep",
    ("c", "two generations"): "t0 b b keep, t1 a a keep, t2 a a keep",
    ("c", "one generation"): "t0 b - new, t1 a a keep, t2 a a keep",
    ("c", "impossible"): "one0 a a keep",
    ("c", "vanished"): "one0 a a keep",
    ("c", "unread"): "old1 - a drop, old2 - z drop, one0 a a keep",
    ("c", "idle"): "one0 b b keep",
    ("c", "bound"): "t0 a a keep, t1 a a keep, t2 a a keep",
    ("c", "guessed"): "one0 a - new",
    ("c", "naïve 'group' \"\n\\"): "one0 a'\n ü takeover",
    ("d", "moves"): "t0 a - new",
}


@pytest.fixture(scope="module")
def planned(spark: SparkSession) -> SimpleNamespace:
    """The plan's tables with their schemas, from one run."""
    with plan_fleet(fleet().snapshot(spark)) as plan:
        return SimpleNamespace(
            assignments=plan.assignments.collect(),
            groups=plan.groups.collect(),
            schemas=[plan.assignments.schema, plan.groups.schema],
            summary=plan.summary(),
            sentence=plan.sentence(),
        )


def test_the_tables_have_the_columns_of_the_contract(planned: SimpleNamespace) -> None:
    """Columns of its own come after the contract's."""
    assignments, groups = (schema.simpleString() for schema in planned.schemas)
    assert assignments == ASSIGNMENTS
    assert groups.startswith(GROUPS.removesuffix(">") + ",")


def test_every_partition_of_a_planned_group_has_one_row(planned: SimpleNamespace) -> None:
    """And no other group has any."""
    result: dict[tuple[str, str], list[str]] = {}
    for row in sorted(planned.assignments, key=lambda row: (row.topic, row.partition)):
        member, previous = (name or "-" for name in (row.member_id, row.previous_member_id))
        line = f"{row.topic}{row.partition} {member} {previous} {row.action}"
        result.setdefault((row.cluster, row.group), []).append(line)
    assert {group: ", ".join(lines) for group, lines in result.items()} == EXPECTED


def test_measures_are_there_just_for_planned_groups(planned: SimpleNamespace) -> None:
    for row in planned.groups:
        measures = row[6:14]
        if row.status in {"ok", "inferred"}:
            assert None not in measures
            assert (row.balance_optimal, row.moves_optimal) == (True, True)
        else:
            assert set(measures) == {None}
        assert row.strategy == "optimal"
        assert row.seconds >= 0
    measures = {(row.cluster, row.group): row[5:12] for row in planned.groups}
    # members, partitions, largest and smallest load, sum of squares, moves, takeovers
    assert measures["c", "moves"] == (2, 3, 2, 1, 5, 1, 0)
    assert measures["c", "owner left"] == (1, 1, 1, 1, 1, 0, 1)
    assert measures["c", "idle"] == (3, 1, 1, 0, 1, 0, 0)
    assert measures["c", "unread"] == (1, 1, 1, 1, 1, 0, 0)
    assert measures["c", "no subscription"] == (1, 0, 0, 0, 0, 0, 0)
    assert measures["c", "twins"] == (3, *[None] * 6)


def test_the_summary_counts_statuses_and_the_fleet_before_and_after(
    planned: SimpleNamespace,
) -> None:
    assert planned.sentence == (
        "The plan evens out 1 of 15 groups by moving 1 of 22 partitions; 3 orphaned partitions get "
        "a new owner. In 1 more group other loads come closer. In 1 group loads stay two or more "
        "apart, because members subscribe to different topics."
    )
    statuses, (result, plan) = planned.summary
    assert statuses == [
        {"status": "empty", "groups": 1},
        {"status": "inferred", "groups": 1},
        {"status": "invalid", "groups": 2},
        {"status": "ok", "groups": 14},
        {"status": "rebalancing", "groups": 1},
    ]
    # 'moves' (3 and 0) is uneven, 'bound' is at its optimum; 'one generation' (2 and 0) lacks one
    squares = {"moves": 9, "owner unsubscribed": 1, "two generations": 5, "one generation": 4}
    squares["bound"] = 9
    ones = ("impossible", "vanished", "unread", "idle")
    assert result == {
        "fleet": "now",
        "uneven_groups": 1,
        "max_load": 3,
        "worst_max_to_mean": 3.0,  # 'idle' too: one partition, three members
        "sum_of_squares": sum(squares.values()) + len(ones),
        "moves": 0,
        "takeovers": 0,
    }
    assert plan == {
        "fleet": "planned",
        "uneven_groups": 0,
        "max_load": 3,
        "worst_max_to_mean": 3.0,
        "sum_of_squares": 3 * 5 + 2 + 8 + 9,
        "moves": 1,
        "takeovers": 3,
    }


def test_without_a_table_of_groups_they_are_those_that_members_name(spark: SparkSession) -> None:
    with plan_fleet(fleet().snapshot(spark, "groups")) as plan:
        result = {(row.cluster, row.group): row.status for row in plan.groups.collect()}
    assert result["c", "moves"] == result["d", "moves"] == result["c", "unlisted"] == "ok"
    assert (
        result["c", "guessed"] == result["c", "rebalancing"] == result["c", "listed twice"] == "ok"
    )
    assert result["c", "twins"] == "invalid"


def test_a_snapshot_without_any_row_is_planned(spark: SparkSession) -> None:
    with plan_fleet(Fleet().snapshot(spark)) as plan:
        assert plan.assignments.count() == plan.groups.count() == 0
        statuses, _ = plan.summary()
        assert statuses == []


def test_limits_that_nothing_fits_are_known(spark: SparkSession) -> None:
    """Of the whole fleet: each group has some that are about others."""
    made = Fleet().topic("t", 2).topic("u", 2)
    made.group("g", {"a": ["t"]}, [("t", 0, "a")]).group("h", {"b": ["u"]})
    limits = [{"members": "a", "topics": "u"}, {"members": "?", "topics": "u"}, {"members": "z"}]
    rule = GroupGoals("h", Goals(max_partitions=[{"members": "a", "most": 1}]))  # type: ignore[arg-type]
    goals = FleetGoals(Goals(exclude=limits[:1] + limits[2:], pin=limits[1:2]), (rule,))  # type: ignore[arg-type]
    with plan_fleet(made.snapshot(spark), goals=goals) as plan:
        assert plan.idle_limits() == [
            "pin of u to ?",
            "exclusion of a from u",
            "exclusion of z",
            "at most 1 partition for a",
        ]
    with plan_fleet(made.snapshot(spark), goals=FleetGoals(goals.default)) as plan:
        assert plan.idle_limits() == ["exclusion of a from u", "exclusion of z"]


@pytest.mark.alone
def test_solved_rows_are_kept_until_the_plan_releases_them_even_on_an_error(
    spark: SparkSession,
) -> None:
    others = kept_in(spark)
    snapshot = Fleet().topic("t", 1).group("g", {"a": ["t"]}).snapshot(spark)
    with pytest.raises(ZeroDivisionError), plan_fleet(snapshot) as plan:
        assert plan.groups.count() == 1
        assert plan.solved.is_cached
        assert len(kept_in(spark) - others) == 1
        raise ZeroDivisionError
    assert not plan.solved.is_cached
    assert not kept_in(spark) - others


COUNTS = (
    *("improved", "closer", "bound", "held", "planned_apart", "planned_weighed"),
    *("moves", "takeovers", "unread"),
)


def measured(**changes: object) -> Row:
    apart = {"current_most_over": None, "planned_most_over": None, "held_by": []}
    facts: dict[str, Any] = {"status": "ok", "groups": 4, "partitions": 40}
    return Row(**dict.fromkeys(COUNTS, 0) | apart | facts | changes)


def test_what_is_put_right_and_what_cant_be_helped() -> None:
    rows = [
        measured(improved=1, moves=3, takeovers=2),
        measured(planned_apart=3, bound=2, closer=1),
    ]
    assert sentence_of(rows) == (
        "The plan evens out 1 of 8 groups by moving 3 of 80 partitions; 2 orphaned partitions get "
        "a new owner. In 1 more group other loads come closer. In 2 groups loads stay two or more "
        "apart, because members subscribe to different topics. 1 group could be more even still."
    )


def test_partitions_that_nobody_reads_and_goals_that_keep_loads_apart() -> None:
    rows = [
        measured(unread=4, planned_apart=3, held=1, held_by=["max_moves"]),
        measured(planned_apart=2, bound=1, held=1, held_by=["max_moves", "exclude"]),
    ]
    assert sentence_of(rows) == (
        "The plan makes none of 8 groups more even; it moves 0 of 80 partitions; 4 partitions that "
        "nobody reads now get a reader. In 1 group loads stay two or more apart, because members "
        "subscribe to different topics. In 2 groups loads stay two or more apart, because of "
        "exclude, max_moves. 2 groups could be more even still."
    )


def test_where_nothing_is_to_be_done() -> None:
    assert sentence_of([measured(), measured(status="empty", groups=2, partitions=0)]) == (
        "The plan makes none of 4 groups more even; it moves 0 of 40 partitions."
    )


def test_by_weight_the_worst_member_is_held_against_what_no_plan_is_below() -> None:
    weighed = {"planned_weighed": 1, "current_most_over": 2.5, "planned_most_over": 1.004}
    assert sentence_of([measured(**weighed), measured()]).endswith(
        "By weight, no member of 1 group carries more than 1.004 times the proven lower bound "
        "(now 2.5 times)."
    )
