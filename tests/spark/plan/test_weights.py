"""Plans by weight over a fleet: where weights come from, what is shown, and what is refused."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import Row, SparkSession, functions as F

from optimizer import Goals
from spark import FleetPlan, FleetSnapshot, InputError, plan_fleet, verify_plan
from spark.settings import FleetGoals, GroupGoals, Settings, read_settings, weight_of
from tests.support.fleets import Fleet

BY_WEIGHT = Goals(balance="weight")
BY_LAG = Goals(balance="weight", weight="lag", tolerance=0.0)

GOALS = FleetGoals(
    BY_WEIGHT, tuple(GroupGoals(group, BY_LAG) for group in ("lagging", "uncommitted"))
)

FORGED = {
    "weight_bound": ("weight_bound * 1.001", "weight_bound is 11.6"),
    "max_weight": ("max_weight * 0.999", "max_weight is 11.6"),
    "moves_bound": ("moves_bound + 1", "moves_bound is 1, the plan says 2"),
    "weights_known": ("1.0D", "weights_known is 0.75, the plan says 1"),
    "bound_kind": ("'searched'", "the plan says searched"),
    "certificate": (
        "overlay(certificate placing X'FF' from 7)",
        "its bound of loads by weight isn't shown",
    ),
}
"""By column: what is written in place of it, and what `verify` says of that."""


def fleet() -> Fleet:
    """Topic t has a hot partition; a has it and another one, b the two that weigh nothing much."""
    made = Fleet()
    for number, weight in enumerate([10.0, 6.0, 1.0, None]):
        made.add("partitions", topic="t", partition=number, weight=weight)
    for group in ("g", "lagging", "uncommitted", "strong", *FORGED):
        owned = [("t", 0, "a"), ("t", 1, "a"), ("t", 2, "b"), ("t", 3, "b")]
        made.group(group, {"a": ["t"], "b": ["t"]}, owned)
    for number, lag in enumerate([0, 0, 500, 400]):
        made.add("offsets", group="lagging", topic="t", partition=number, lag=lag)
        read = {"committed_offset": lag and 500 - lag, "end_offset": 500 if lag else -1}
        made.add("offsets", group="uncommitted", topic="t", partition=number, **read)
    made.rows["offsets"][-1]["committed_offset"] = -1
    for row in made.rows["members"]:
        settings = {("strong", "a"): 3.0}
        row["capacity"] = settings.get((row["group"], row["member_id"]))
    return made


@pytest.fixture(scope="module")
def snapshot(spark: SparkSession) -> FleetSnapshot:
    return fleet().snapshot(spark)


@pytest.fixture(scope="module")
def plan(snapshot: FleetSnapshot) -> Iterator[FleetPlan]:
    with plan_fleet(snapshot, goals=GOALS) as made:
        yield made


@pytest.fixture(scope="module")
def rows(plan: FleetPlan) -> dict[str, Row]:
    return {row.group: row for row in plan.groups.collect()}


def test_weights_of_the_table_count_and_the_unknown_one_is_the_mean(rows: dict[str, Row]) -> None:
    """The mean is 17 / 3: 10 + 1 and 6 + 17 / 3 are as even as it gets."""
    row = rows["g"]
    assert row.max_weight == pytest.approx(6 + 17 / 3)
    assert row.weight_bound <= row.max_weight
    assert row.weight_gap == pytest.approx(row.max_weight / row.weight_bound - 1)
    assert (row.bound_kind in ("set", "prices"), row.weights_known) == (True, 0.75)
    assert row.bound_shown
    assert (row.balance_optimal, row.moves) == (True, 2)
    assert row.moves_bound == 1


def test_lags_count_for_whom_goals_say_so(rows: dict[str, Row]) -> None:
    row = rows["lagging"]
    assert (row.max_weight, row.weight_gap, row.weights_known) == (pytest.approx(500), 0, 1)
    assert row.moves == 1


def test_the_lag_of_what_was_never_committed_isnt_known(rows: dict[str, Row]) -> None:
    """Nor where the end isn't: of four partitions the lag of one is."""
    assert rows["uncommitted"].weights_known == 0.25


def test_who_can_take_in_more_gets_more(rows: dict[str, Row]) -> None:
    """Of 68 / 3, three quarters and a quarter would be 17 / 3: to a unit of capacity."""
    row = rows["strong"]
    assert row.max_weight == pytest.approx(17 / 3)
    assert (row.balance_optimal, row.moves) == (True, 1)


def test_what_is_not_shown_is_refused(snapshot: FleetSnapshot, plan: FleetPlan) -> None:
    """Each column forged in a group of its own, whose name it is; the others have no faults."""
    forged = {
        column: F.expr(f"if(`group` = '{column}', {expression}, {column})")
        for column, (expression, _) in FORGED.items()
    }
    faults = verify_plan(snapshot, plan.assignments, plan.groups.withColumns(forged)).collect()
    assert {row.group for row in faults} == FORGED.keys()
    for column, (_, fault) in FORGED.items():
        of_group = [row.fault for row in faults if row.group == column]
        assert any(fault in text for text in of_group), of_group


def test_rates_that_are_not_there_are_asked_for(snapshot: FleetSnapshot) -> None:
    goals = Goals(balance="weight", weight="rate")
    with pytest.raises(InputError, match="rates come from a history"):
        plan_fleet(snapshot, goals=goals)


def test_rates_weigh_where_goals_say_so(spark: SparkSession, snapshot: FleetSnapshot) -> None:
    schema = "cluster string, topic string, partition int, weight double"
    settings = [("c", "t", number, weight) for number, weight in enumerate([1.0, 1.0, 7.0, 7.0])]
    rates = spark.createDataFrame(settings, schema)
    goals = Goals(balance="weight", weight="rate")
    with plan_fleet(snapshot, goals=goals, rates=rates) as plan:
        row = plan.groups.where("`group` = 'g'").first()
        assert row is not None
        assert (row.max_weight, row.moves) == (pytest.approx(8), 2)
        assert verify_plan(snapshot, plan.assignments, plan.groups, rates).collect() == []


def test_which_rates_weigh_is_configured(tmp_path: Path) -> None:
    file = tmp_path / "evenfleet.toml"
    file.write_text("[weights]\nof = 'mean'\nwindow = '7d'\n")
    weights = read_settings(file).weights
    assert (weights.measure, weights.window.days) == ("mean", 7)
    assert weight_of("rate", weights) == ("rate", weights)
    with pytest.raises(InputError, match="unknown weight"):
        weight_of("column:p95", weights)
    source, result = weight_of("rate:p99:12h", Settings().weights)
    assert (source, result.measure, result.quantile) == ("rate", "quantile", 0.99)
    file.write_text("[weights]\nof = 'p0'\n")
    with pytest.raises(InputError, match="of is 'p0'"):
        read_settings(file)
