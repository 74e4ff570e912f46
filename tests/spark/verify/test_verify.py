"""Checking a whole fleet's plan: a row a fault, none for a sound plan."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import DataFrame, SparkSession, functions as F

from optimizer import STRATEGIES
from spark import FleetPlan, FleetSnapshot, InputError, plan_fleet, verify_plan
from spark.groups.encode import encode
from spark.solve.solve import row_of_group
from spark.verify.faults import faults_of_group
from tests.support.fleets import Fleet
from tests.support.planned import planned_row

GROUPS = [
    *("sound", "moved", "swapped", "row missing", "row twice", "wrong previous", "wrong action"),
    *("wrong measure", "wrong status", "group missing", "group twice", "null member"),
]


@pytest.fixture(scope="module")
def snapshot(spark: SparkSession) -> FleetSnapshot:
    """The same group twelve times: a owns five partitions, b one; a gives two to b."""
    fleet = Fleet().topic("t", 6)
    for name in GROUPS:
        owned = [*(("t", number, "a") for number in range(5)), ("t", 5, "b")]
        fleet.group(name, {"a": ["t"], "b": ["t"]}, owned)
    return fleet.snapshot(spark)


@pytest.fixture(scope="module")
def plan(snapshot: FleetSnapshot) -> Iterator[FleetPlan]:
    with plan_fleet(snapshot) as made:
        yield made


def faults(found: DataFrame) -> dict[str, list[str]]:
    assert found.columns == ["cluster", "group", "fault"]
    by_group: dict[str, list[str]] = {}
    for row in found.collect():
        by_group.setdefault(row.group, []).append(row.fault)
    return {group: sorted(sentences) for group, sentences in by_group.items()}


def test_a_sound_plan_has_no_faults(snapshot: FleetSnapshot, plan: FleetPlan) -> None:
    assert faults(verify_plan(snapshot, plan.assignments, plan.groups)) == {}


def test_every_fault_is_found_and_named_by_group(
    spark: SparkSession, snapshot: FleetSnapshot, plan: FleetPlan
) -> None:
    def of(group: str, *numbers: int) -> F.Column:
        return (F.col("group") == group) & F.col("partition").isin(*numbers)

    rows = plan.assignments
    twice = rows.where(of("row twice", 1))
    other = F.when(F.col("member_id") == "a", "b").otherwise("a")
    assignments = (
        rows.where(~of("row missing", 0))
        .unionByName(twice)
        .unionByName(rows.where(of("sound", 0)).withColumn("group", F.lit("stranger")))
        .withColumns(
            {
                # the lowest of a's partitions, which it keeps, and the highest, which moves
                "member_id": F.when(of("moved", 0) | of("swapped", 0, 4), other)
                .when(of("null member", 0), None)
                .otherwise(F.col("member_id")),
                "previous_member_id": F.when(of("wrong previous", 2), "b").otherwise(
                    F.col("previous_member_id")
                ),
                "action": F.when(of("wrong action", 2), "new").otherwise(F.col("action")),
            }
        )
    )
    groups = plan.groups.where("group != 'group missing'")
    groups = groups.unionByName(groups.where("group = 'group twice'")).withColumns(
        {
            "moves": F.when(F.col("group") == "wrong measure", 1).otherwise(F.col("moves")),
            "status": F.when(F.col("group") == "wrong status", "inferred").otherwise(
                F.col("status")
            ),
        }
    )
    result = faults(verify_plan(snapshot, assignments, groups))
    assert result.pop("stranger") == ["the snapshot has no such group"]
    assert result.pop("moved") == [
        "balance_optimal is False, the plan says True (more balanced: t-0 from b to a)",
        "max_load is 4, the plan says 3",
        "min_load is 2, the plan says 3",
        "moves is 3, the plan says 2",
        "moves_optimal is False, the plan says True (more balanced: t-0 from b to a)",
        "spread is 20, the plan says 18",
        "spread_optimal is False, the plan says True (more balanced: t-0 from b to a)",
        "sum_squares is 20, the plan says 18",
        "t-0 is called 'keep' and is 'move'",
    ]
    # as good as the other, but not what the actions say
    assert result.pop("swapped") == ["t-0 is called 'keep' and is 'move'"]
    assert {
        "sum_squares is 13, the plan says 18",
        "t-0 has subscribers and no owner",
        "t-0 is not in the plan (1 such)",
    } <= set(result.pop("row missing"))
    assert result.pop("row twice") == ["t-1 is in the plan 2 times"]
    assert result.pop("wrong previous") == ["t-2 has another previous member in the snapshot"]
    assert result.pop("wrong action") == ["t-2 is called 'new' and is 'keep'"]
    assert result.pop("wrong measure") == ["moves is 2, the plan says 1"]
    assert result.pop("wrong status") == ["its status is ok, the plan says inferred"]
    assert result.pop("group missing") == ["the plan has no row for this group"]
    assert result.pop("group twice") == ["the plan has 2 rows for this group"]
    nulled = result.pop("null member")
    assert "t-0 is called 'keep' and is 'drop'" in nulled
    assert "t-0 has subscribers and no owner" in nulled
    assert result == {}


def test_the_plan_of_another_snapshot_is_rejected(
    spark: SparkSession, snapshot: FleetSnapshot, plan: FleetPlan
) -> None:
    """The same groups, but a partition more."""
    grown = snapshot.tables["partitions"].unionByName(
        spark.createDataFrame([("c", "t", 6)], "cluster string, topic string, partition int"),
        allowMissingColumns=True,
    )
    later = FleetSnapshot.of(**{**snapshot.tables, "partitions": grown})
    result = faults(verify_plan(later, plan.assignments, plan.groups))
    assert set(result) == set(GROUPS)
    assert "t-6 is not in the plan (1 such)" in result["sound"]


def test_tables_that_are_no_plan_name_the_columns_they_lack(
    snapshot: FleetSnapshot, plan: FleetPlan
) -> None:
    with pytest.raises(InputError) as raised:
        verify_plan(snapshot, plan.groups, plan.assignments.drop("group"))
    assert str(raised.value) == (
        "the plan can't be checked: its table assignments lacks the column topic, partition, "
        "member_id, previous_member_id, action; its table groups lacks the column group, status, "
        "strategy, members, partitions, max_load, min_load, sum_squares, moves, takeovers, "
        "balance_optimal, moves_optimal"
    )


def test_with_sparks_defaults(spark_defaults: None, demo: FleetSnapshot) -> None:
    """A fleet with groups of every kind, and a plan that isn't optimal."""
    with plan_fleet(demo, "roundrobin") as made:
        assert faults(verify_plan(demo, made.assignments, made.groups)) == {}


@pytest.fixture(scope="module")
def encoded(demo: FleetSnapshot) -> list:
    return list(encode(demo).toPandas().itertuples(index=False))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategys_plan_of_the_demos_fleet_is_accepted(encoded: list, strategy: str) -> None:
    """On the worker's side alone: the way there and back is the same for all."""
    statuses = set()
    for row in encoded:
        statuses.add(row_of_group(row, strategy).status)
        named = type("Row", (), row._asdict())
        assert faults_of_group(planned_row(named, strategy)) == []
    assert {"ok", "empty", "rebalancing"} <= statuses
    assert "failed" not in statuses
