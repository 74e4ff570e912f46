"""Checking a whole fleet's plan: a row a fault, none for a sound plan."""

from collections.abc import Iterator

import pytest
from pyspark.sql import DataFrame, SparkSession, functions as F

from spark import FleetPlan, FleetSnapshot, InputError, plan_fleet, verify_plan
from tests.support.fleets import Fleet

GROUPS = ("sound", "moved", "row missing", "row twice", "group missing", "group twice")


@pytest.fixture(scope="module")
def snapshot(spark: SparkSession) -> FleetSnapshot:
    """The same group six times: a owns five partitions, b one; a gives two to b."""
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


def test_every_fault_is_found_and_named_by_group(snapshot: FleetSnapshot, plan: FleetPlan) -> None:
    """In a plan that is sound but for these rows; `test_faults` has all that can be wrong."""

    def of(group: str, *numbers: int) -> F.Column:
        return (F.col("group") == group) & F.col("partition").isin(*numbers)

    # the lowest of a's partitions, which it keeps
    member = F.when(of("moved", 0), "b").otherwise(F.col("member_id"))
    rows = plan.assignments
    stranger = rows.where(of("sound", 0)).withColumn("group", F.lit("stranger"))
    assignments = rows.where(~of("row missing", 0)).withColumn("member_id", member)
    assignments = assignments.unionByName(rows.where(of("row twice", 1))).unionByName(stranger)
    groups = plan.groups.where("group != 'group missing'")
    groups = groups.unionByName(groups.where("group = 'group twice'"))
    result = faults(verify_plan(snapshot, assignments, groups))
    missing = result.pop("row missing")
    assert {
        "sum_squares is 13, the plan says 18",
        "t-0 has subscribers and no owner",
        "t-0 is not in the plan (1 such)",
    } <= set(missing)
    assert len(moved := result.pop("moved")) == 9
    assert {"t-0 is called 'keep' and is 'move'", "moves is 3, the plan says 2"} <= set(moved)
    assert result == {
        "stranger": ["the snapshot has no such group"],
        "row twice": ["t-1 is in the plan 2 times"],
        "group missing": ["the plan has no row for this group"],
        "group twice": ["the plan has 2 rows for this group"],
    }


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


@pytest.mark.wide
def test_with_sparks_defaults(spark_defaults: None, demo: FleetSnapshot) -> None:
    """A fleet with groups of every kind, and a plan that isn't optimal."""
    with plan_fleet(demo, "roundrobin") as made:
        statuses = {row.status for row in made.groups.select("status").collect()}
        assert {"ok", "empty", "rebalancing"} <= statuses
        assert "failed" not in statuses
        assert faults(verify_plan(demo, made.assignments, made.groups)) == {}
