"""Comparing strategies over a fleet."""

from __future__ import annotations

from typing import Any

import pytest
from chispa import assert_df_equality
from pyspark.sql import Row, SparkSession, functions as F

from optimizer import CONNECT_STRATEGIES, STRATEGIES, STRATEGY_NAMES
from spark import FleetSnapshot, InputError, check_strategies, compare_fleet, fleet_of
from spark.compare.compared_row import ComparedRow
from spark.compare.measure import measure_groups
from spark.groups import encode
from spark.groups.columns import columns_of
from spark.settings.strategies import for_kind, kind_of
from spark.solve.solved_row import GroupRow
from tests.support.fleets import Fleet


def fleet() -> Fleet:
    """Two groups that can be planned, one that can't."""
    made = Fleet().topic("t", 3).topic("u", 1)
    owned = [("t", 0, "a"), ("t", 1, "a"), ("t", 2, "z"), ("u", 0, "b")]
    made.group("g", {"a": ["t"], "b": ["t"]}, owned)
    made.group("h", {"a": ["u"]}, [("u", 0, "a")])
    return made.group("empty", {})


@pytest.fixture(scope="module")
def compared(spark: SparkSession) -> dict[tuple[str, str], Row]:
    """Rows by group and strategy."""
    rows = compare_fleet(fleet().snapshot(spark), ["current", "range", "optimal"]).collect()
    return {(row.group, row.strategy): row for row in rows}


def test_there_is_one_row_a_group_and_strategy(compared: dict[tuple[str, str], Row]) -> None:
    groups, strategies = ("g", "h", "empty"), ("current", "range", "optimal")
    assert set(compared) == {(group, strategy) for group in groups for strategy in strategies}
    columns = columns_of(ComparedRow)
    assert columns[:15] == columns_of(GroupRow)
    assert all(tuple(row.asDict()) == columns for row in compared.values())


def test_current_is_measured_as_it_was_found(compared: dict[tuple[str, str], Row]) -> None:
    """a has two partitions, nobody who is there has the third; u isn't b's to own."""
    row = compared["g", "current"]
    assert (row.members, row.partitions) == (2, 3)
    assert (row.max_load, row.min_load, row.sum_squares) == (2, 0, 4)
    assert (row.moves, row.takeovers) == (0, 0)


def test_what_is_found_is_called_optimal_if_it_is(compared: dict[tuple[str, str], Row]) -> None:
    row = compared["h", "current"]
    assert (row.balance_optimal, row.moves_optimal) == (True, True)
    # a partition of g has a reader and no owner: that is no assignment to judge
    row = compared["g", "current"]
    assert (row.balance_optimal, row.moves_optimal) == (None, None)


def test_strategies_are_measured_as_their_plans_are(compared: dict[tuple[str, str], Row]) -> None:
    for strategy, moves in {"range": 0, "optimal": 0}.items():
        row = compared["g", strategy]
        assert (row.max_load, row.min_load, row.sum_squares) == (2, 1, 5)
        assert (row.moves, row.takeovers) == (moves, 1)


def test_a_group_without_a_plan_has_its_reason_under_every_strategy(
    compared: dict[tuple[str, str], Row],
) -> None:
    for strategy in ("current", "range", "optimal"):
        row = compared["empty", strategy]
        assert (row.status, row.reason) == ("empty", "the group has no members")
        assert (row.members, row.partitions, row.max_load) == (0, None, None)


FLEET_KEYS = (
    *("cluster", "group", "status", "reason", "strategy", "members", "partitions", "max_load"),
    *("sum_squares", "moves", "takeovers", "excess", "stopped_eager", "stopped_cooperative"),
    *("rounds", "balance_optimal", "local_reads", "remote_reads", "spread", "worst_topic_share"),
    *("max_weight", "weight_bound", "host_excess", "kind"),
)
FLEET_SCHEMA = (
    "cluster string, `group` string, status string, reason string, strategy string, members int, "
    "partitions int, max_load long, sum_squares long, moves long, takeovers long, excess long, "
    "stopped_eager long, stopped_cooperative long, rounds int, balance_optimal boolean, "
    "local_reads long, remote_reads long, spread long, worst_topic_share double, "
    "max_weight double, weight_bound double, host_excess long, kind string"
)


def line(group: str, status: str, strategy: str, members: int, *measures: Any, **facts: Any) -> Any:
    """A row of a comparison; `measures` from partitions on, or none."""
    cells = ["c", group, status, facts.get("reason"), strategy, members, *measures]
    return (*cells, *[None] * (len(FLEET_KEYS) - len(cells) - 1), facts.get("kind", "consumer"))


def test_the_fleets_table_adds_up_the_groups(spark: SparkSession) -> None:
    """From rows made by hand; the best strategy comes first."""
    rows = [
        line("g", "ok", "best", 2, 7, 4, 25, 2, 1, 0, 6, 2, 2, True, 5, 2, 13, 1.0, 6.0, 5.0, 1),
        line("h", "inferred", "best", 3, 0, 0, 0, 0, 0, 0, 0, 0, 1, True),
        line("i", "empty", "best", 0, reason="no members"),
        line("g", "ok", "worst", 2, 7, 6, 37, 0, 0, 2, 6, 0, 1, False, 3, 4, 25, 2.5, 7.5, 5.0, 2),
        line("h", "ok", "worst", 3, 3, 3, 9, 1, 0, 2, 3, 1, 2, False, 1, 1, 3, 1.5, 9.0, 6.0),
        # not wholly assigned
        line("i", "ok", "worst", 3, 3, 1, 3, 0, 0, 0, 3, 0, 1, None),
        line("k", "failed", "worst", 3, reason="too long"),
        line("j", "failed", "worst", 3, reason="Kafka throws"),
        line("l", "rebalancing", "worst", 3, reason="it is rebalancing"),
    ]
    best = {
        "kind": "consumer",
        "strategy": "best",
        "groups": 2,
        "not_evaluated": 1,
        "uneven": 0,
        "unbalanced": 0,
        "worst_max_to_mean": 4 / 3.5,
        "mean_topic_share": 1.0,
        "mean_over_bound": 1.2,
        "worst_over_bound": 1.2,
        "excess": 0,
        "host_excess": 1,
        "local_reads": 5,
        "remote_reads": 2,
        "sum_squares": 25,
        "spread": 13,
        "moves": 2,
        "takeovers": 1,
        "stopped_eager": 6,
        "stopped_cooperative": 2,
        "rounds": 3,
        "why": "1 empty",
    }
    worst = {
        "kind": "consumer",
        "strategy": "worst",
        "groups": 3,
        "not_evaluated": 3,
        "uneven": 0,
        "unbalanced": 3,
        "worst_max_to_mean": 3.0,
        "mean_topic_share": 2.0,
        "mean_over_bound": 1.5,
        "worst_over_bound": 1.5,
        "excess": 4,
        "host_excess": 2,
        "local_reads": 4,
        "remote_reads": 5,
        "sum_squares": 49,
        "spread": 28,
        "moves": 1,
        "takeovers": 0,
        "stopped_eager": 12,
        "stopped_cooperative": 1,
        "rounds": 4,
        "why": "1 rebalancing, 2 failed; the first that failed is j of c: Kafka throws",
    }
    expected = spark.createDataFrame([Row(**best), Row(**worst)])
    assert_df_equality(
        fleet_of(spark.createDataFrame(rows, FLEET_SCHEMA)), expected, ignore_nullable=True
    )


def test_groups_of_connect_workers_are_added_up_on_their_own(spark: SparkSession) -> None:
    """Else a strategy of theirs would be best for having few groups."""
    rows = [
        line("w", "ok", "connect-eager", 2, 2, 1, 2, 1, kind="connect"),
        line("w", "ok", "optimal", 2, 2, 1, 2, 0, kind="connect"),
        line("g", "ok", "range", 2, 2, 2, 4, 0),
        line("g", "ok", "optimal", 2, 2, 1, 2, 0),
    ]
    fleet = fleet_of(spark.createDataFrame(rows, FLEET_SCHEMA)).collect()
    assert [(row.kind, row.strategy, row.groups) for row in fleet] == [
        ("consumer", "optimal", 1),
        ("consumer", "range", 1),
        ("connect", "optimal", 1),
        ("connect", "connect-eager", 1),
    ]


def test_the_type_of_a_group_reaches_the_worker(spark: SparkSession) -> None:
    connect = encode(fleet().snapshot(spark)).withColumn("type", F.lit("connect"))
    rows = measure_groups(connect, check_strategies([])).collect()
    assert {row.strategy for row in rows} == {"current", *CONNECT_STRATEGIES}
    assert {row.kind for row in rows} == {"connect"}


def test_without_names_everything_is_compared(spark: SparkSession, demo: FleetSnapshot) -> None:
    comparison = compare_fleet(demo)
    every = fleet_of(comparison).collect()
    rows = [row for row in every if row.kind == "consumer"]
    assert {row.strategy for row in rows} == {"current", *STRATEGIES}
    assert len({row.groups + row.not_evaluated for row in rows}) == 1
    workers = {row.strategy: row.groups for row in every[len(rows) :]}
    assert workers == dict.fromkeys(("current", *CONNECT_STRATEGIES), 1)
    assert rows[0].strategy == "optimal"
    assert (rows[0].unbalanced, rows[0].excess) == (0, 0)
    current = next(row for row in rows if row.strategy == "current")
    assert current.moves == current.takeovers == current.stopped_eager == current.rounds == 0


def test_in_a_spark_worker_too_a_strategy_stops_when_its_time_is_up(spark: SparkSession) -> None:
    """The sticky strategies' search takes several times as long here; the others go on."""
    topics = [f"t{number}" for number in range(60)]
    made = Fleet()
    for topic in topics:
        made.topic(topic, 1000)
    reads = {f"m{m}": topics[m % 40 : m % 40 + 20] for m in range(120)}
    claims = [(t, p, f"m{n}") for n, t in enumerate(topics[:50]) for p in range(1000)]
    made.group("large", reads, claims).topic("u", 1).group("small", {"a": ["u"]})
    names = ["sticky", "optimal"]
    rows = compare_fleet(made.snapshot(spark), names, strategy_seconds=0.1).collect()
    output = {(row.group, row.strategy): row for row in rows}
    assert output["large", "sticky"].status == "failed"
    assert output["large", "sticky"].reason.startswith("it takes longer than the 0.1 seconds")
    assert output["large", "sticky"].max_load is None
    assert [output["small", name].status for name in names] == ["ok", "ok"]


def test_names_are_taken_once_without_spaces_and_all_if_none() -> None:
    assert check_strategies(["range", " optimal ", "range"]) == ["range", "optimal"]
    assert check_strategies([]) == ["current", *STRATEGY_NAMES]


def test_each_kind_of_groups_has_its_own_strategies() -> None:
    every = check_strategies([])
    assert for_kind(every, kind_of("connect")) == ["current", *CONNECT_STRATEGIES]
    for other in (None, "classic", "consumer", "share", "other"):
        assert for_kind(every, kind_of(other)) == ["current", *STRATEGIES]
    assert for_kind(["range", "connect-eager"], kind_of("connect")) == ["connect-eager"]


@pytest.mark.parametrize("name", ["best", "", "Optimal"])
def test_an_unknown_strategy_names_those_that_exist(name: str) -> None:
    with pytest.raises(ValueError, match=f"unknown strategy '{name}': choose from current, opt"):
        check_strategies(["range", name])


def test_null_keys_stop_the_comparison(spark: SparkSession) -> None:
    with pytest.raises(InputError, match=r"\(groups\.cluster: 1 rows\)"):
        compare_fleet(fleet().add("groups", cluster=None, group="g").snapshot(spark))
