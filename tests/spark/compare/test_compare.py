"""Comparing strategies over a fleet."""

from typing import Any

import pytest
from pyspark.sql import SparkSession

from optimizer import CONNECT_STRATEGIES, STRATEGIES, STRATEGY_NAMES
from spark import InputError, check_strategies, compare_fleet, fleet_of
from spark.settings.strategies import for_kind, kind_of
from tests.support.fleets import Fleet

FLEET_SCHEMA = (
    "cluster string, `group` string, status string, reason string, strategy string, members int, "
    "partitions int, max_load long, sum_squares long, moves long, takeovers long, excess long, "
    "stopped_eager long, stopped_cooperative long, rounds int, balance_optimal boolean, "
    "local_reads long, remote_reads long, spread long, worst_topic_share double, "
    "max_weight double, weight_bound double, host_excess long, unread long, kind string"
)
COLUMNS = FLEET_SCHEMA.count(",") + 1


def line(group: str, status: str, strategy: str, members: int, *measures: Any, **facts: Any) -> Any:
    """A row of a comparison; `measures` from partitions on, or none."""
    cells = ["c", group, status, facts.get("reason"), strategy, members, *measures]
    if weighs := facts.get("weighs"):
        cells += [None] * (COLUMNS - len(cells) - len(weighs) - 1) + [*weighs]
    return (*cells, *[None] * (COLUMNS - len(cells) - 1), facts.get("kind", "consumer"))


def test_the_fleets_table_adds_up_the_groups(spark: SparkSession) -> None:
    """From rows made by hand; the best strategy comes first, Connect's groups on their own."""
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
        # by weight as well, what isn't read weighs nothing
        line("g", "ok", "current", 2, 7, 2, 8, 0, 0, 0, 0, 0, 0, False, weighs=(3.0, 5.0, 0, 3)),
        # else a strategy of theirs would be best for having few groups
        line("w", "ok", "connect-eager", 2, 2, 1, 2, 1, kind="connect"),
        line("w", "ok", "best", 2, 2, 1, 2, 0, kind="connect"),
    ]
    columns = (
        *("kind", "strategy", "groups", "not_evaluated", "uneven", "unbalanced"),
        *("worst_max_to_mean", "mean_topic_share", "mean_over_bound", "worst_over_bound"),
        *("excess", "host_excess", "local_reads", "remote_reads", "sum_squares", "spread"),
        *("moves", "takeovers", "stopped_eager", "stopped_cooperative", "unread", "rounds", "why"),
    )
    best = ("consumer", "best", 2, 1, 0, 0, 4 / 3.5, 1.0, 1.2, 1.2, 0, 1, 5, 2, 25, 13)
    best += (2, 1, 6, 2, None, 3, "1 empty")
    worst = ("consumer", "worst", 3, 3, 2, 3, 3.0, 2.0, 1.5, 1.5, 4, 2, 4, 5, 49, 28)
    why = "1 rebalancing, 2 failed; the first that failed is j of c: Kafka throws"
    worst += (1, 0, 12, 1, None, 4, why)
    table = fleet_of(spark.createDataFrame(rows, FLEET_SCHEMA)).collect()
    assert tuple(table[0].asDict()) == columns
    assert [*map(tuple, table[:2])] == [best, worst]
    assert (table[2].strategy, table[2].unread, table[2].mean_over_bound) == ("current", 3, None)
    connect = [(row.kind, row.strategy, row.groups) for row in table[3:]]
    assert connect == [("connect", "best", 1), ("connect", "connect-eager", 1)]


@pytest.mark.ends
def test_in_a_spark_worker_too_a_strategy_stops_when_its_time_is_up(spark: SparkSession) -> None:
    """The sticky strategies' search takes several times as long; the others go on."""
    topics = [f"t{number}" for number in range(60)]
    made = Fleet()
    for topic in topics:
        made.topic(topic, 1000)
    reads = {f"m{m}": topics[m % 40 : m % 40 + 20] for m in range(120)}
    claims = [(t, p, f"m{n}") for n, t in enumerate(topics[:50]) for p in range(1000)]
    made.group("large", reads, claims).topic("u", 1).group("small", {"a": ["u"]})
    names = ["sticky", "optimal"]
    rows = compare_fleet(made.snapshot(spark), names, strategy_seconds=0.2).collect()
    output = {(row.group, row.strategy): row for row in rows}
    assert output["large", "sticky"].status == "failed"
    assert output["large", "sticky"].reason.startswith("it takes longer than the 0.2 seconds")
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


def test_null_keys_stop_the_comparison(spark: SparkSession) -> None:
    with pytest.raises(InputError, match=r"\(groups\.cluster: 1 rows\)"):
        compare_fleet(Fleet().add("groups", cluster=None, group="g").snapshot(spark))
